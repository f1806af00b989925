// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>

#include <initializer_list>
#include <utility>

#include "base/result.h"

namespace warpwright::device {

using NvmlDevice = struct NvmlDeviceOpaque*;

/// The first of the names that a library has; else the function stays as it is.
template <class Function>
void find_symbol(void* library, Function& function, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (function == nullptr) function = reinterpret_cast<Function>(dlsym(library, name));
  }
}

/// libnvidia-ml.so.1, opened at run time and initialised, with one GPU in it. The library stays
/// open for the life of the process.
class NvmlLibrary {
 public:
  static Result<NvmlLibrary> open(int cuda_ordinal);
  NvmlLibrary(NvmlLibrary&& other) noexcept
      : handle_(std::exchange(other.handle_, nullptr)), device_(other.device_) {}
  NvmlLibrary& operator=(NvmlLibrary&&) = delete;
  ~NvmlLibrary();

  [[nodiscard]] void* handle() const { return handle_; }
  [[nodiscard]] NvmlDevice device() const { return device_; }

 private:
  explicit NvmlLibrary(void* handle) : handle_(handle) {}

  void* handle_;
  NvmlDevice device_ = nullptr;
};

}  // namespace warpwright::device
