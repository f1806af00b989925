// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpwright::report {

/// A request to an endpoint. It named this host, came from no foreign page and had the token.
struct WebRequest {
  std::string method;
  std::string path;
  std::string body;
  std::function<std::string(const char* name)> header;          ///< empty where there is none
  std::function<std::string(const char* name)> parameter = {};  ///< of the query, likewise
};

/// Writes a piece of a stream; false when nobody listens any more.
using WriteChunk = std::function<bool(std::string_view chunk)>;

struct WebAnswer {
  int status = 200;
  std::string type = "application/json";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
  /// Instead of a body: called once, writes all there is to say.
  std::function<void(const WriteChunk& write)> stream;
};

/// A path that another part of the program answers, in this program's one HTTP server. The token is
/// asked for unless it is open.
struct Endpoint {
  std::string path;
  std::vector<std::string> methods;  ///< that are answered; others get a 405
  std::size_t max_body_bytes = 0;
  std::function<WebAnswer(const WebRequest& request)> answer;
  bool below = false;  ///< it answers the paths below its own, too
  bool open = false;   ///< whoever reaches this host may ask, without the token
};

}  // namespace warpwright::report
