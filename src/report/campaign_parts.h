// SPDX-License-Identifier: Apache-2.0
#pragma once

// Inside report only: the two sources of a campaign.

#include "report/campaign.h"
#include "store/archive.h"

namespace warpwright::report {

Result<CampaignRun> read_campaign_run(store::Archive& archive, const store::RunRecord& run);

/// Adds a benchmark's rows to the cells; later files win.
Status add_bench(Campaign& campaign, const BenchText& bench);

/// Adds what the runs measured themselves: "first", "final", and the baseline where no benchmark
/// timed it.
void add_run_times(Campaign& campaign, const CampaignRun& run);

}  // namespace warpwright::report
