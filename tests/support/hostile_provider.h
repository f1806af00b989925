// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <filesystem>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/files.h"
#include "base/result.h"

namespace warpwright::hostile {

/// One request as the server saw it.
struct Served {
  int number = 0;  ///< 1, 2, ...
  std::string act;
  std::string path;
  std::string key;  ///< as the client sent it; not written to the log file
  std::string body;
  bool paid = false;  ///< a whole answer was written: a real provider would bill it
};

struct Options {
  /// A comma-separated list of acts, one per request; the last one repeats. See acts().
  std::string scenario = "answer";
  /// Files of answers, served in the order of their names, again from the start when used up.
  /// Without it each answer is a small kernel that depends on the question alone.
  std::filesystem::path answers;
  /// One JSON object per finished request is appended here; may be empty.
  std::filesystem::path log;
  int port = 0;             ///< 0: any free one
  int chunk_delay_ms = 25;  ///< between the chunks of act "slow"
};

/// Names of everything it can do to a client.
std::vector<std::string> acts();

/// A provider of both protocols on a loopback port that misbehaves on request. Raw sockets, one
/// thread per connection, one request per connection.
class Provider {
 public:
  static Result<std::unique_ptr<Provider>> start(const Options& options);
  ~Provider();
  Provider(const Provider&) = delete;
  Provider& operator=(const Provider&) = delete;

  [[nodiscard]] int port() const { return port_; }
  /// "http://127.0.0.1:PORT/v1"
  [[nodiscard]] std::string base_url() const;
  /// Requests so far, finished or not.
  [[nodiscard]] int requests() const { return requests_.load(); }
  [[nodiscard]] std::vector<Served> served() const;
  [[nodiscard]] int paid() const;
  /// The most requests that were being answered at the same time.
  [[nodiscard]] int most_at_once() const { return most_at_once_.load(); }

 private:
  Provider(const Options& options, FileDescriptor listener, int port);
  void accept_connections();
  void serve(int socket);
  void finish(const Served& served);
  [[nodiscard]] std::string act_for(int number) const;

  Options options_;
  std::vector<std::string> script_;
  std::vector<std::string> answers_;
  FileDescriptor listener_;
  int port_ = 0;
  std::atomic<bool> stopping_{false};
  std::atomic<int> requests_{0};
  std::atomic<int> at_once_{0};
  std::atomic<int> most_at_once_{0};
  mutable std::mutex mutex_;
  std::vector<Served> served_;
  std::vector<int> open_sockets_;
  std::list<std::thread> threads_;
  std::thread acceptor_;
};

/// The answer that the provider gives to a request body when it has no files.
std::string default_answer(std::string_view body);

}  // namespace warpwright::hostile
