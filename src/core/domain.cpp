// SPDX-License-Identifier: Apache-2.0
#include "core/domain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace warpwright {

namespace {

constexpr std::size_t kMaxChoices = 64;
constexpr std::size_t kMaxText = 1024;

/// Positions of a token outside of parentheses.
std::vector<std::size_t> places_of(std::string_view text, std::string_view token) {
  std::vector<std::size_t> places;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (depth != 0 || text.substr(i, token.size()) != token) continue;
    places.push_back(i);
    i += token.size() - 1;
  }
  return places;
}

/// Cuts a word off the end, if it is there and not part of a longer one.
bool take_last_word(std::string_view& text, std::string_view word) {
  if (!text.ends_with(word) || text.size() == word.size()) return false;
  const char before = text[text.size() - word.size() - 1];
  if (before != ' ' && before != '\t' && before != ')') return false;
  text = trimmed(text.substr(0, text.size() - word.size()));
  return true;
}

bool is_whole(double value) { return value == std::floor(value) && std::fabs(value) <= 0x1p53; }

}  // namespace

class DomainParser {
 public:
  explicit DomainParser(std::string_view text) : text_(trimmed(text)) {}

  Result<Domain> parse() {
    if (text_.size() > kMaxText) return fail(fmt::format("longer than {} characters", kMaxText));
    result_.text_ = std::string(text_);
    WW_CHECK(whole_text());
    return std::move(result_);
  }

 private:
  Error fail(std::string_view what) const {
    return Error{fmt::format("domain '{}': {}", text_.substr(0, 80), what)};
  }

  Status whole_text() {
    if (text_.starts_with("{")) return choices();
    if (text_.starts_with("fixed ")) {
      result_.kind_ = Domain::Kind::fixed;
      return part(text_.substr(6), result_.parts_);
    }
    return range();
  }

  Status part(std::string_view text, std::vector<Expression>& to) {
    auto parsed = Expression::parse(trimmed(text));
    if (!parsed.ok()) return fail(parsed.error().message);
    to.push_back(std::move(*parsed));
    return {};
  }

  Status choices() {
    result_.kind_ = Domain::Kind::choices;
    if (!text_.ends_with("}")) return fail("expected '}' at the end");
    const auto inner = text_.substr(1, text_.size() - 2);
    std::size_t from = 0;
    auto commas = places_of(inner, ",");
    if (commas.size() >= kMaxChoices) return fail(fmt::format("more than {}", kMaxChoices));
    commas.push_back(inner.size());
    for (const std::size_t comma : commas) {
      WW_CHECK(part(inner.substr(from, comma - from), result_.parts_));
      from = comma + 1;
    }
    return {};
  }

  Status range() {
    const auto dots = places_of(text_, "..");
    if (dots.empty())
      return fail("expected LOW..HIGH, {CHOICE, ...} or fixed VALUE, e.g. \"1..2^28\"");
    WW_CHECK(part(text_.substr(0, dots[0]), result_.parts_));
    auto rest = trimmed(text_.substr(dots[0] + 2));
    if (take_last_word(rest, "log")) {
      result_.kind_ = Domain::Kind::log;
    } else if (take_last_word(rest, "real")) {
      result_.kind_ = Domain::Kind::real;
    } else if (const auto of = places_of(rest, " multiple of "); !of.empty()) {
      WW_CHECK(part(rest.substr(of[0] + 13), result_.step_));
      rest = rest.substr(0, of[0]);
    }
    return part(rest, result_.parts_);
  }

  std::string_view text_;
  Domain result_;
};

Result<Domain> Domain::parse(std::string_view text) { return DomainParser(text).parse(); }

bool DomainRange::contains(double value) const {
  if (!choices.empty()) return std::find(choices.begin(), choices.end(), value) != choices.end();
  if (!(value >= low && value <= high)) return false;
  return step == 0 || std::fmod(value, step) == 0;
}

double DomainRange::at_most(double value) const {
  if (!choices.empty()) {
    double best = *std::min_element(choices.begin(), choices.end());
    for (const double choice : choices) {
      if (choice <= value && choice > best) best = choice;
    }
    return best;
  }
  const double inside = std::clamp(value, low, high);
  if (step == 0) return inside;
  const double down = std::floor(inside / step) * step;
  return down >= low ? down : down + step;
}

Result<DomainRange> Domain::at(const Values& values) const {
  const auto fail = [&](std::string_view what) {
    return Error{fmt::format("domain '{}' {}", text_, what)};
  };
  std::vector<double> numbers;
  for (const Expression& part : parts_) {
    WW_TRY(const double number, part.evaluate(values));
    if (!std::isfinite(number)) return fail("is not bounded");
    numbers.push_back(number);
  }
  DomainRange range{.low = numbers.front(), .high = numbers.back()};
  if (kind_ == Kind::choices || kind_ == Kind::fixed) {
    range.choices = std::move(numbers);
    range.low = *std::min_element(range.choices.begin(), range.choices.end());
    range.high = *std::max_element(range.choices.begin(), range.choices.end());
    return range;
  }
  range.by_ratio = kind_ == Kind::log;
  if (range.by_ratio && !(range.low * range.high > 0))
    return fail("is spread by ratio, so both ends must have the same sign and not be 0");
  if (kind_ == Kind::real || kind_ == Kind::log) {
    range.step = 0;
  } else {
    if (!step_.empty()) {
      WW_TRY(range.step, step_.front().evaluate(values));
    }
    if (!(range.step >= 1) || !is_whole(range.step)) return fail("has no whole step of 1 or more");
    range.low = std::ceil(range.low);
    range.high = std::floor(range.high);
    if (!is_whole(range.low) || !is_whole(range.high)) return fail("goes beyond 2^53");
  }
  if (range.low > range.high || !range.contains(range.at_most(range.high)))
    return fail("has no member here: its low end lies above its high end");
  return range;
}

std::set<std::string> Domain::names() const {
  std::set<std::string> names;
  for (const auto* list : {&parts_, &step_}) {
    for (const Expression& part : *list) names.merge(part.names());
  }
  return names;
}

std::vector<std::string> Domain::parts() const {
  std::vector<std::string> texts;
  for (const Expression& part : parts_) texts.push_back(part.text());
  return texts;
}

std::string Domain::words() const {
  switch (kind_) {
    case Kind::fixed:
      return fmt::format("always {}", low());
    case Kind::choices:
      return fmt::format("one of {}", fmt::join(parts(), ", "));
    case Kind::real:
    case Kind::log:
      return fmt::format("any number from {} to {}", low(), high());
    case Kind::whole:
      break;
  }
  if (step_.empty()) return fmt::format("any whole number from {} to {}", low(), high());
  return fmt::format("any multiple of {} from {} to {}", step_.front().text(), low(), high());
}

Result<std::vector<NamedDomain>> ordered_domains(const std::map<std::string, std::string>& texts) {
  std::map<std::string, Domain> waiting;
  for (const auto& [name, text] : texts) {
    WW_TRY(auto domain, Domain::parse(text));
    for (const std::string& other : domain.names()) {
      if (!texts.contains(other))
        return Error{fmt::format("domain '{}' names '{}', which has no domain", text, other)};
    }
    waiting.emplace(name, std::move(domain));
  }
  std::vector<NamedDomain> ordered;
  while (!waiting.empty()) {
    const auto ready = std::find_if(waiting.begin(), waiting.end(), [&](const auto& entry) {
      const auto names = entry.second.names();
      return std::none_of(names.begin(), names.end(),
                          [&](const std::string& name) { return waiting.contains(name); });
    });
    if (ready == waiting.end())
      return Error{fmt::format("the domain of '{}' depends on itself", waiting.begin()->first)};
    ordered.push_back({ready->first, std::move(ready->second)});
    waiting.erase(ready);
  }
  return ordered;
}

Status within_domains(std::span<const NamedDomain> domains, const Values& values) {
  for (const auto& [name, domain] : domains) {
    const auto value = values.find(name);
    if (value == values.end()) return Error{fmt::format("there is no value '{}'", name)};
    WW_TRY(const auto range, domain.at(values));
    if (!range.contains(value->second))
      return Error{
          fmt::format("{} = {} lies outside its domain '{}'", name, value->second, domain.text())};
  }
  return {};
}

}  // namespace warpwright
