// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace warpwright::report {

/// Long texts of a page: each content once, packed into compressed blocks that the page unpacks
/// when somebody looks at one. Texts added one after the other share a block, so that a reply and
/// the source inside it cost little more than one of them.
class TextPool {
 public:
  struct Place {
    std::size_t block = 0;
    std::size_t offset = 0;  ///< bytes
    std::size_t length = 0;
  };

  /// The text's number, the same for the same content.
  int add(std::string_view text);

  [[nodiscard]] const std::vector<Place>& places() const { return places_; }
  /// Deflated and in base64, in order of their numbers.
  [[nodiscard]] std::vector<std::string> blocks() const;

 private:
  std::vector<std::string> blocks_;
  std::vector<Place> places_;
  std::unordered_map<std::string, int> known_;  ///< by hash
};

}  // namespace warpwright::report
