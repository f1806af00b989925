// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "base/stop.h"
#include "mcp/server.h"

namespace warpwright::mcp {

/// Serves one client: a message per line on `in`, answers per line on `out`. After the end of input
/// the calls that are under way are finished. At the stop signal, or when nobody reads any more,
/// they are cancelled.
Status serve_lines(Server& server, int in, int out, const StopSignal& stop);

}  // namespace warpwright::mcp
