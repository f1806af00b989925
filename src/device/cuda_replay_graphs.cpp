// SPDX-License-Identifier: Apache-2.0
// Graphs of a plan: when it is timed as one, and how many there are.
#include <algorithm>

#include "device/cuda_replay.h"

namespace warpwright::device {

namespace {

// Neighbouring graphs share what their place is worth, in groups of about eight. These are made one
// by one while other replays make theirs, so that a replay's graphs lie in several groups.
constexpr std::size_t kGraphPlaces = 4;
constexpr std::size_t kMostStepsAtPlaces = 16;
constexpr std::size_t kMostStepsDirect = 8;  // queued while the cache is flushed

}  // namespace

/// Drivers refuse cooperative launches in a graph. Without one the steps are queued while the cache
/// is still being flushed, so that the GPU does not wait for us either.
bool CudaReplay::fits_graph() const {
  return std::none_of(plan_.steps.begin(), plan_.steps.end(), [](const PlanStep& step) {
    const auto* launch = std::get_if<KernelLaunch>(&step);
    return launch != nullptr && launch->cooperative;
  });
}

/// Directly, as a caller of `solve` has it: a graph's launch data is cold after the flush, and
/// where it lies moves a short time by up to 5 % for seconds (bench/places). Long plans go through
/// a graph: the host could not keep ahead of them.
bool CudaReplay::by_graph(const RunOptions& options) const {
  if (!options.timed || options.by == RunOptions::By::direct) return false;
  return options.by == RunOptions::By::graph || plan_.steps.size() > kMostStepsDirect;
}

/// Large graphs take long to make, and their place shows less.
std::size_t CudaReplay::graphs_wanted() const {
  if (!fits_graph()) return 0;
  return plan_.steps.size() <= kMostStepsAtPlaces ? kGraphPlaces : 1;
}

Status CudaReplay::capture() {
  WW_CHECK(driver_.check(driver_.capture_begin(device_.stream_, kCuCaptureRelaxed),
                         "begin to capture a graph"));
  const Status issued = issue();
  const CuResult ended = driver_.capture_end(device_.stream_, &captured_);
  WW_CHECK(issued);
  if (fault_) return {};
  return driver_.check(ended, "capture a graph");
}

Status CudaReplay::add_graph() {
  if (captured_ == nullptr) WW_CHECK(capture());
  if (fault_) return {};
  CuGraphExec graph = nullptr;
  const CuResult made = driver_.graph_instantiate(&graph, captured_, 0);
  if (made != 0) fault_ = fault_of(made, driver_);
  if (fault_) return {};
  WW_CHECK(driver_.check(made, "instantiate a graph"));
  graphs_.push_back(graph);
  return driver_.check(driver_.graph_upload(graph, device_.stream_), "upload a graph");
}

void CudaReplay::drop_graphs() {
  for (CuGraphExec graph : graphs_) driver_.graph_exec_destroy(graph);
  graphs_.clear();
  if (captured_ != nullptr) driver_.graph_destroy(captured_);
  captured_ = nullptr;
}

}  // namespace warpwright::device
