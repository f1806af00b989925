// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace warpwright {

/// One of a closed list of names. A literal that is not in the list does not compile; texts from
/// outside go through named(). The first of the list is the default.
template <const auto& kNames>
class Choice {
 public:
  constexpr Choice() = default;
  consteval Choice(const char* name)  // NOLINT(google-explicit-constructor)
      : index_(named(name).value().index_) {}

  static constexpr std::optional<Choice> named(std::string_view name) {
    for (std::size_t i = 0; i < kNames.size(); ++i) {
      if (kNames[i] == name) return Choice(static_cast<std::uint8_t>(i));
    }
    return std::nullopt;
  }
  [[nodiscard]] constexpr std::string_view name() const { return kNames[index_]; }
  /// " 'full' 'fast' 'off'"
  static std::string spelt_out() {
    std::string all;
    for (const std::string_view name : kNames) all += " '" + std::string(name) + "'";
    return all;
  }

  friend constexpr bool operator==(const Choice&, const Choice&) = default;

 private:
  constexpr explicit Choice(std::uint8_t index) : index_(index) {}
  std::uint8_t index_ = 0;
};

/// The choice that a text from outside names; the error says what it may be.
template <class Choice>
Result<Choice> chosen(std::string_view text, std::string_view what) {
  if (const auto choice = Choice::named(text)) return *choice;
  return Error{std::string(what) + " is '" + std::string(text) + "', not one of" +
               Choice::spelt_out()};
}

}  // namespace warpwright
