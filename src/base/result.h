// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "base/assert.h"

namespace warpwright {

/// The world failed us: a file, a process, a service, a user's input. The message says what was
/// attempted, on what, and what to do next.
struct Error {
  std::string message;
};

/// A value, or the reason there is none. Checking is the caller's duty: reading the wrong side
/// is our own bug and aborts.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : state_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool ok() const { return std::holds_alternative<T>(state_); }
  explicit operator bool() const { return ok(); }

  [[nodiscard]] const T& value() const& {
    ASSERT(ok(), "Result::value on an error: " + error().message);
    return std::get<T>(state_);
  }
  [[nodiscard]] T& value() & {
    ASSERT(ok(), "Result::value on an error: " + error().message);
    return std::get<T>(state_);
  }
  /// By value, so that `for (auto& x : list().value())` does not walk a dead temporary.
  [[nodiscard]] T value() && {
    ASSERT(ok(), "Result::value on an error: " + error().message);
    return std::get<T>(std::move(state_));
  }
  [[nodiscard]] const Error& error() const {
    ASSERT(std::holds_alternative<Error>(state_), "Result::error on a value");
    return std::get<Error>(state_);
  }

  const T* operator->() const { return &value(); }
  T* operator->() { return &value(); }
  const T& operator*() const& { return value(); }
  T& operator*() & { return value(); }
  T operator*() && { return std::move(*this).value(); }

 private:
  std::variant<T, Error> state_;
};

/// Success without a value.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  [[nodiscard]] const Error& error() const {
    ASSERT(error_.has_value(), "Result::error on success");
    return *error_;
  }

 private:
  std::optional<Error> error_;
};

using Status = Result<void>;

#define WW_JOIN_INNER(a, b) a##b
#define WW_JOIN(a, b) WW_JOIN_INNER(a, b)
#define WW_TRY_INNER(declaration, expression, temporary) \
  auto temporary = (expression);                         \
  if (!temporary.ok()) return temporary.error();         \
  declaration = std::move(temporary).value()

/// WW_TRY(auto text, read_file(path)); returns the error from the enclosing function, or goes on.
#define WW_TRY(declaration, expression) \
  WW_TRY_INNER(declaration, expression, WW_JOIN(ww_try_, __LINE__))

/// The same for a Status.
#define WW_CHECK(expression)                                                      \
  do {                                                                            \
    if (auto ww_status = (expression); !ww_status.ok()) return ww_status.error(); \
  } while (false)

}  // namespace warpwright
