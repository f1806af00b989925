// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "mcp/server.h"
#include "report/endpoint.h"

namespace warpwright::mcp {

/// The streamable HTTP transport: one address that takes one message per POST and answers with
/// JSON, or with a stream of events where the call may take long. Clients that begin with
/// `initialize` get a session; requests of the stateless revision need none.
class HttpTransport {
 public:
  explicit HttpTransport(Server& server) : server_(server) {}

  /// For the program's HTTP server; this object outlives it.
  report::Endpoint endpoint(const std::string& path);

  report::WebAnswer answer(const report::WebRequest& request);
  /// Ends all calls that are under way.
  void cancel_all();

 private:
  struct Session {
    std::shared_ptr<Connection> connection;
    std::chrono::steady_clock::time_point used;
  };
  report::WebAnswer post(const report::WebRequest& request);
  report::WebAnswer end_session(const report::WebRequest& request);
  report::WebAnswer converse(const report::WebRequest& request, const Message& message,
                             std::shared_ptr<Connection> connection, bool modern);
  report::WebAnswer initialize(const report::WebRequest& request, const Message& message);
  std::shared_ptr<Connection> session(const std::string& id);
  std::string new_session(std::shared_ptr<Connection> connection);

  Server& server_;
  /// Of slow calls, over all sessions: each holds a thread of the HTTP server.
  std::shared_ptr<std::atomic<int>> under_way_ = std::make_shared<std::atomic<int>>(0);
  std::mutex mutex_;
  std::map<std::string, Session> sessions_;
  std::map<const Connection*, std::weak_ptr<Connection>> passing_;  ///< without a session
};

}  // namespace warpwright::mcp
