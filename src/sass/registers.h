// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bitset>
#include <cstddef>
#include <string>

namespace warpwright::sass {

/// The four banks that nvdisasm lists, one after the other in a RegisterSet.
enum class Bank : int { general, predicate, uniform, uniform_predicate };

inline constexpr std::size_t kBankStart[] = {0, 256, 264, 328};
inline constexpr std::size_t kBankSize[] = {255, 7, 63, 7};  ///< without the constant register
inline constexpr std::size_t kRegisters = 336;

using RegisterSet = std::bitset<kRegisters>;

constexpr std::size_t register_at(Bank bank, std::size_t number) {
  return kBankStart[static_cast<int>(bank)] + number;
}
constexpr Bank bank_of(std::size_t index) {
  if (index < kBankStart[1]) return Bank::general;
  if (index < kBankStart[2]) return Bank::predicate;
  return index < kBankStart[3] ? Bank::uniform : Bank::uniform_predicate;
}

/// The register of its bank that is always zero or true: RZ, PT, URZ, UPT.
constexpr bool is_constant(std::size_t index) {
  const int bank = static_cast<int>(bank_of(index));
  return index - kBankStart[bank] >= kBankSize[bank];
}

/// "R12", "P0", "UR4", "UP1".
std::string register_name(std::size_t index);
/// "R2 R3 P0"
std::string names_of(const RegisterSet& registers);

template <class Visit>
void for_each_register(const RegisterSet& registers, const Visit& visit) {
  for (std::size_t at = registers._Find_first(); at < kRegisters; at = registers._Find_next(at))
    visit(at);
}

}  // namespace warpwright::sass
