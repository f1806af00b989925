// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace warpwright::port {

/// How programs are run to prove that they do the same.
struct RunProof {
  std::vector<std::string> arguments;     ///< of the program
  std::uint64_t budget = 2'000'000'000;   ///< warp instructions of each run on the CPU
  std::chrono::seconds time_on_gpu{300};  ///< of each run on a GPU
};

/// What kept two programs from being compared.
enum class Hindrance {
  none,
  tools,           ///< this machine lacks something
  original,        ///< the program before the port cannot be built, run or compared
  port_not_built,  ///< by the compiler that the proof takes
  port_not_run,    ///< within its limits
};

}  // namespace warpwright::port
