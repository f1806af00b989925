// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "mcp/rpc.h"
#include "mcp/tool.h"

namespace warpwright::mcp {

/// The stateless revision, and the newest of those that begin with `initialize`.
inline constexpr std::string_view kModernVersion = "2026-07-28";
inline constexpr std::string_view kLegacyVersion = "2025-11-25";
/// All versions that the server speaks, the newest first.
std::span<const std::string_view> known_versions();

struct ServerOptions {
  std::string version;                ///< of the program
  std::size_t max_calls = 32;         ///< under way at once for one client
  std::vector<std::string> settings;  ///< sentences for the model: what this server judges with
};

/// What the server remembers of one client: of a process on standard input, or of a session over
/// HTTP. Thread-safe.
class Connection {
 public:
  explicit Connection(std::size_t max_calls) : max_calls_(max_calls) {}

  [[nodiscard]] std::string version() const;  ///< negotiated; empty before `initialize`
  void negotiated(std::string version, std::string client);
  [[nodiscard]] std::string client() const;

  /// A call that another thread is about to begin: from now on it can be cancelled.
  void expect(const Json& id);
  /// Registers a call; null when there are too many, or one of that id is under way.
  std::shared_ptr<StopSignal> begin(const Json& id, std::string& why);
  void end(const Json& id);
  /// Ends the call of that id, if there is one.
  void cancel(const Json& id);
  void cancel_all();

 private:
  mutable std::mutex mutex_;
  std::size_t max_calls_;
  std::string version_;
  std::string client_;
  struct Entry {
    std::shared_ptr<StopSignal> stop;
    bool begun = true;
  };
  std::map<std::string, Entry> calls_;  ///< by id
};

/// Who hears of a call while it is under way.
class Listener {
 public:
  virtual ~Listener() = default;
  virtual void notify(const Json& message) = 0;
  /// Now and then, where the client wants no progress: a transport may see whether it is there.
  virtual void still_working() {}
};

/// The protocol without a transport: one message in, at most one out. Any number of threads.
class Server {
 public:
  Server(ToolBox box, ServerOptions options) : box_(box), options_(std::move(options)) {}

  /// Handles one message and returns what to answer; none for notifications, answers and cancelled
  /// calls.
  std::optional<Json> handle(const Message& message, Connection& connection, Listener& listener);

  /// Whether it is a request of the stateless revision.
  [[nodiscard]] static bool is_modern(const Message& message);

  /// Whether the message may take long: a transport hands it to another thread.
  [[nodiscard]] static bool is_slow(const Message& message);

  [[nodiscard]] const ServerOptions& options() const { return options_; }

 private:
  ToolBox box_;
  ServerOptions options_;
};

}  // namespace warpwright::mcp
