// SPDX-License-Identifier: Apache-2.0
#include "llm/sse.h"

namespace warpwright::llm {

bool SseParser::feed(std::string_view bytes) {
  while (!bytes.empty() && !stopped_) {
    if (after_cr_ && bytes[0] == '\n') bytes.remove_prefix(1);
    after_cr_ = false;
    const auto end = bytes.find_first_of("\r\n");
    line_.append(bytes.substr(0, end));
    if (line_.size() + data_.size() > kMaxEventBytes) {
      stopped_ = true;
      break;
    }
    if (end == std::string_view::npos) break;
    after_cr_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    if (!end_line()) stopped_ = true;
  }
  return !stopped_;
}

bool SseParser::finish() {
  if (stopped_) return false;
  if (!line_.empty() && !end_line()) return false;
  return dispatch();
}

bool SseParser::end_line() {
  const std::string line = std::move(line_);
  line_.clear();
  std::string_view rest = line;
  if (first_line_ && rest.starts_with("\xEF\xBB\xBF")) rest.remove_prefix(3);
  first_line_ = false;
  if (rest.empty()) return dispatch();
  if (rest[0] == ':') return true;
  const auto colon = rest.find(':');
  const auto field = rest.substr(0, colon);
  std::string_view value;
  if (colon != std::string_view::npos) value = rest.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (field == "event") name_ = value;
  if (field == "data") {
    if (has_data_) data_ += '\n';
    data_ += value;
    has_data_ = true;
  }
  return true;
}

bool SseParser::dispatch() {
  const bool report = has_data_;
  const std::string data = std::move(data_);
  const std::string name = std::move(name_);
  data_.clear();
  name_.clear();
  has_data_ = false;
  return !report || sink_(name, data);
}

}  // namespace warpwright::llm
