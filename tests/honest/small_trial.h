// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <string>

#include "base/files.h"
#include "build/toolchain.h"
#include "core/task.h"
#include "evaluate/judgement.h"
#include "suite/load.h"

namespace warpwright {

/// Trials of trusted kernels on the SIMT machine, at sizes that a test can afford.
class SmallTrials {
 public:
  SmallTrials() : folder_(TemporaryDirectory::create("honest").value()) {}

  /// WARPWRIGHT_SLOW_TESTS=1: all sizes that the machine can judge, and nvcc where there is one;
  /// =nvcc: nvcc instead of clang, small sizes.
  static std::string_view slow() {
    const char* value = std::getenv("WARPWRIGHT_SLOW_TESTS");
    return value == nullptr ? "" : value;
  }
  static bool all() { return slow() == "1"; }
  static bool with_nvcc() { return !slow().empty(); }
  static bool with_clang() { return slow() != "nvcc"; }

  /// Leaves out what is too much work to simulate in a sanitized build, keeps every variant.
  static void shrink(Task& task, std::uint64_t bytes, double work) {
    std::vector<TaskSize> kept;
    for (const TaskSize& size : task.edge_sizes) {
      if (footprint_bytes(task, size).value() <= bytes && flops(task, size).value() <= work)
        kept.push_back(size);
    }
    task.edge_sizes = kept;
    task.sizes = {kept.back()};
    task.sizes.back().label = "small";
    // The work of sorting by exchanges grows with the square of what is drawn.
    if (task.domain.contains("N") && task.name == "sort") task.domain["N"] = "1..1024";
  }

  evaluate::JobRequest request(const std::string& task, const std::string& front_end) const {
    evaluate::JobRequest request;
    request.id = "test";
    request.task = suite::load_embedded_task(task).value();
    request.device = "simt";
    request.front_end = FrontEndChoice::named(front_end).value();
    request.seed = 20261115;
    // A sanitized build on a busy machine takes its time; so does nvcc with all of CUB.
    request.limit_s = 240;
    request.cache = folder_.path() / "cache";
    return request;
  }

  Evaluation judge(const evaluate::JobRequest& request) const {
    const StopSignal stop;
    return evaluate::judge(request, folder_.path() / "scratch", stop);
  }

 private:
  TemporaryDirectory folder_;
};

}  // namespace warpwright
