// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "llm/retry.h"

namespace warpwright::llm {

struct HttpRequest {
  std::string url;
  std::vector<std::string> headers;
  std::string body;
  std::string proxy;  ///< empty: none
  std::string ca_file;
  std::string ca_dir;
  std::chrono::milliseconds connect_timeout{0};
  std::chrono::milliseconds idle_timeout{0};
  std::chrono::milliseconds total_timeout{0};
  /// Called with each piece of a 2xx body; false ends the transfer.
  std::function<bool(std::string_view)> on_body;
};

enum class HttpEnd : int {
  complete = 0,
  not_sent = 1,     ///< no connection: the provider never saw the request
  no_response = 2,  ///< the request may have been seen, but no status came back
  cut = 3,          ///< the response began and did not end
  idle = 4,
  timeout = 5,
  refused = 6,    ///< on_body said so, or the response outgrew our limits
  misplaced = 7,  ///< never sent, and never will be: a bad URL, certificate or certificate file
};

struct HttpResponse {
  HttpEnd end = HttpEnd::not_sent;
  int status = 0;  ///< 0: none came
  std::string content_type;
  std::string location;
  std::string error_body;  ///< start of a body that is not 2xx
  std::string why;         ///< when not complete
  RetryHints hints;
};

/// One POST. Redirects are not followed, so a key never travels to a place nobody named.
HttpResponse http_post(const HttpRequest& request);

}  // namespace warpwright::llm
