// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"

namespace warpwright::simt {

/// A shared object that has been loaded. Closed with this object.
class NativeLibrary {
 public:
  NativeLibrary() = default;
  NativeLibrary(NativeLibrary&& other) noexcept;
  NativeLibrary& operator=(NativeLibrary&& other) noexcept;
  ~NativeLibrary();
  /// Null when there is no such symbol.
  [[nodiscard]] void* symbol(const char* name) const;

 private:
  friend Result<NativeLibrary> compile_native(const std::string& source);
  explicit NativeLibrary(void* handle) : handle_(handle) {}
  void* handle_ = nullptr;
};

/// Compiles C of our own making for this machine with clang, under limits of time and memory, and
/// loads it. An error when there is no clang or it fails.
Result<NativeLibrary> compile_native(const std::string& source);

}  // namespace warpwright::simt
