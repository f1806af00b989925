// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "mcp/workshop.h"
#include "report/endpoint.h"
#include "service/queue.h"

namespace warpwright::service {

/// The judge over HTTP, as a reward function: docs/rewards.md, and the OpenAPI file it serves.
class JudgeService {
 public:
  JudgeService(mcp::Workshop& workshop, QueueOptions options)
      : workshop_(workshop), queue_(options) {}

  /// For the program's HTTP server; this object outlives it.
  std::vector<report::Endpoint> endpoints();
  void stop() { queue_.stop(); }

 private:
  report::WebAnswer judge(const report::WebRequest& request);
  report::WebAnswer result(const report::WebRequest& request);
  report::WebAnswer metrics();

  mcp::Workshop& workshop_;
  JudgeQueue queue_;
};

/// The OpenAPI description of the service.
std::string_view openapi_text();

}  // namespace warpwright::service
