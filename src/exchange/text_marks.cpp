// SPDX-License-Identifier: Apache-2.0
#include "exchange/text_marks.h"

#include <fmt/format.h>

namespace warpwright::exchange {

std::string with_marks(std::string text, const std::map<std::string, std::string>& values) {
  for (const auto& [key, value] : values) {
    const std::string mark = "@" + key + "@";
    for (auto at = text.find(mark); at != std::string::npos;
         at = text.find(mark, at + value.size()))
      text.replace(at, mark.size(), value);
  }
  return text;
}

std::string python_list(const std::vector<std::string>& items) {
  std::string text;
  for (const auto& item : items) text += fmt::format("{}\"{}\"", text.empty() ? "" : ", ", item);
  return "[" + text + "]";
}

}  // namespace warpwright::exchange
