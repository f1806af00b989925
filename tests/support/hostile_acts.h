// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <span>
#include <string>
#include <string_view>

namespace warpwright::hostile {

/// One request and the socket to answer it on.
class Exchange {
 public:
  Exchange(int socket, const std::atomic<bool>& stopping) : socket_(socket), stopping_(stopping) {}

  std::string path;
  std::string key;
  std::string body;
  std::string text;  ///< what a good answer says
  int chunk_delay_ms = 0;
  bool paid = false;

  /// Reads the request; false when the client went away or talks nonsense.
  bool receive();
  /// False when the client went away.
  bool send(std::string_view bytes) const;
  bool send_head(int status, std::string_view content_type, std::string_view more = {}) const;
  /// A whole response with its length.
  bool send_whole(int status, std::string_view content_type, std::string_view content,
                  std::string_view more_headers = {}) const;
  [[nodiscard]] bool pause(int milliseconds) const;
  /// Says nothing until the client leaves or the server ends.
  void hang() const;
  [[nodiscard]] bool speaks_anthropic() const { return path.ends_with("/messages"); }
  [[nodiscard]] bool wants_stream() const;

 private:
  int socket_;
  const std::atomic<bool>& stopping_;
};

struct Act {
  std::string_view name;
  void (*play)(Exchange& exchange);
};

std::span<const Act> act_table();

}  // namespace warpwright::hostile
