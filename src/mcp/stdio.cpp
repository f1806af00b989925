// SPDX-License-Identifier: Apache-2.0
#include "mcp/stdio.h"

#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <thread>

namespace warpwright::mcp {

namespace {

constexpr std::size_t kReadBytes = std::size_t{64} << 10;

/// Whole lines, one at a time, from any number of threads.
class LineWriter final : public Listener {
 public:
  explicit LineWriter(int fd) : fd_(fd) {}

  void notify(const Json& message) override { write(message); }
  void write(const Json& message) {
    const std::string line = line_of(message) + "\n";
    const std::lock_guard lock(mutex_);
    std::size_t done = 0;
    while (done < line.size() && !gone_) {
      const ssize_t count = ::write(fd_, line.data() + done, line.size() - done);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) gone_ = true;
      if (count > 0) done += static_cast<std::size_t>(count);
    }
  }
  /// Whether nobody reads any more, also where nothing was written since.
  [[nodiscard]] bool gone() const {
    pollfd reader{fd_, 0, 0};
    if (::poll(&reader, 1, 0) > 0 && (reader.revents & (POLLERR | POLLNVAL)) != 0) return true;
    return gone_;
  }

 private:
  int fd_;
  std::mutex mutex_;
  std::atomic<bool> gone_{false};
};

/// Lines of foreign bytes. One that is too long is told of once and dropped to its end.
class LineReader {
 public:
  enum class Got { line, too_long, nothing, end };

  /// What there is in the buffer; `more` reads on.
  Got next(std::string& line) {
    const auto end = buffer_.find('\n', searched_);
    if (end == buffer_.npos) {
      searched_ = buffer_.size();
      if (dropping_) {
        clear();
      } else if (buffer_.size() > kMaxMessageBytes) {
        dropping_ = true;
        clear();
        return Got::too_long;
      }
      return Got::nothing;
    }
    const bool whole = !dropping_;
    line = buffer_.substr(0, end);
    buffer_.erase(0, end + 1);
    searched_ = 0;
    dropping_ = false;
    if (!whole) return next(line);
    if (line.size() > kMaxMessageBytes) return Got::too_long;
    return Got::line;
  }

  void add(const char* data, std::size_t size) { buffer_.append(data, size); }

 private:
  void clear() {
    buffer_.clear();
    searched_ = 0;
  }

  std::string buffer_;
  std::size_t searched_ = 0;
  bool dropping_ = false;
};

/// One client on two descriptors.
class LineSession {
 public:
  LineSession(Server& server, int out)
      : server_(server), writer_(out), connection_(server.options().max_calls) {}
  ~LineSession() {
    connection_.cancel_all();
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [&] { return running_ == 0; });
  }
  /// Until nothing is under way: a client that sent its last question may still read answers.
  void finish(const StopSignal& stop) {
    std::unique_lock lock(mutex_);
    while (running_ > 0 && !stop.requested() && !writer_.gone()) {
      idle_.wait_for(lock, std::chrono::milliseconds(200));
    }
  }
  LineSession(const LineSession&) = delete;
  LineSession& operator=(const LineSession&) = delete;

  void take(const std::string& line) {
    if (line.find_first_not_of(" \t\r") == line.npos) return;
    auto parsed = parse_text(line);
    if (const auto* error = std::get_if<RpcError>(&parsed)) {
      writer_.write(failure(nullptr, *error));
      return;
    }
    const Json& value = std::get<Json>(parsed);
    if (value.is_array()) return take_batch(value);
    start(message_of(value));
  }

  void too_long() {
    writer_.write(failure(
        nullptr, {RpcCode::invalid_request,
                  "a message may have at most " + std::to_string(kMaxMessageBytes) + " bytes"}));
  }

  [[nodiscard]] bool gone() const { return writer_.gone(); }

 private:
  /// One version of the protocol had them.
  void take_batch(const Json& batch) {
    if (connection_.version() != "2025-03-26") {
      writer_.write(failure(
          nullptr, {RpcCode::invalid_request, "batches are not part of this protocol version"}));
      return;
    }
    if (batch.empty() || batch.size() > kMaxBatch) {
      writer_.write(
          failure(nullptr, {RpcCode::invalid_request,
                            "a batch has 1 to " + std::to_string(kMaxBatch) + " messages"}));
      return;
    }
    Json answers = Json::array();
    for (const Json& value : batch) {
      if (auto reply = server_.handle(message_of(value), connection_, writer_)) {
        answers.push_back(std::move(*reply));
      }
    }
    if (!answers.empty()) writer_.write(answers);
  }

  void handle(const Message& message) {
    if (auto reply = server_.handle(message, connection_, writer_)) writer_.write(*reply);
  }

  /// Slow calls on threads of their own, so that cancellations and short questions are heard.
  void start(Message message) {
    if (!Server::is_slow(message)) return handle(message);
    {
      const std::lock_guard lock(mutex_);
      if (running_ >= server_.options().max_calls) {
        const Json id = std::get<Call>(message).id;
        if (!id.is_null()) {
          writer_.write(failure(id, {RpcCode::busy, "busy: too many calls are under way"}));
        }
        return;
      }
      ++running_;
    }
    connection_.expect(std::get<Call>(message).id);
    std::thread([this, message = std::move(message)] {
      handle(message);
      const std::lock_guard lock(mutex_);
      --running_;
      idle_.notify_all();
    }).detach();
  }

  Server& server_;
  LineWriter writer_;
  Connection connection_;
  std::mutex mutex_;
  std::condition_variable idle_;
  std::size_t running_ = 0;
};

}  // namespace

Status serve_lines(Server& server, int in, int out, const StopSignal& stop) {
  LineSession session(server, out);
  LineReader reader;
  std::string line;
  char bytes[kReadBytes];
  while (!session.gone() && !stop.requested()) {
    const auto got = reader.next(line);
    if (got == LineReader::Got::line) session.take(line);
    if (got == LineReader::Got::too_long) session.too_long();
    if (got != LineReader::Got::nothing) continue;
    pollfd waiters[3] = {{in, POLLIN, 0}, {stop.fd(), POLLIN, 0}, {out, 0, 0}};
    if (::poll(waiters, 3, -1) < 0 && errno != EINTR) {
      return Error{std::string("waiting for input: ") + std::strerror(errno)};
    }
    if (waiters[0].revents == 0) continue;
    const ssize_t count = ::read(in, bytes, sizeof bytes);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count < 0) return Error{std::string("reading input: ") + std::strerror(errno)};
    if (count == 0) break;
    reader.add(bytes, static_cast<std::size_t>(count));
  }
  session.finish(stop);
  return {};
}

}  // namespace warpwright::mcp
