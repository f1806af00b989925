// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "mcp/rpc.h"
#include "mcp/workshop.h"
#include "report/endpoint.h"
#include "service/queue.h"

namespace warpwright::service {

/// One item on its way: a ticket, or a verdict that needs no judge.
struct Asked {
  int status = 200;  ///< else the item is refused, and `error` says why
  std::string error;
  std::shared_ptr<Ticket> ticket;
  std::optional<Evaluation> at_once;
  std::string reward;
  bool complete = false;
};

/// The judge over HTTP, as a reward function: docs/rewards.md, and the OpenAPI file it serves.
class JudgeService {
 public:
  /// `manner` is everything beside a question that its verdict depends on: another manner is
  /// another question.
  JudgeService(mcp::Workshop& workshop, QueueOptions options, std::string manner = "");

  /// For the program's HTTP server; this object outlives it.
  std::vector<report::Endpoint> endpoints();
  void stop() { queue_.stop(); }

 private:
  report::WebAnswer judge(const report::WebRequest& request);
  report::WebAnswer result(const report::WebRequest& request);
  report::WebAnswer metrics();

  Asked ask(const mcp::Json& item, const std::string& client);
  void resume_questions();
  double patience(double wait_s) const;

  mcp::Workshop& workshop_;
  std::string manner_;
  store::Ledger* ledger_;
  std::atomic<int> waiters_{0};
  JudgeQueue queue_;
};

/// The OpenAPI description of the service.
std::string_view openapi_text();

}  // namespace warpwright::service
