// SPDX-License-Identifier: Apache-2.0
#include "report/server.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <thread>

#include <httplib.h>

#include "report/live.h"
#include "report/run_document.h"

namespace warpwright::report {

namespace {

using httplib::Request;
using httplib::Response;
using std::chrono::milliseconds;

constexpr int kMaxStreams = 32;  // the other threads answer pages and texts
constexpr auto kLookEvery = milliseconds(300);
constexpr auto kKeepAliveEvery = std::chrono::seconds(10);

/// Waits until the stop signal or the time is over; true when stopped.
bool stopped_within(const StopSignal& stop, milliseconds time) {
  if (stop.requested()) return true;
  pollfd waiter{stop.fd(), POLLIN, 0};
  ::poll(&waiter, 1, static_cast<int>(time.count()));
  return stop.requested();
}

/// "127.0.0.1:8420" and the other names of this server; anything else is somebody's DNS name that
/// was made to point here.
bool is_own_host(std::string_view host, int port) {
  const std::string suffix = ":" + std::to_string(port);
  for (const std::string_view name : {"127.0.0.1", "localhost", "[::1]"}) {
    if (host == std::string(name) + suffix) return true;
    if (port == 80 && host == name) return true;
  }
  return false;
}

bool is_own_origin(const std::string& origin, int port) {
  constexpr std::string_view kScheme = "http://";
  return origin.starts_with(kScheme) && is_own_host(origin.substr(kScheme.size()), port);
}

/// Empty when the request comes from where it may, else what is wrong with it.
std::string origin_objection(const Request& request, int port) {
  if (request.get_header_value_count("Host") != 1 ||
      !is_own_host(request.get_header_value("Host"), port)) {
    return "this server answers to 127.0.0.1 and localhost only";
  }
  if (request.has_header("Origin") && !is_own_origin(request.get_header_value("Origin"), port)) {
    return "pages of other origins get nothing";
  }
  const std::string site = request.get_header_value("Sec-Fetch-Site");
  const bool navigation = request.get_header_value("Sec-Fetch-Mode") == "navigate" &&
                          request.get_header_value("Sec-Fetch-Dest") == "document";
  if (!site.empty() && site != "same-origin" && site != "none" && !navigation) {
    return "pages of other sites get nothing";
  }
  return "";
}

/// A refusal: a status and what is wrong. Status 0: none.
struct Refusal {
  int status = 0;
  std::string why;
};

/// Takes as long whatever is different.
bool same_secret(const std::string& given, const std::string& wanted) {
  unsigned char different = given.size() == wanted.size() ? 0 : 1;
  for (std::size_t i = 0; i < given.size(); ++i) {
    different |=
        static_cast<unsigned char>(given[i] ^ wanted[i % std::max<std::size_t>(wanted.size(), 1)]);
  }
  return different == 0 && !wanted.empty();
}

/// What is known before the first byte of a body is read.
Refusal endpoint_refusal(const Request& request, const Endpoint& endpoint,
                         const std::string& token) {
  if (!endpoint.open && request.get_header_value_count("Authorization") != 1) {
    return {401, "this needs the server's token: Authorization: Bearer TOKEN"};
  }
  if (!endpoint.open &&
      !same_secret(request.get_header_value("Authorization"), "Bearer " + token)) {
    return {401, "this needs the server's token: Authorization: Bearer TOKEN"};
  }
  if (std::find(endpoint.methods.begin(), endpoint.methods.end(), request.method) ==
      endpoint.methods.end()) {
    return {405, "this address has no such method"};
  }
  // The library counts neither the bytes of chunks nor what a packed body unpacks to.
  if (request.has_header("Transfer-Encoding")) return {411, "a body needs a Content-Length"};
  if (request.has_header("Content-Encoding")) return {415, "bodies are not packed here"};
  const std::string length = request.get_header_value("Content-Length");
  if (length.size() > 12 || length.find_first_not_of("0123456789") != length.npos ||
      request.get_header_value_count("Content-Length") > 1) {
    return {400, "Content-Length is a number"};
  }
  if (!length.empty() && std::stoull(length) > endpoint.max_body_bytes) {
    return {413, "a body may have at most " + std::to_string(endpoint.max_body_bytes) + " bytes"};
  }
  return {};
}

void set_headers(Response& response) {
  constexpr std::array<std::pair<const char*, const char*>, 6> kHeaders = {{
      {"X-Content-Type-Options", "nosniff"},
      {"X-Frame-Options", "DENY"},
      {"Referrer-Policy", "no-referrer"},
      {"Cross-Origin-Opener-Policy", "same-origin"},
      {"Cross-Origin-Resource-Policy", "same-origin"},
      {"Cache-Control", "no-store"},
  }};
  for (const auto& [name, value] : kHeaders) response.set_header(name, value);
}

void answer_text(Response& response, int status, const std::string& text) {
  response.status = status;
  response.set_content(text, "text/plain; charset=utf-8");
}

void answer_page(Response& response, const Result<Page>& page) {
  if (!page.ok()) return answer_text(response, 404, page.error().message + "\n");
  const RenderedPage rendered = render(*page);
  response.set_header("Content-Security-Policy", rendered.policy + "; frame-ancestors 'none'");
  response.set_content(rendered.html, "text/html; charset=utf-8");
}

std::string event_text(const News& news) {
  return "id: " + news.id + "\nevent: news\ndata: " + news.data + "\n\n";
}

/// One listening page. Lives in one thread of the server until the page or the server goes.
template <class Follower>
class Stream {
 public:
  Stream(std::unique_ptr<Follower> follower, const StopSignal& stop, std::atomic<int>& count)
      : follower_(std::move(follower)), stop_(stop), count_(count) {}
  ~Stream() { --count_; }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  /// Sends what is new; false when nobody listens any more.
  bool serve(httplib::DataSink& sink) {
    const auto start = std::chrono::steady_clock::now();
    const auto news = follower_->look();
    const auto now = std::chrono::steady_clock::now();
    std::string text;
    if (news.ok() && news->has_value()) text = event_text(**news);
    if (text.empty() && now - spoke_ >= kKeepAliveEvery) text = ": still here\n\n";
    if (!text.empty()) {
      if (!sink.write(text.data(), text.size())) return false;
      spoke_ = now;
    }
    // A long run takes longer to read: keep the share of time spent reading small.
    const auto cost = std::chrono::duration_cast<milliseconds>(now - start);
    if (stopped_within(stop_, std::max<milliseconds>(kLookEvery, 5 * cost))) sink.done();
    return true;
  }

 private:
  std::unique_ptr<Follower> follower_;
  const StopSignal& stop_;
  std::atomic<int>& count_;
  std::chrono::steady_clock::time_point spoke_{};  // long ago: the first look says something
};

/// So many requests a second, and as many at once as five seconds bring.
class Pace {
 public:
  explicit Pace(double per_s) : per_s_(per_s), left_(kBurst * per_s) {}

  bool take() {
    if (per_s_ <= 0) return true;
    const std::lock_guard lock(mutex_);
    const auto now = std::chrono::steady_clock::now();
    left_ += std::chrono::duration<double>(now - last_).count() * per_s_;
    left_ = std::min(left_, kBurst * per_s_);
    last_ = now;
    if (left_ < 1) return false;
    left_ -= 1;
    return true;
  }

 private:
  static constexpr double kBurst = 5;
  double per_s_;
  double left_;
  std::mutex mutex_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

class Server {
 public:
  Server(const Library& library, const Clock& clock, const StopSignal& stop,
         const ServerOptions& options)
      : library_(library),
        clock_(clock),
        stop_(stop),
        options_(options),
        pace_(options.requests_per_s) {
    http_.new_task_queue = [threads = options_.threads] {
      return new httplib::ThreadPool(static_cast<std::size_t>(threads));
    };
    // The library's default would let a second server take the same port and half the requests.
    http_.set_socket_options([](socket_t socket) {
      const int on = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    });
    std::size_t largest = 0;
    for (const auto& endpoint : options_.endpoints) {
      largest = std::max(largest, endpoint.max_body_bytes);
    }
    http_.set_payload_max_length(largest);
    // One request per connection: a refused body is never read, and must not be taken for the next
    // request.
    if (largest > 0) http_.set_keep_alive_max_count(1);
    http_.set_pre_routing_handler([this](const Request& request, Response& response) {
      set_headers(response);
      const Refusal refusal = refusal_of(request);
      if (refusal.status == 0) return httplib::Server::HandlerResponse::Unhandled;
      if (refusal.status == 429) response.set_header("Retry-After", "1");
      if (refusal.status == 401) response.set_header("WWW-Authenticate", "Bearer");
      answer_text(response, refusal.status, refusal.why + "\n");
      return httplib::Server::HandlerResponse::Handled;
    });
    if (options_.pages) {
      add_pages();
      add_streams();
    }
    for (const auto& endpoint : options_.endpoints) add_endpoint(endpoint);
  }

  Status run() {
    const ServerOptions& options = options_;
    port_ = options.port != 0 && http_.bind_to_port("127.0.0.1", options.port) ? options.port : 0;
    if (options.port == 0) port_ = http_.bind_to_any_port("127.0.0.1");
    if (port_ <= 0) {
      return Error{"cannot listen on 127.0.0.1, port " + std::to_string(options.port) +
                   ": another program may have it; choose one with --port"};
    }
    std::atomic<bool> done{false};
    std::thread watcher([this, &done] {
      while (!done && !stopped_within(stop_, milliseconds(500))) {
      }
      // Told before it listens, the server would not hear it, and listen for ever.
      while (!done && !http_.is_running()) std::this_thread::sleep_for(milliseconds(1));
      http_.stop();
    });
    if (options.on_listening) options.on_listening(port_);
    const bool ended = http_.listen_after_bind();
    done = true;
    watcher.join();
    if (!ended && !stop_.requested()) return Error{"the server ended by itself"};
    return {};
  }

 private:
  [[nodiscard]] const Endpoint* endpoint_at(const std::string& path) const {
    for (const auto& endpoint : options_.endpoints) {
      if (endpoint.path == path) return &endpoint;
    }
    for (const auto& endpoint : options_.endpoints) {
      if (endpoint.below && path.starts_with(endpoint.path + "/")) return &endpoint;
    }
    return nullptr;
  }

  [[nodiscard]] Refusal refusal_of(const Request& request) {
    const Endpoint* endpoint = endpoint_at(request.path);
    if (endpoint == nullptr && request.method != "GET" && request.method != "HEAD") {
      return {405, "this server only shows"};
    }
    if (std::string wrong = origin_objection(request, port_); !wrong.empty()) return {403, wrong};
    if (endpoint == nullptr) return {};
    const Refusal refusal = endpoint_refusal(request, *endpoint, options_.token);
    if (refusal.status == 0 && !pace_.take()) return {429, "too many requests a second"};
    return refusal;
  }

  void add_endpoint(const Endpoint& endpoint) {
    const auto handle = [this, &endpoint](const Request& request, Response& response) {
      const WebRequest in{request.method, request.path, request.body,
                          [&](const char* name) { return request.get_header_value(name); },
                          [&](const char* name) { return request.get_param_value(name); }};
      WebAnswer out = endpoint.answer(in);
      response.status = out.status;
      for (const auto& [name, value] : out.headers) response.set_header(name, value);
      if (!out.stream) {
        if (!out.body.empty()) response.set_content(out.body, out.type);
        return;
      }
      response.set_chunked_content_provider(
          out.type, [stream = std::move(out.stream)](std::size_t, httplib::DataSink& sink) {
            bool heard = true;
            stream([&](std::string_view chunk) {
              heard = heard && sink.write(chunk.data(), chunk.size());
              return heard;
            });
            if (heard) sink.done();
            return heard;
          });
    };
    const std::string path = endpoint.path + (endpoint.below ? "(?:/.*)?" : "");
    http_.Get(path, handle);
    http_.Post(path, handle);
    http_.Delete(path, handle);
  }

  void add_pages() {
    http_.Get("/", [this](const Request&, Response& response) {
      answer_page(response, IndexFollower(library_, clock_, "", options_.fleet).page());
    });
    http_.Get(R"(/run/([0-9a-f]+)/(.+))", [this](const Request& request, Response& response) {
      RunFollower follower(library_, clock_, request.matches[1], request.matches[2], "");
      answer_page(response, follower.page());
    });
    http_.Get(R"(/report/([0-9a-f]+)/(.+))", [this](const Request& request, Response& response) {
      answer_page(response, whole_page(request.matches[1], request.matches[2]));
      response.set_header("Content-Disposition", "attachment; filename=\"report.html\"");
    });
    http_.Get(R"(/text/([0-9a-f]+)/(.+))", [this](const Request& request, Response& response) {
      const auto text = text_of(request);
      if (!text.ok()) return answer_text(response, 404, text.error().message + "\n");
      if (!text->has_value()) return answer_text(response, 404, "there is no such text\n");
      answer_text(response, 200, **text);
    });
  }

  void add_streams() {
    http_.Get("/events/index", [this](const Request& request, Response& response) {
      stream(response,
             std::make_unique<IndexFollower>(library_, clock_, last_of(request), options_.fleet));
    });
    http_.Get(
        R"(/events/run/([0-9a-f]+)/(.+))", [this](const Request& request, Response& response) {
          stream(response, std::make_unique<RunFollower>(library_, clock_, request.matches[1],
                                                         request.matches[2], last_of(request)));
        });
  }

  template <class Follower>
  void stream(Response& response, std::unique_ptr<Follower> follower) {
    if (++streams_ > kMaxStreams) {
      --streams_;
      response.set_header("Retry-After", "10");
      return answer_text(response, 503, "too many pages listen\n");
    }
    const auto listener = std::make_shared<Stream<Follower>>(std::move(follower), stop_, streams_);
    response.set_chunked_content_provider(
        "text/event-stream",
        [listener](std::size_t, httplib::DataSink& sink) { return listener->serve(sink); });
  }

  static std::string last_of(const Request& request) {
    if (request.has_header("Last-Event-ID")) return request.get_header_value("Last-Event-ID");
    return request.get_param_value("last");
  }

  Result<Page> whole_page(const std::string& archive_key, const std::string& id) {
    WW_TRY(const auto archive, library_.open(archive_key, clock_));
    WW_TRY(const auto run, run_named(*archive, id));
    return run_page(*archive, run.id, {.made_ms = clock_.unix_ms()});
  }

  Result<std::optional<std::string>> text_of(const Request& request) {
    WW_TRY(const auto archive, library_.open(request.matches[1], clock_));
    return linked_text(*archive, request.matches[2], request.get_param_value("link"));
  }

  const Library& library_;
  const Clock& clock_;
  const StopSignal& stop_;
  const ServerOptions& options_;
  Pace pace_;
  httplib::Server http_;
  std::atomic<int> streams_{0};
  int port_ = 0;
};

}  // namespace

Status serve(const Library& library, const Clock& clock, const StopSignal& stop,
             const ServerOptions& options) {
  return Server(library, clock, stop, options).run();
}

}  // namespace warpwright::report
