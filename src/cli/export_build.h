// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "core/task.h"

namespace warpwright::cli {

/// How an exported kernel is called by the program that takes it.
struct ExportNames {
  std::string function = "solve";
  std::string scope;  ///< a namespace, also a nested one ("mine::fast"); empty: none

  /// What the linker sees.
  [[nodiscard]] std::string symbol() const;
};

/// An error where a name is none of C++.
Status check_names(const ExportNames& names);

/// The candidate's source with its function under the chosen name. Without one it is unchanged.
std::string kernel_text(const Task& task, const std::string& source, const ExportNames& names);

/// The header that declares it, with the headers of its types.
std::string header_text(const Task& task, const ExportNames& names);

/// What the kernel is compiled for: the GPU that the judge compiled it for.
struct ExportTarget {
  std::string number = "90";  ///< of the compute capability
  bool exact = false;         ///< features of this architecture alone (sm_90a)

  /// "-gencode arch=compute_90a,code=sm_90a"
  [[nodiscard]] std::string gencode() const;
  /// As CMake writes it: "90a-real"
  [[nodiscard]] std::string cmake() const;
};
/// device: a described device's key, or the name that a live one has.
ExportTarget export_target(std::string_view device, std::string_view source);

/// The options of the judge's own compiler runs.
std::string compile_line(const ExportTarget& target);

/// A CMakeLists.txt with a library of the kernel and, with a test, the test.
std::string cmake_text(const Task& task, const ExportNames& names, const ExportTarget& target,
                       bool with_test);

/// The task's signature without the function's name: "void NAME(const float* x, int n)".
std::string declaration(const Task& task, const std::string& name);

}  // namespace warpwright::cli
