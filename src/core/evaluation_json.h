// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "core/evaluation.h"

namespace warpwright {

/// The text form of an Evaluation: a job's result file and the archive's column. Documented in
/// docs/formats.md.
std::string evaluation_to_json(const Evaluation& evaluation);

/// Total: any text gives an Evaluation or an error that names the offending field.
Result<Evaluation> evaluation_from_json(std::string_view text);

}  // namespace warpwright
