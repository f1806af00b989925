// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "report/page.h"
#include "store/archive.h"

namespace warpwright::report {

/// The page of one run with everything in it. `made_ms` is the time to print on it.
Result<Page> run_page(store::Archive& archive, const std::string& run, std::int64_t made_ms);

}  // namespace warpwright::report
