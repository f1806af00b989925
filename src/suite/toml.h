// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace warpwright::suite {

/// A parsed TOML text that remembers its lines; keeps the TOML library out of everyone's headers.
class TomlDocument {
 public:
  /// An error is "WHERE:LINE: what".
  static Result<TomlDocument> parse(std::string_view text, std::string where);
  TomlDocument(TomlDocument&&) noexcept;
  ~TomlDocument();

  struct Additions {
    std::string_view name;
    std::string_view baseline;
    std::string_view slow;
    std::string_view reference;
    std::string_view device_reference;
    std::string_view torch;
  };
  /// The document as JSON text for task_from_json, with what is not in task.toml itself. Dates
  /// and infinite numbers, which tasks do not use, become null.
  [[nodiscard]] std::string to_json(const Additions& additions) const;

  /// "WHERE:LINE" of a path such as "argument[1].count", or of the nearest part of it that exists.
  [[nodiscard]] std::string place_of(std::string_view path) const;

 private:
  struct State;
  explicit TomlDocument(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace warpwright::suite
