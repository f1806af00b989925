// SPDX-License-Identifier: Apache-2.0
#include "base/one_way.h"

#include <charconv>
#include <string>

#include "base/sha256.h"

namespace warpwright {

std::uint64_t one_way(std::uint64_t secret, std::string_view purpose, std::uint64_t n) {
  const std::string text =
      std::string(purpose) + '/' + std::to_string(secret) + '/' + std::to_string(n);
  const std::string digest = sha256_hex(text);
  std::uint64_t value = 0;
  std::from_chars(digest.data(), digest.data() + 16, value, 16);
  return value;
}

}  // namespace warpwright
