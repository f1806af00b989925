// SPDX-License-Identifier: Apache-2.0
#include "data/sketch.h"

#include <algorithm>
#include <cctype>
#include <limits>
#include <map>
#include <set>

#include "base/mix.h"

namespace warpwright::data {

namespace {

constexpr std::size_t kRun = 5;

// Words whose exchange changes what a program does; every other name may be called anything.
const std::set<std::string_view>& kept_words() {
  static const std::set<std::string_view> words = {"if",
                                                   "else",
                                                   "for",
                                                   "while",
                                                   "do",
                                                   "switch",
                                                   "case",
                                                   "default",
                                                   "break",
                                                   "continue",
                                                   "return",
                                                   "goto",
                                                   "const",
                                                   "static",
                                                   "constexpr",
                                                   "inline",
                                                   "extern",
                                                   "struct",
                                                   "class",
                                                   "union",
                                                   "enum",
                                                   "template",
                                                   "typename",
                                                   "using",
                                                   "typedef",
                                                   "auto",
                                                   "void",
                                                   "bool",
                                                   "char",
                                                   "short",
                                                   "int",
                                                   "long",
                                                   "float",
                                                   "double",
                                                   "unsigned",
                                                   "signed",
                                                   "half",
                                                   "volatile",
                                                   "sizeof",
                                                   "true",
                                                   "false",
                                                   "asm",
                                                   "__global__",
                                                   "__device__",
                                                   "__host__",
                                                   "__shared__",
                                                   "__constant__",
                                                   "__restrict__",
                                                   "threadIdx",
                                                   "blockIdx",
                                                   "blockDim",
                                                   "gridDim",
                                                   "x",
                                                   "y",
                                                   "z",
                                                   "__syncthreads",
                                                   "__syncwarp",
                                                   "include",
                                                   "define",
                                                   "pragma",
                                                   "unroll"};
  return words;
}

bool begins_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool in_name(char c) { return begins_name(c) || std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// Behind a comment that begins here; `at` itself where none does.
std::size_t after_comment(std::string_view text, std::size_t at) {
  if (text.substr(at).starts_with("//")) return std::min(text.find('\n', at), text.size());
  if (!text.substr(at).starts_with("/*")) return at;
  const auto end = text.find("*/", at + 2);
  return end == std::string_view::npos ? text.size() : end + 2;
}

std::size_t after_literal(std::string_view text, std::size_t at) {
  const char quote = text[at];
  for (std::size_t i = at + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == quote || text[i] == '\n') {
      return i + 1;
    }
  }
  return text.size();
}

std::size_t after_word(std::string_view text, std::size_t at) {
  while (at < text.size() && (in_name(text[at]) || text[at] == '.')) ++at;
  return at;
}

}  // namespace

std::vector<std::string> normalised_tokens(std::string_view source) {
  std::vector<std::string> tokens;
  std::map<std::string, std::size_t, std::less<>> names;
  std::size_t at = 0;
  while (at < source.size()) {
    const char c = source[at];
    if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      ++at;
    } else if (const auto behind = after_comment(source, at); behind != at) {
      at = behind;
    } else if (c == '"' || c == '\'') {
      const auto end = std::min(after_literal(source, at), source.size());
      tokens.emplace_back(source.substr(at, end - at));
      at = end;
    } else if (begins_name(c)) {
      auto end = at;
      while (end < source.size() && in_name(source[end])) ++end;
      const std::string_view word = source.substr(at, end - at);
      if (kept_words().contains(word)) {
        tokens.emplace_back(word);
      } else {
        const auto number = names.try_emplace(std::string(word), names.size()).first->second;
        tokens.push_back("$" + std::to_string(number));
      }
      at = end;
    } else {
      const auto end =
          std::isdigit(static_cast<unsigned char>(c)) != 0 ? after_word(source, at) : at + 1;
      tokens.emplace_back(source.substr(at, end - at));
      at = end;
    }
  }
  return tokens;
}

Sketch sketch_of(std::string_view source) {
  const auto tokens = normalised_tokens(source);
  std::array<std::uint64_t, std::tuple_size_v<Sketch>> least;
  least.fill(std::numeric_limits<std::uint64_t>::max());
  std::vector<std::uint64_t> hashes;
  for (const auto& token : tokens) {
    std::uint64_t hash = token.size();
    for (const char c : token) hash = mixed_bits(hash ^ static_cast<unsigned char>(c));
    hashes.push_back(hash);
  }
  const std::size_t runs =
      hashes.size() < kRun ? (hashes.empty() ? 0 : 1) : hashes.size() - kRun + 1;
  for (std::size_t i = 0; i < runs; ++i) {
    std::uint64_t run = 0;
    for (std::size_t j = i; j < std::min(i + kRun, hashes.size()); ++j) {
      run = mixed_bits(run ^ hashes[j]);
    }
    for (std::size_t k = 0; k < least.size(); ++k) {
      least[k] = std::min(least[k], mixed_bits(run + 0x9E3779B97F4A7C15ULL * (k + 1)));
    }
  }
  Sketch sketch;
  for (std::size_t k = 0; k < least.size(); ++k) {
    sketch[k] = static_cast<std::uint16_t>((least[k] >> 48) ^ least[k]);
  }
  return sketch;
}

double likeness(const Sketch& a, const Sketch& b) {
  std::size_t same = 0;
  for (std::size_t k = 0; k < a.size(); ++k) same += a[k] == b[k] ? 1 : 0;
  return static_cast<double>(same) / static_cast<double>(a.size());
}

}  // namespace warpwright::data
