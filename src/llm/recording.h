// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "llm/model.h"

namespace warpwright::llm {

/// One line (with its newline) of a recorded conversation, as `replay:` reads it.
std::string recording_line(std::string_view id, const Reply& reply);

}  // namespace warpwright::llm
