// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "mcp/tool.h"

namespace warpwright::mcp {

/// The pages of documentation, the built-in tasks and the newest runs.
Json resource_list(ToolBox& box);

/// The forms of the other addresses.
Json resource_templates();

/// One resource's content, {uri, mimeType, text}:
///   warpwright://docs/PAGE             a page of the documentation
///   warpwright://tasks/NAME            a built-in task, as a model is told of it
///   warpwright://runs/RUN              a run with its trials, as JSON
///   warpwright://kernels/RUN/TRIAL     the source of a trial
Result<Json> read_resource(ToolBox& box, const std::string& uri);

}  // namespace warpwright::mcp
