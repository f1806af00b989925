// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace warpwright::cli {

/// Words as a shell would make them: quotes keep spaces together, nothing else is special. The
/// error is of `--run`.
Result<std::vector<std::string>> words_of(std::string_view line);

}  // namespace warpwright::cli
