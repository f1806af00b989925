// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "report/page.h"

namespace warpwright::report {

/// The page of a benchmark's JSON (`warpwright bench --json FILE`, docs/formats.md). Total: unknown
/// fields are left out, mistyped ones read as missing.
Result<Page> bench_page(std::string_view text, const std::string& file, std::int64_t made_ms);

/// What the benchmark timed besides baseline and kernels for one task, as rows that a run's page
/// shows beside its own: [{"name", "times": [measurement rows]}].
Result<nlohmann::json> comparators_of(std::string_view text, const std::string& file,
                                      const std::string& task);

}  // namespace warpwright::report
