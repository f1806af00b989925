// SPDX-License-Identifier: Apache-2.0
#include "search/niche.h"

#include <algorithm>
#include <array>

namespace warpwright::search {

namespace {

/// The first class whose bound holds the value.
int class_of(double value, std::array<double, 3> bounds) {
  return static_cast<int>(std::lower_bound(bounds.begin(), bounds.end(), value) - bounds.begin());
}

}  // namespace

Niche niche_of(const Trial& trial) {
  const Evaluation& evaluation = trial.evaluation;
  int shared_bytes = 0;
  int registers = 0;
  for (const KernelResources& kernel : evaluation.resources) {
    shared_bytes = std::max(shared_bytes, kernel.shared_bytes);
    registers = std::max(registers, kernel.registers);
  }
  return {.kernels = static_cast<int>(std::min<std::size_t>(evaluation.resources.size(), 3)),
          .shared = class_of(shared_bytes, {0, 16 << 10, 48 << 10}),
          .registers = class_of(registers, {32, 64, 128}),
          .tensor_cores = trial.source.find("mma") != std::string::npos,
          .limit = class_of(roofline_share(evaluation).value_or(0), {0.25, 0.5, 0.75})};
}

}  // namespace warpwright::search
