// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace warpwright {

/// A number for one purpose, made from a secret that it does not tell: who sees what is made from
/// one purpose's number learns nothing of another's.
std::uint64_t one_way(std::uint64_t secret, std::string_view purpose, std::uint64_t n = 0);

}  // namespace warpwright
