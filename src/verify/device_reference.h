// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/task.h"

namespace warpwright::verify {

/// What one parameter of a reference stands for, on the host or on a device.
struct ReferenceParameter {
  enum class Kind {
    input,   ///< values before the call; halves arrive as floats
    wide,    ///< an output as doubles
    native,  ///< an output of its own type
    scale,   ///< of an output: doubles
    scalar,
    choice,  ///< on a device: which rows are wanted, see oracle/reference.cuh
  };
  Kind kind = Kind::input;
  std::size_t argument = 0;  ///< of the task; not for `choice`
  std::string type;          ///< "const float*", "double*", "int"
  std::string name;
};

/// In order. Those of a device are those of the host and, last, `choice`.
std::vector<ReferenceParameter> reference_parameters(const Task& task);
std::vector<ReferenceParameter> device_reference_parameters(const Task& task);

/// What reference.cu must define: `extern "C" void reference(...)` that launches kernels.
std::string device_reference_signature(const Task& task);

/// reference.cu with what all of them share before it, and behind it a `solve` that calls it: a
/// program that is built and recorded as candidates are. Empty for a task without one.
std::string device_reference_program(const Task& task);

}  // namespace warpwright::verify
