// SPDX-License-Identifier: Apache-2.0
#include "llm/http.h"

#include <algorithm>
#include <ctime>
#include <memory>

#include <curl/curl.h>

#include "base/text.h"
#include "llm/answer.h"

namespace warpwright::llm {

namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

constexpr std::size_t kMaxHeaderBytes = std::size_t{256} << 10;
constexpr std::size_t kMaxErrorBodyBytes = std::size_t{64} << 10;

struct CloseEasy {
  void operator()(CURL* handle) const { ::curl_easy_cleanup(handle); }
};
struct CloseMulti {
  void operator()(CURLM* handle) const { ::curl_multi_cleanup(handle); }
};
struct FreeList {
  void operator()(curl_slist* list) const { ::curl_slist_free_all(list); }
};
using Easy = std::unique_ptr<CURL, CloseEasy>;
using Multi = std::unique_ptr<CURLM, CloseMulti>;
using HeaderList = std::unique_ptr<curl_slist, FreeList>;

/// What the callbacks share.
struct Transfer {
  const HttpRequest& request;
  HttpResponse response;
  SteadyTime last_byte = std::chrono::steady_clock::now();
  std::size_t header_bytes = 0;
  std::size_t body_bytes = 0;
  bool refused = false;

  bool refuse(std::string why) {
    refused = true;
    response.why = std::move(why);
    return false;
  }

  bool take_header(std::string_view line) {
    last_byte = std::chrono::steady_clock::now();
    header_bytes += line.size();
    if (header_bytes > kMaxHeaderBytes) return refuse("the response's headers never end");
    if (line.starts_with("HTTP/")) {
      const auto space = line.find(' ');
      const std::string_view code = space == std::string_view::npos ? "" : line.substr(space + 1);
      response.status = std::atoi(std::string(code.substr(0, 3)).c_str());
      response.content_type.clear();
      response.hints = {};
      return true;
    }
    take_hint(response.hints, line, static_cast<std::int64_t>(std::time(nullptr)));
    keep_header(line, "content-type:", response.content_type);
    keep_header(line, "location:", response.location);
    return true;
  }

  static void keep_header(std::string_view line, std::string_view name, std::string& kept) {
    if (line.size() <= name.size()) return;
    for (std::size_t i = 0; i < name.size(); ++i) {
      if ((line[i] >= 'A' && line[i] <= 'Z' ? line[i] + 32 : line[i]) != name[i]) return;
    }
    kept = clean_utf8(trimmed(line.substr(name.size()))).substr(0, 500);
  }

  bool take_body(std::string_view piece) {
    last_byte = std::chrono::steady_clock::now();
    body_bytes += piece.size();
    if (body_bytes > kMaxAnswerBytes) {
      return refuse("the response is longer than " + std::to_string(kMaxAnswerBytes >> 20) +
                    " MiB");
    }
    if (response.status / 100 != 2) {
      const std::size_t room =
          kMaxErrorBodyBytes - std::min(kMaxErrorBodyBytes, response.error_body.size());
      response.error_body.append(piece.substr(0, room));
      return true;
    }
    if (request.on_body(piece)) return true;
    return refuse("the response was not understood");
  }
};

std::size_t on_header(char* data, std::size_t size, std::size_t count, void* context) {
  auto* transfer = static_cast<Transfer*>(context);
  return transfer->take_header({data, size * count}) ? size * count : 0;
}

std::size_t on_body(char* data, std::size_t size, std::size_t count, void* context) {
  auto* transfer = static_cast<Transfer*>(context);
  return transfer->take_body({data, size * count}) ? size * count : 0;
}

HeaderList make_headers(const HttpRequest& request) {
  HeaderList list;
  const auto add = [&](const char* header) {
    if (curl_slist* longer = ::curl_slist_append(list.get(), header)) {
      [[maybe_unused]] auto* old = list.release();
      list.reset(longer);
    }
  };
  add("Content-Type: application/json");
  add("Accept: text/event-stream, application/json");
  // No waiting for "100 Continue": some servers never send it.
  add("Expect:");
  for (const auto& header : request.headers) add(header.c_str());
  return list;
}

void set_options(CURL* easy, const HttpRequest& request, const curl_slist* headers,
                 Transfer& transfer) {
  ::curl_easy_setopt(easy, CURLOPT_URL, request.url.c_str());
  ::curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  ::curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
  ::curl_easy_setopt(easy, CURLOPT_POST, 1L);
  ::curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request.body.data());
  ::curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
                     static_cast<curl_off_t>(request.body.size()));
  ::curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
  ::curl_easy_setopt(easy, CURLOPT_USERAGENT, "warpwright");
  ::curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  // Set even when empty: curl must not look into an environment of its own.
  ::curl_easy_setopt(easy, CURLOPT_PROXY, request.proxy.c_str());
  if (!request.ca_file.empty()) ::curl_easy_setopt(easy, CURLOPT_CAINFO, request.ca_file.c_str());
  if (!request.ca_dir.empty()) ::curl_easy_setopt(easy, CURLOPT_CAPATH, request.ca_dir.c_str());
  ::curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
                     static_cast<long>(request.connect_timeout.count()));
  ::curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, static_cast<long>(request.total_timeout.count()));
  ::curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  ::curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
  ::curl_easy_setopt(easy, CURLOPT_HEADERDATA, &transfer);
  ::curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
  ::curl_easy_setopt(easy, CURLOPT_WRITEDATA, &transfer);
}

/// Runs until the transfer ends or nothing came for too long. libcurl's own idle limit counts in
/// whole seconds and speeds; ours is one clock.
CURLcode drive(CURLM* multi, const Transfer& transfer, bool& idle) {
  const auto limit = transfer.request.idle_timeout;
  for (int running = 1; running > 0;) {
    if (::curl_multi_perform(multi, &running) != CURLM_OK) return CURLE_FAILED_INIT;
    if (running == 0) break;
    const auto quiet = std::chrono::steady_clock::now() - transfer.last_byte;
    if (limit.count() > 0 && quiet > limit) {
      idle = true;
      return CURLE_OPERATION_TIMEDOUT;
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(limit - quiet).count();
    const auto wait = limit.count() > 0 ? std::clamp<std::int64_t>(left, 1, 1000) : 1000;
    ::curl_multi_poll(multi, nullptr, 0, static_cast<int>(wait), nullptr);
  }
  int left = 0;
  const CURLMsg* message = ::curl_multi_info_read(multi, &left);
  return message != nullptr && message->msg == CURLMSG_DONE ? message->data.result
                                                            : CURLE_FAILED_INIT;
}

bool never_sent(CURLcode code) {
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_CONNECT:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_FAILED_INIT:
      return true;
    default:
      return false;
  }
}

bool will_never_be_sent(CURLcode code) {
  return code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE ||
         code == CURLE_URL_MALFORMAT || code == CURLE_UNSUPPORTED_PROTOCOL;
}

HttpEnd end_of(CURLcode code, const Transfer& transfer, bool idle, bool sent) {
  if (transfer.refused) return HttpEnd::refused;
  if (code == CURLE_OK) return HttpEnd::complete;
  if (will_never_be_sent(code)) return HttpEnd::misplaced;
  if (never_sent(code) || !sent) return HttpEnd::not_sent;
  if (idle) return HttpEnd::idle;
  if (code == CURLE_OPERATION_TIMEDOUT) return HttpEnd::timeout;
  return transfer.response.status > 0 ? HttpEnd::cut : HttpEnd::no_response;
}

}  // namespace

HttpResponse http_post(const HttpRequest& request) {
  Transfer transfer{.request = request, .response = {}};
  // The list must outlive the handle that points into it, the handle its place in the multi.
  const HeaderList headers = make_headers(request);
  const Easy easy(::curl_easy_init());
  const Multi multi(::curl_multi_init());
  if (easy == nullptr || multi == nullptr) {
    transfer.response.why = "libcurl could not be started";
    return transfer.response;
  }
  char detail[CURL_ERROR_SIZE] = "";
  set_options(easy.get(), request, headers.get(), transfer);
  ::curl_easy_setopt(easy.get(), CURLOPT_ERRORBUFFER, detail);
  ::curl_multi_add_handle(multi.get(), easy.get());
  bool idle = false;
  const CURLcode code = drive(multi.get(), transfer, idle);
  curl_off_t connected_us = 0;
  ::curl_easy_getinfo(easy.get(), CURLINFO_PRETRANSFER_TIME_T, &connected_us);
  ::curl_multi_remove_handle(multi.get(), easy.get());
  HttpResponse& response = transfer.response;
  response.end = end_of(code, transfer, idle, connected_us > 0);
  if (response.end == HttpEnd::idle) {
    response.why = "nothing came for " + std::to_string(request.idle_timeout.count()) + " ms";
  } else if (response.end != HttpEnd::complete && response.why.empty()) {
    response.why = clean_utf8(detail[0] != '\0' ? detail : ::curl_easy_strerror(code));
  }
  return response;
}

}  // namespace warpwright::llm
