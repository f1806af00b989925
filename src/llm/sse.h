// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace warpwright::llm {

/// Cuts a stream of server-sent events into events, whatever the pieces it arrives in. Lines end
/// with LF, CRLF or CR; comment lines (keep-alives) and unknown fields are skipped; several
/// `data:` lines of one event are joined by a newline; events without data are not reported.
class SseParser {
 public:
  /// name is the event's `event:` field, often empty. Returning false ends the parsing.
  using Sink = std::function<bool(std::string_view name, std::string_view data)>;

  explicit SseParser(Sink sink) : sink_(std::move(sink)) {}

  /// False when the sink said so, or a single line or event outgrew kMaxEventBytes.
  [[nodiscard]] bool feed(std::string_view bytes);
  /// End of stream: an event whose closing blank line never came is still reported.
  [[nodiscard]] bool finish();

  static constexpr std::size_t kMaxEventBytes = std::size_t{16} << 20;

 private:
  bool end_line();
  bool dispatch();

  Sink sink_;
  std::string line_;
  std::string name_;
  std::string data_;
  bool has_data_ = false;
  bool after_cr_ = false;
  bool first_line_ = true;
  bool stopped_ = false;
};

}  // namespace warpwright::llm
