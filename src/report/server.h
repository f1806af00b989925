// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/stop.h"
#include "report/endpoint.h"
#include "report/library.h"

namespace warpwright::report {

struct ServerOptions {
  int port = 0;  ///< 0: any free one
  bool pages = true;
  std::vector<Endpoint> endpoints;
  std::function<std::string()> fleet;  ///< JSON object for the list of runs; empty: there is none
  int threads = 48;                    ///< requests that are answered at a time
  double requests_per_s = 0;  ///< to endpoints; more are refused before a body is read. 0 = any
  std::string token;          ///< that requests to endpoints carry as "Authorization: Bearer TOKEN"
  std::function<void(int port)> on_listening;
};

/// Serves the pages and endpoints on 127.0.0.1 until the stop signal. Answers only requests that
/// name this host and come from no foreign page. Pages are only shown and know no files; endpoints
/// are for whoever has the token, and nothing of a body is read before that is known.
Status serve(const Library& library, const Clock& clock, const StopSignal& stop,
             const ServerOptions& options);

}  // namespace warpwright::report
