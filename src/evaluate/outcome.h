// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "base/result.h"
#include "core/verdict.h"

namespace warpwright::evaluate {

/// The verdict that ends a judgement.
struct Ended {
  Verdict verdict = Verdict::harness_error;
  std::string reason;                         ///< for people
  std::string feedback;                       ///< for the model
  std::optional<Stage> stage = std::nullopt;  ///< whose results decided, if not the one under way
  bool of_rival = false;                      ///< in a comparison: the second kernel's verdict
};

/// Why there is no next value: a verdict on the candidate, or a failure of the world.
using Halt = std::variant<Ended, Error>;

/// Nothing to hand on: the judgement goes on.
struct Passed {};

/// What a stage, or a part of one, comes to: the next value, the verdict that ends the judgement,
/// or the judge's own error. WW_TRY and WW_CHECK pass both of the latter on, from functions that
/// return an Outcome.
template <class T = Passed>
class [[nodiscard]] Outcome {
 public:
  Outcome() requires std::same_as<T, Passed> : state_(T{}) {}
  Outcome(T value) : state_(std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Outcome(Ended ended) : state_(std::move(ended)) {}  // NOLINT(google-explicit-constructor)
  Outcome(Error error) : state_(std::move(error)) {}  // NOLINT(google-explicit-constructor)
  Outcome(Halt halt)                                  // NOLINT(google-explicit-constructor)
      : state_(std::visit([](auto& why) { return State(std::move(why)); }, halt)) {}

  [[nodiscard]] bool ok() const { return std::holds_alternative<T>(state_); }
  [[nodiscard]] Halt error() const {
    ASSERT(!ok(), "Outcome::error on a value");
    if (const auto* ended = std::get_if<Ended>(&state_)) return *ended;
    return std::get<Error>(state_);
  }
  [[nodiscard]] T& value() & {
    ASSERT(ok(), "Outcome::value without one");
    return std::get<T>(state_);
  }
  [[nodiscard]] T value() && {
    ASSERT(ok(), "Outcome::value without one");
    return std::get<T>(std::move(state_));
  }
  T* operator->() { return &value(); }
  T& operator*() & { return value(); }

 private:
  using State = std::variant<T, Ended, Error>;
  State state_;
};

/// A verdict, if there is one.
inline Outcome<> outcome_of(std::optional<Ended> ended) {
  if (ended) return std::move(*ended);
  return {};
}

}  // namespace warpwright::evaluate
