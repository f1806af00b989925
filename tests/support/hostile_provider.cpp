// SPDX-License-Identifier: Apache-2.0
#include "support/hostile_provider.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/sha256.h"
#include "support/hostile_acts.h"

namespace warpwright::hostile {

namespace fs = std::filesystem;

namespace {

std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> words;
  while (!list.empty()) {
    const auto comma = list.find(',');
    words.emplace_back(list.substr(0, comma));
    if (comma == std::string_view::npos) break;
    list.remove_prefix(comma + 1);
  }
  return words;
}

const Act* find_act(std::string_view name) {
  for (const Act& act : act_table()) {
    if (act.name == name) return &act;
  }
  return nullptr;
}

Result<std::vector<std::string>> read_answers(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code code;
  for (const auto& entry : fs::directory_iterator(folder, code)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<std::string> answers;
  for (const fs::path& file : files) {
    WW_TRY(std::string text, read_file(file));
    answers.push_back(std::move(text));
  }
  if (answers.empty()) return Error{"no answers in '" + folder.string() + "'"};
  return answers;
}

Result<FileDescriptor> listen_on(int wanted, int& port) {
  FileDescriptor listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  ::setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(wanted));
  socklen_t size = sizeof address;
  if (::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      ::listen(listener.get(), 64) != 0 ||
      ::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    return Error{std::string("cannot listen on loopback: ") + std::strerror(errno)};
  }
  port = ntohs(address.sin_port);
  return listener;
}

}  // namespace

std::string default_answer(std::string_view body) {
  return "Here is the kernel.\n\n```cuda\n// question " + sha256_hex(body).substr(0, 12) +
         "\n__global__ void scale(float* x, int n) {\n"
         "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "  if (i < n) x[i] *= 2.0f;\n}\n"
         "extern \"C\" void solve(float* x, int n) { scale<<<(n + 255) / 256, 256>>>(x, n); "
         "}\n```\n";
}

std::vector<std::string> acts() {
  std::vector<std::string> names;
  for (const Act& act : act_table()) names.emplace_back(act.name);
  return names;
}

Result<std::unique_ptr<Provider>> Provider::start(const Options& options) {
  for (const std::string& name : split(options.scenario)) {
    if (find_act(name) == nullptr) return Error{"no act is called '" + name + "'"};
  }
  int port = 0;
  WW_TRY(FileDescriptor listener, listen_on(options.port, port));
  std::unique_ptr<Provider> provider(new Provider(options, std::move(listener), port));
  if (!options.answers.empty()) {
    WW_TRY(provider->answers_, read_answers(options.answers));
  }
  provider->acceptor_ = std::thread([raw = provider.get()] { raw->accept_connections(); });
  return provider;
}

Provider::Provider(const Options& options, FileDescriptor listener, int port)
    : options_(options),
      script_(split(options.scenario)),
      listener_(std::move(listener)),
      port_(port) {}

Provider::~Provider() {
  stopping_ = true;
  ::shutdown(listener_.get(), SHUT_RDWR);
  if (acceptor_.joinable()) acceptor_.join();
  {
    const std::scoped_lock guard(mutex_);
    for (const int socket : open_sockets_) ::shutdown(socket, SHUT_RDWR);
  }
  for (std::thread& thread : threads_) thread.join();
}

std::string Provider::base_url() const {
  return "http://127.0.0.1:" + std::to_string(port_) + "/v1";
}

std::vector<Served> Provider::served() const {
  const std::scoped_lock guard(mutex_);
  return served_;
}

int Provider::paid() const {
  const auto all = served();
  return static_cast<int>(
      std::count_if(all.begin(), all.end(), [](const Served& one) { return one.paid; }));
}

void Provider::accept_connections() {
  while (!stopping_) {
    const int socket = ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) {
      if (errno == EINTR || errno == ECONNABORTED) continue;
      return;
    }
    {
      const std::scoped_lock guard(mutex_);
      open_sockets_.push_back(socket);
    }
    threads_.emplace_back([this, socket] { serve(socket); });
  }
}

std::string Provider::act_for(int number) const {
  const auto index = std::min(static_cast<std::size_t>(number - 1), script_.size() - 1);
  return script_[index];
}

void Provider::serve(int socket) {
  Exchange exchange(socket, stopping_);
  exchange.chunk_delay_ms = options_.chunk_delay_ms;
  if (exchange.receive()) {
    const int number = ++requests_;
    const std::string act = act_for(number);
    exchange.text = answers_.empty()
                        ? default_answer(exchange.body)
                        : answers_[static_cast<std::size_t>(number - 1) % answers_.size()];
    const int now = ++at_once_;
    for (int most = most_at_once_; now > most && !most_at_once_.compare_exchange_weak(most, now);) {
    }
    find_act(act)->play(exchange);
    --at_once_;
    finish({number, act, exchange.path, exchange.key, exchange.body, exchange.paid});
  }
  const std::scoped_lock guard(mutex_);
  std::erase(open_sockets_, socket);
  ::shutdown(socket, SHUT_WR);
  ::close(socket);
}

void Provider::finish(const Served& served) {
  const std::scoped_lock guard(mutex_);
  served_.push_back(served);
  if (options_.log.empty()) return;
  const nlohmann::json line = {{"number", served.number},
                               {"act", served.act},
                               {"path", served.path},
                               {"paid", served.paid},
                               {"body_sha256", sha256_hex(served.body)},
                               {"body_bytes", served.body.size()}};
  std::ofstream(options_.log, std::ios::app) << line.dump() << "\n";
}

}  // namespace warpwright::hostile
