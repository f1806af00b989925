// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "mcp/tool.h"

namespace warpwright::mcp {

Json prompt_list();

/// The messages of a prompt with its arguments put in.
Result<Json> get_prompt(ToolBox& box, const std::string& name, const Json& arguments);

}  // namespace warpwright::mcp
