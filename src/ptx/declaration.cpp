// SPDX-License-Identifier: Apache-2.0
#include "ptx/declaration.h"

#include <algorithm>
#include <charconv>

#include "ptx/types.h"

namespace warpwright::ptx {
namespace {

std::uint64_t number(std::string_view word) {
  std::uint64_t value = 0;
  const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), value);
  return code == std::errc() && end == word.data() + word.size()
             ? std::min(value, kMostDeclaredBytes)
             : 0;
}

std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  return b != 0 && a > kMostDeclaredBytes / b ? kMostDeclaredBytes : a * b;
}

/// The words of one declaration, put together.
class Reader {
 public:
  explicit Reader(Lexer& words) : words_(words) {}

  /// Up to a mark that ends a name or the whole; that mark. Empty: the text's end.
  std::string_view name(Declaration& out) {
    std::uint64_t count = 1;
    for (auto word = words_.word(); !word.empty(); word = words_.word()) {
      if (word == "=") word = skip_value();
      if (word == "," || word == ")" || word == ";" || word.empty()) {
        out.bytes = times(times(element_, lanes_), count);
        out.align = align_ != 0
                        ? align_
                        : static_cast<std::uint32_t>(std::max<std::uint64_t>(element_ * lanes_, 1));
        return word;
      }
      if (word.front() == '.') {
        directive(word.substr(1));
      } else if (word == "[") {
        count = times(count, number(words_.word()));
      } else if (out.name.empty() && is_name(word)) {
        out.name = word;
      }
    }
    return {};
  }

 private:
  void directive(std::string_view word) {
    if (word == "align") {
      const std::uint64_t align = number(words_.word());
      // Behind .ptr it is the target's, not the parameter's.
      if (!pointer_) align_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(align, 1 << 16));
    } else if (word == "ptr") {
      pointer_ = true;
    } else if (word == "v2" || word == "v4") {
      lanes_ = word == "v2" ? 2 : 4;
    } else if (word == "attribute") {
      for (auto inside = words_.word(); !inside.empty() && inside != ")"; inside = words_.word()) {
      }
    } else if (const std::uint32_t bytes = bytes_of_type(word); bytes != 0) {
      element_ = bytes;
    }
  }

  /// Past an initialiser: the mark behind it.
  std::string_view skip_value() {
    int open = 0;
    for (auto word = words_.word(); !word.empty(); word = words_.word()) {
      open += word == "{" || word == "(" ? 1 : word == "}" || word == ")" ? -1 : 0;
      if (open <= 0 && (word == "," || word == ";")) return word;
    }
    return {};
  }

  Lexer& words_;
  std::uint64_t element_ = 0, lanes_ = 1;
  std::uint32_t align_ = 0;
  bool pointer_ = false;
};

}  // namespace

std::vector<Declaration> read_declarations(Lexer& words) {
  std::vector<Declaration> found;
  Reader reader(words);
  for (std::string_view end = ","; end == ",";) {
    Declaration one;
    end = reader.name(one);
    if (!one.name.empty()) found.push_back(one);
  }
  return found;
}

bool read_parameter(Lexer& words, Declaration& out) { return Reader(words).name(out) == ","; }

}  // namespace warpwright::ptx
