// SPDX-License-Identifier: Apache-2.0
// Managed variables of programs that clang compiles: the host has a shadow of its own, and both are
// brought in line around every launch. (nvcc's programs reach the device's variable itself.)
#include <cstring>

#include "runtime.h"

namespace ww_flops {
namespace {

bool is_shadow(const void* host) {
  for (const auto& [begin, end] : state().shadows) {
    if (host >= begin && host < end) return true;
  }
  return false;
}

}  // namespace

void adopt_managed() {
  for (auto& [host, variable] : state().variables) {
    if (variable.shadow != nullptr || !is_shadow(host)) continue;
    std::string answer;
    if (ask(Ask::variable, Packer().u32(variable.module).text(variable.name), &answer) != 0) {
      continue;
    }
    variable.address = Unpacker(answer).u64();
    variable.shadow = static_cast<char*>(const_cast<void*>(host));
    // The device's side has the initial values.
    std::memcpy(variable.shadow, reinterpret_cast<const void*>(variable.address), variable.bytes);
  }
}

void managed_to_device() {
  for (const auto& [host, variable] : state().variables) {
    if (variable.shadow == nullptr) continue;
    std::memcpy(reinterpret_cast<void*>(variable.address), variable.shadow, variable.bytes);
  }
}

void managed_to_host() {
  for (const auto& [host, variable] : state().variables) {
    if (variable.shadow == nullptr) continue;
    std::memcpy(variable.shadow, reinterpret_cast<const void*>(variable.address), variable.bytes);
  }
}

std::uint64_t seen_by_device(std::uint64_t address) {
  for (const auto& [host, variable] : state().variables) {
    if (variable.shadow == nullptr) continue;
    const std::uint64_t offset = address - reinterpret_cast<std::uint64_t>(variable.shadow);
    if (offset < variable.bytes) return variable.address + offset;
  }
  return address;
}

}  // namespace ww_flops

/// Every source of the program says, before main, where its managed variables' shadows are.
WW_API void __ww_managed_shadows(char* begin, char* end) {
  const std::lock_guard<std::recursive_mutex> lock(ww_flops::state().busy);
  ww_flops::state().shadows.emplace_back(begin, end);
  ww_flops::adopt_managed();
}
