// SPDX-License-Identifier: Apache-2.0
#include "tune/space.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "base/text.h"

namespace warpwright::tune {

namespace {

constexpr std::string_view kWord = "tune:";
constexpr std::string_view kRequire = "require";

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

std::optional<double> number_of(std::string_view text) {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

std::optional<long> integer_of(std::string_view text) {
  long value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  constexpr long kFar = 1L << 40;
  if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value < -kFar || value > kFar ? std::nullopt : std::optional(value);
}

/// A number or a name: what may stand for a value in a program without changing its shape.
bool is_value(std::string_view text) {
  return text.size() <= 64 && (number_of(text).has_value() || is_identifier(text));
}

std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto end = text.find(separator);
    parts.push_back(trimmed(text.substr(0, end)));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

namespace text {

/// The text with everything but code made blank, and the offsets at which // comments begin.
struct Code {
  std::string text;
  std::vector<std::size_t> comments;
};

static Code code_of(std::string_view source) {
  Code code{std::string(source), {}};
  const auto blank = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      if (code.text[i] != '\n') code.text[i] = ' ';
    }
  };
  std::size_t at = 0;
  while (at < source.size()) {
    const auto two = source.substr(at, 2);
    if (two == "//") {
      const std::size_t end = std::min(source.find('\n', at), source.size());
      code.comments.push_back(at);
      blank(at, end);
      at = end;
    } else if (two == "/*") {
      const auto close = source.find("*/", at + 2);
      const std::size_t end = close == std::string_view::npos ? source.size() : close + 2;
      blank(at, end);
      at = end;
    } else if (source[at] == '"') {
      std::size_t end = at + 1;
      while (end < source.size() && source[end] != '"' && source[end] != '\n') {
        end += source[end] == '\\' ? 2 : 1;
      }
      end = std::min(end + 1, source.size());
      blank(at, end);
      at = end;
    } else {
      ++at;
    }
  }
  return code;
}

}  // namespace text

/// Reads the declarations first, then looks for the definitions.
class SpaceReader {
 public:
  explicit SpaceReader(std::string_view source) : code_(text::code_of(source)) {
    space_.source_ = std::string(source);
  }

  Result<Space> read() {
    for (const std::size_t at : code_.comments) WW_CHECK(comment(at));
    for (std::size_t i = 0; i < space_.parameters_.size(); ++i) WW_CHECK(find_definition(i));
    for (const auto& [text, offset] : requirements_) WW_CHECK(constraint(text, offset));
    double size = 1;
    for (const auto& parameter : space_.parameters_) {
      size *= static_cast<double>(parameter.values.size());
    }
    if (size > static_cast<double>(kMaxPoints)) {
      return Error{
          fmt::format("{:.3g} configurations are declared, at most {} may be", size, kMaxPoints)};
    }
    return std::move(space_);
  }

 private:
  [[nodiscard]] Error at(std::size_t offset, const std::string& what) const {
    const auto end = space_.source_.begin() + static_cast<std::ptrdiff_t>(offset);
    return Error{fmt::format("line {}: {}", std::count(space_.source_.begin(), end, '\n') + 1,
                             clean_utf8(what))};
  }

  Status comment(std::size_t offset) {
    const std::string_view all = space_.source_;
    const std::size_t end = std::min(all.find('\n', offset), all.size());
    std::size_t from = offset;
    while (from < end && (all[from] == '/' || is_blank(all[from]))) ++from;
    if (!all.substr(from, end - from).starts_with(kWord)) return {};
    space_.words_.push_back(from);
    const std::string_view text = all.substr(from + kWord.size(), end - from - kWord.size());
    for (const std::string_view part : parts_of(text, ';')) {
      const bool requires_it = part.starts_with(kRequire) && part.size() > kRequire.size() &&
                               !is_word(part[kRequire.size()]);
      if (requires_it) {
        requirements_.emplace_back(trimmed(part.substr(kRequire.size())), offset);
      } else {
        WW_CHECK(declaration(part, offset));
      }
    }
    return {};
  }

  Status declaration(std::string_view text, std::size_t offset) {
    const auto equals = text.find('=');
    const std::string name(trimmed(text.substr(0, equals)));
    if (equals == std::string_view::npos || !is_identifier(name)) {
      return at(offset,
                "after 'tune:' comes NAME = VALUE, VALUE, ... or require EXPRESSION, not '" +
                    std::string(text) + "'");
    }
    for (const auto& other : space_.parameters_) {
      if (other.name == name) return at(offset, "'" + name + "' is declared twice");
    }
    if (space_.parameters_.size() == kMaxParameters) {
      return at(offset, fmt::format("more than {} parameters", kMaxParameters));
    }
    Parameter parameter{.name = name, .values = {}, .given = 0, .numeric = true};
    for (const std::string_view part : parts_of(text.substr(equals + 1), ',')) {
      WW_CHECK(values(parameter, part, offset));
    }
    space_.parameters_.push_back(std::move(parameter));
    declared_.push_back(offset);
    return {};
  }

  /// One value, FIRST..LAST, or FIRST..LAST step STEP.
  Status values(Parameter& parameter, std::string_view text, std::size_t offset) {
    const auto dots = text.find("..");
    if (dots == std::string_view::npos) return value(parameter, text, offset);
    constexpr std::string_view kStep = "step";
    std::string_view last = trimmed(text.substr(dots + 2));
    std::string_view step = "1";
    if (const auto word = last.find(kStep); word != std::string_view::npos) {
      step = trimmed(last.substr(word + kStep.size()));
      last = trimmed(last.substr(0, word));
    }
    const auto from = integer_of(trimmed(text.substr(0, dots)));
    const auto to = integer_of(last), by = integer_of(step);
    if (!from || !to || !by || *by < 1 || *to < *from) {
      return at(offset,
                "a range is FIRST..LAST or FIRST..LAST step STEP, not '" + std::string(text) + "'");
    }
    for (long i = *from; i <= *to; i += *by) {
      WW_CHECK(value(parameter, std::to_string(i), offset));
    }
    return {};
  }

  Status value(Parameter& parameter, std::string_view text, std::size_t offset) {
    if (!is_value(text)) {
      return at(offset, "'" + std::string(text) + "' is no value of '" + parameter.name +
                            "': it must be a number or a name");
    }
    if (std::find(parameter.values.begin(), parameter.values.end(), text) !=
        parameter.values.end()) {
      return at(offset, "'" + parameter.name + "' has the value " + std::string(text) + " twice");
    }
    if (parameter.values.size() == kMaxValues) {
      return at(offset, fmt::format("'{}' has more than {} values", parameter.name, kMaxValues));
    }
    parameter.numeric = parameter.numeric && number_of(text);
    parameter.values.emplace_back(text);
    return {};
  }

  /// A value's place in the code: {offset, length}.
  using Place = std::pair<std::size_t, std::size_t>;

  /// Of `#define NAME VALUE`; the name begins at `name`.
  [[nodiscard]] std::optional<Place> macro(std::size_t name, std::size_t name_length) const {
    const std::string& text = code_.text;
    std::size_t back = name;
    while (back > 0 && is_blank(text[back - 1])) --back;
    constexpr std::string_view kDefine = "define";
    if (back == name || back < kDefine.size() ||
        std::string_view(text).substr(back - kDefine.size(), kDefine.size()) != kDefine) {
      return std::nullopt;
    }
    back -= kDefine.size();
    while (back > 0 && is_blank(text[back - 1])) --back;
    if (back == 0 || text[back - 1] != '#') return std::nullopt;
    const std::size_t from = name + name_length;
    if (from >= text.size() || !is_blank(text[from])) return std::nullopt;
    return Place{from, std::min(text.find('\n', from), text.size()) - from};
  }

  /// Of `constexpr TYPE NAME = VALUE;`, which begins on the same line.
  [[nodiscard]] std::optional<Place> constant(std::size_t name, std::size_t name_length) const {
    const std::string_view text = code_.text;
    std::size_t from = name + name_length;
    while (from < text.size() && is_blank(text[from])) ++from;
    if (text.substr(from, 1) != "=" || text.substr(from, 2) == "==") return std::nullopt;
    const auto line = name == 0 ? std::string_view::npos : text.rfind('\n', name - 1);
    const std::size_t start = line == std::string_view::npos ? 0 : line + 1;
    const std::string_view before = text.substr(start, name - start);
    const auto word = before.find("const");
    if (word == std::string_view::npos || (word > 0 && is_word(before[word - 1]))) {
      return std::nullopt;
    }
    if (before.find_first_of("=;") != std::string_view::npos) return std::nullopt;
    const std::size_t end = std::min(text.find_first_of(",;\n", from), text.size());
    return Place{from + 1, end - from - 1};
  }

  Status find_definition(std::size_t index) {
    Parameter& parameter = space_.parameters_[index];
    const std::string& text = code_.text;
    std::optional<Place> found;
    for (std::size_t name = text.find(parameter.name); name != std::string::npos;
         name = text.find(parameter.name, name + 1)) {
      const std::size_t length = parameter.name.size();
      const bool whole = (name == 0 || !is_word(text[name - 1])) &&
                         (name + length >= text.size() || !is_word(text[name + length]));
      if (!whole) continue;
      auto place = macro(name, length);
      if (!place) place = constant(name, length);
      if (place && found) return at(name, "'" + parameter.name + "' is defined a second time");
      if (place) found = place;
    }
    if (!found) return undefined(index);
    return defined(index, *found);
  }

  Status undefined(std::size_t index) {
    const std::size_t comment = declared_[index];
    const auto line = comment == 0 ? std::string::npos : space_.source_.rfind('\n', comment - 1);
    space_.slots_.push_back({line == std::string::npos ? 0 : line + 1, 0, false});
    sort_values(space_.parameters_[index], space_.parameters_[index].values.front());
    return {};
  }

  Status defined(std::size_t index, Place place) {
    Parameter& parameter = space_.parameters_[index];
    auto [offset, length] = place;
    const auto blank_or = [&](std::size_t i, char c) {
      return is_blank(space_.source_[i]) || space_.source_[i] == c;
    };
    while (length > 0 && blank_or(offset, '(')) ++offset, --length;
    while (length > 0 &&
           (blank_or(offset + length - 1, ')') || code_.text[offset + length - 1] == ' ')) {
      --length;
    }
    const std::string value = space_.source_.substr(offset, length);
    if (!is_value(value)) {
      return at(offset, "'" + parameter.name + "' is defined as '" + value +
                            "', but must be a number or a name");
    }
    if (std::find(parameter.values.begin(), parameter.values.end(), value) ==
        parameter.values.end()) {
      parameter.numeric = parameter.numeric && number_of(value);
      parameter.values.push_back(value);
    }
    sort_values(parameter, value);
    space_.slots_.push_back({offset, length, true});
    return {};
  }

  /// Neighbouring indices are to be neighbouring values.
  static void sort_values(Parameter& parameter, std::string given) {
    if (parameter.numeric) {
      std::stable_sort(parameter.values.begin(), parameter.values.end(),
                       [](const auto& a, const auto& b) { return *number_of(a) < *number_of(b); });
    }
    parameter.given = static_cast<std::size_t>(
        std::find(parameter.values.begin(), parameter.values.end(), given) -
        parameter.values.begin());
  }

  Status constraint(std::string_view text, std::size_t offset) {
    auto expression = Expression::parse(text);
    if (!expression.ok()) return at(offset, "require: " + expression.error().message);
    for (const std::string& name : expression->names()) {
      const auto& all = space_.parameters_;
      const auto it =
          std::find_if(all.begin(), all.end(), [&](const auto& p) { return p.name == name; });
      if (it == all.end()) return at(offset, "require: '" + name + "' is no parameter");
      if (!it->numeric) return at(offset, "require: '" + name + "' has values that are no numbers");
    }
    space_.constraints_.push_back(std::move(*expression));
    return {};
  }

  text::Code code_;
  Space space_;
  std::vector<std::size_t> declared_;  ///< offset of each parameter's comment
  std::vector<std::pair<std::string, std::size_t>> requirements_;
};

Result<Space> Space::parse(std::string_view source) { return SpaceReader(source).read(); }

std::vector<std::string> Space::constraints() const {
  std::vector<std::string> texts;
  for (const auto& constraint : constraints_) texts.push_back(constraint.text());
  return texts;
}

Point Space::given() const {
  Point point;
  for (const auto& parameter : parameters_) point.push_back(parameter.given);
  return point;
}

bool Space::allows(const Point& point) const {
  if (point == given()) return true;
  Values values;
  for (std::size_t i = 0; i < point.size(); ++i) {
    if (!parameters_[i].numeric) continue;
    values[parameters_[i].name] = *number_of(parameters_[i].values[point[i]]);
  }
  return std::all_of(constraints_.begin(), constraints_.end(), [&](const Expression& constraint) {
    const auto value = constraint.evaluate(values);
    return value.ok() && *value != 0;  // undefined, as by a division by zero, is not allowed
  });
}

std::vector<Point> Space::points() const {
  std::vector<Point> all;
  Point point(parameters_.size(), 0);
  while (true) {
    if (allows(point)) all.push_back(point);
    std::size_t i = 0;
    while (i < point.size() && ++point[i] == parameters_[i].values.size()) point[i++] = 0;
    if (i == point.size()) return all;
  }
}

std::string Space::text_of(const Point& point) const {
  std::string text;
  for (std::size_t i = 0; i < point.size(); ++i) {
    text += (i == 0 ? "" : " ") + parameters_[i].name + "=" + parameters_[i].values[point[i]];
  }
  return text;
}

std::string Space::filled(const Point& point) const {
  // From the back, so that offsets stay true.
  std::vector<std::tuple<std::size_t, std::size_t, std::string>> edits;
  for (std::size_t i = 0; i < point.size(); ++i) {
    const Slot& slot = slots_[i];
    const std::string& value = parameters_[i].values[point[i]];
    edits.emplace_back(
        slot.offset, slot.length,
        slot.defined ? value : "#define " + parameters_[i].name + " " + value + "\n");
  }
  for (const std::size_t word : words_) edits.emplace_back(word, kWord.size(), "tuned:");
  std::stable_sort(edits.begin(), edits.end(),
                   [](const auto& a, const auto& b) { return std::get<0>(a) > std::get<0>(b); });
  std::string text = source_;
  for (const auto& [offset, length, with] : edits) text.replace(offset, length, with);
  return text;
}

}  // namespace warpwright::tune
