// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/choice.h"

namespace warpwright {

// What whoever asks for a judgement may choose. Each list begins with the default.

/// How many kernel functions a candidate may have: the task's own rule, one, any number.
inline constexpr std::array<std::string_view, 3> kRuleSets = {"", "strict", "free"};
using RuleSet = Choice<kRuleSets>;

inline constexpr std::array<std::string_view, 3> kFrontEnds = {"auto", "clang", "nvcc"};
using FrontEndChoice = Choice<kFrontEnds>;

/// Of the SIMT machine.
inline constexpr std::array<std::string_view, 3> kCheckLevels = {"full", "fast", "off"};
using CheckLevel = Choice<kCheckLevels>;
inline constexpr std::array<std::string_view, 3> kEngines = {"auto", "interpreted", "compiled"};
using EngineChoice = Choice<kEngines>;

/// Small cases under checking tools.
inline constexpr std::array<std::string_view, 3> kSanitizeChoices = {"auto", "on", "off"};
using SanitizeChoice = Choice<kSanitizeChoices>;

/// "auto", "simt", "cuda" or "cuda:N".
class DeviceName {
 public:
  enum class Kind : int { automatic, simt, cuda };

  constexpr DeviceName() = default;
  consteval DeviceName(const char* name)  // NOLINT(google-explicit-constructor)
      : DeviceName(named(name).value()) {}

  static constexpr std::optional<DeviceName> named(std::string_view name) {
    if (name == "auto") return DeviceName();
    if (name == "simt") return DeviceName(Kind::simt, -1);
    if (name == "cuda") return DeviceName(Kind::cuda, -1);
    constexpr std::string_view kPrefix = "cuda:";
    constexpr std::size_t kMostDigits = 3;
    if (!name.starts_with(kPrefix)) return std::nullopt;
    name.remove_prefix(kPrefix.size());
    if (name.empty() || name.size() > kMostDigits) return std::nullopt;
    int ordinal = 0;
    for (const char digit : name) {
      if (digit < '0' || digit > '9') return std::nullopt;
      ordinal = 10 * ordinal + (digit - '0');
    }
    return DeviceName(Kind::cuda, ordinal);
  }
  static std::string spelt_out() { return " 'auto' 'simt' 'cuda' 'cuda:N'"; }
  [[nodiscard]] constexpr Kind kind() const { return kind_; }
  /// Of a GPU.
  [[nodiscard]] constexpr int ordinal() const { return ordinal_ < 0 ? 0 : ordinal_; }
  [[nodiscard]] std::string text() const {
    if (kind_ == Kind::automatic) return "auto";
    if (kind_ == Kind::simt) return "simt";
    return ordinal_ < 0 ? "cuda" : "cuda:" + std::to_string(ordinal_);
  }

  friend constexpr bool operator==(const DeviceName&, const DeviceName&) = default;

 private:
  constexpr DeviceName(Kind kind, int ordinal) : kind_(kind), ordinal_(ordinal) {}
  Kind kind_ = Kind::automatic;
  int ordinal_ = -1;  ///< as written; -1: not written
};

}  // namespace warpwright
