// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "base/stop.h"
#include "report/library.h"

namespace warpwright::report {

struct ServerOptions {
  int port = 0;  ///< 0: any free one
  std::function<void(int port)> on_listening;
};

/// Serves the pages on 127.0.0.1 until the stop signal. Reads only; answers only requests that
/// name this host and come from this server's own pages; knows no files.
Status serve(const Library& library, const Clock& clock, const StopSignal& stop,
             const ServerOptions& options);

}  // namespace warpwright::report
