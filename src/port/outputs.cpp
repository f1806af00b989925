// SPDX-License-Identifier: Apache-2.0
#include "port/outputs.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "base/text.h"

namespace warpwright::port {

namespace {

constexpr double kOfSums = 1e-4;

/// Words of lines that tell a time or a rate, in lower case.
constexpr std::string_view kTimingWords[] = {
    "time",        "timing",      "timer",      "runtime",      "elapsed",      "sec",
    "secs",        "seconds",     "s",          "ms",           "us",           "ns",
    "msec",        "usec",        "nsec",       "milliseconds", "microseconds", "nanoseconds",
    "millisecond", "microsecond", "nanosecond", "took",         "duration",     "latency",
    "overhead",    "cycles",      "speed",      "speedup",      "throughput",   "bandwidth",
    "performance", "gflops",      "tflops",     "mflops",       "flops",        "gflop",
    "tflop",       "gops",        "gbps",       "mbps",         "fps",          "gbs",
    "mlups",       "gups",
};
/// After a slash: GFLOP/s, MB/sec.
constexpr std::string_view kPerTime[] = {"s", "sec", "second", "us", "ms", "ns"};

bool is_word_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_decimal(char c) { return c >= '0' && c <= '9'; }

template <std::size_t count>
bool is_one_of(const std::string_view (&list)[count], std::string_view word) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

std::vector<std::string_view> words_in(std::string_view line) {
  std::vector<std::string_view> words;
  std::size_t at = 0;
  while (true) {
    at = line.find_first_not_of(" \t", at);
    if (at == std::string_view::npos) return words;
    const std::size_t end = std::min(line.find_first_of(" \t", at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
}

/// Length of the number that begins here; 0: none does.
std::size_t number_at(std::string_view text, std::size_t at) {
  if (at > 0 && (is_word_letter(text[at - 1]) || text[at - 1] == '_')) return 0;
  std::size_t i = at;
  if (text[i] == '-' || text[i] == '+') ++i;
  const std::string_view rest = text.substr(i);
  for (const std::string_view word : {"inf", "nan", "INF", "NAN"})
    if (rest.starts_with(word) &&
        (rest.size() == word.size() || !is_word_letter(rest[word.size()])))
      return i - at + word.size();
  const std::size_t digits = i;
  while (i < text.size() && (is_decimal(text[i]) || text[i] == '.')) ++i;
  if (i == digits || std::none_of(text.begin() + static_cast<std::ptrdiff_t>(digits),
                                  text.begin() + static_cast<std::ptrdiff_t>(i), is_decimal))
    return 0;
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    std::size_t k = i + 1;
    if (k < text.size() && (text[k] == '-' || text[k] == '+')) ++k;
    if (k < text.size() && is_decimal(text[k])) {
      while (k < text.size() && is_decimal(text[k])) ++k;
      i = k;
    }
  }
  return i - at;
}

bool is_close(double a, double b) {
  if (!std::isfinite(a) || !std::isfinite(b)) return false;
  return std::abs(a - b) <= kOfSums * std::max(std::abs(a), std::abs(b));
}

/// The same text but for numbers that are close to each other.
bool same_but_close(std::string_view a, std::string_view b) {
  std::size_t i = 0, k = 0;
  while (i < a.size() && k < b.size()) {
    const std::size_t left = number_at(a, i), right = number_at(b, k);
    if (left != 0 && right != 0) {
      const std::string x(a.substr(i, left)), y(b.substr(k, right));
      if (x != y && !is_close(std::strtod(x.c_str(), nullptr), std::strtod(y.c_str(), nullptr)))
        return false;
      i += left;
      k += right;
    } else if (a[i++] != b[k++]) {
      return false;
    }
  }
  return i == a.size() && k == b.size();
}

bool same_printed_line(std::string_view a, std::string_view b, Tolerance tolerance) {
  if (a == b) return true;
  if (is_timing_line(a) && without_numbers(a) == without_numbers(b)) return true;
  return tolerance == Tolerance::sums && same_but_close(a, b);
}

template <class T>
bool all_close(std::string_view a, std::string_view b) {
  if (a.size() % sizeof(T) != 0) return false;
  for (std::size_t i = 0; i < a.size(); i += sizeof(T)) {
    T x, y;
    std::memcpy(&x, a.data() + i, sizeof x);
    std::memcpy(&y, b.data() + i, sizeof y);
    // Small integers are denormal numbers: those must be equal.
    const bool same = a.substr(i, sizeof x) == b.substr(i, sizeof x);
    if (!same && !(std::isnormal(x) && std::isnormal(y) && is_close(x, y))) return false;
  }
  return true;
}

}  // namespace

bool is_timing_line(std::string_view line) {
  std::string word;
  char before = ' ';
  for (std::size_t i = 0; i <= line.size(); ++i) {
    const char c = i < line.size() ? line[i] : ' ';
    if (is_word_letter(c)) {
      if (word.empty() && i > 0) before = line[i - 1];
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      continue;
    }
    if (word.empty()) continue;
    // "0.5s" and "(s)" are units; "'s" and "s" at other places are none.
    const bool unit = word != "s" || is_decimal(before) || before == '(' || before == '[' ||
                      before == '/' || before == ' ';
    if (unit && (is_one_of(kTimingWords, word) || (before == '/' && is_one_of(kPerTime, word))))
      return true;
    word.clear();
    before = ' ';
  }
  return false;
}

std::string without_numbers(std::string_view line) {
  std::string text;
  for (std::size_t i = 0; i < line.size();) {
    const std::size_t length = number_at(line, i);
    if (length != 0) {
      text += '#';
      i += length;
    } else if (line[i] == ' ' || line[i] == '\t') {
      if (!text.empty() && text.back() != ' ') text += ' ';
      ++i;
    } else {
      text += line[i++];
    }
  }
  return text;
}

std::optional<std::string> difference(std::string_view expected, std::string_view got,
                                      Tolerance tolerance) {
  const auto a = lines_of(expected), b = lines_of(got);
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    if (!same_printed_line(a[i], b[i], tolerance))
      return "line " + std::to_string(i + 1) + " is \"" + std::string(b[i].substr(0, 200)) +
             "\", not \"" + std::string(a[i].substr(0, 200)) + "\"";
  if (a.size() != b.size())
    return std::to_string(b.size()) + " lines instead of " + std::to_string(a.size());
  return std::nullopt;
}

std::optional<Stable> without_changing_parts(std::string_view expected, std::string_view again,
                                             std::string_view got) {
  const auto a = lines_of(expected), b = lines_of(again), c = lines_of(got);
  if (a.size() != b.size()) return std::nullopt;
  Stable stable;
  for (std::size_t i = 0; i < std::max(a.size(), c.size()); ++i) {
    const std::string_view third = i < c.size() ? c[i] : std::string_view();
    if (i >= a.size() || a[i] == b[i] || i >= c.size()) {
      if (i < a.size()) stable.expected += std::string(a[i]) + "\n";
      if (i < c.size()) stable.got += std::string(third) + "\n";
      continue;
    }
    const auto x = words_in(a[i]), y = words_in(b[i]), z = words_in(third);
    for (std::size_t k = 0; k < std::max(x.size(), z.size()); ++k) {
      const bool changes = x.size() != y.size() || (k < x.size() && x[k] != y[k]);
      if (changes) continue;
      if (k < x.size()) stable.expected += std::string(x[k]) + " ";
      if (k < z.size()) stable.got += std::string(z[k]) + " ";
    }
    stable.expected += "\n";
    stable.got += "\n";
  }
  return stable;
}

std::string without_own_path(std::string text, std::string_view path) {
  constexpr std::string_view kName = "program";
  if (path.empty()) return text;
  for (auto at = text.find(path); at != std::string::npos; at = text.find(path, at + kName.size()))
    text.replace(at, path.size(), kName);
  return text;
}

bool same_data(std::string_view expected, std::string_view got, Tolerance tolerance) {
  if (expected.size() != got.size()) return false;
  if (expected == got) return true;
  return tolerance == Tolerance::sums &&
         (all_close<float>(expected, got) || all_close<double>(expected, got));
}

}  // namespace warpwright::port
