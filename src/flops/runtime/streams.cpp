// SPDX-License-Identifier: Apache-2.0
// Streams, events and graphs. Everything is done when it is asked for, so nobody ever waits.
#include "runtime.h"

using namespace ww_flops;

namespace {

/// Handles are numbers that nobody looks behind.
template <class Handle>
Handle new_handle() {
  const std::lock_guard<std::recursive_mutex> lock(state().busy);
  return reinterpret_cast<Handle>(static_cast<std::uintptr_t>(0x1000 + 16 * ++state().events));
}

}  // namespace

WW_API cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned, int) {
  *stream = new_handle<cudaStream_t>();
  return cudaSuccess;
}
WW_API cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  return cudaStreamCreateWithPriority(stream, 0, 0);
}
WW_API cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithPriority(stream, 0, 0);
}
WW_API cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }
WW_API cudaError_t cudaStreamGetPriority(cudaStream_t, int* priority) {
  *priority = 0;
  return cudaSuccess;
}
WW_API cudaError_t cudaStreamGetFlags(cudaStream_t, unsigned* flags) {
  *flags = 0;
  return cudaSuccess;
}
WW_API cudaError_t cudaStreamSynchronize(cudaStream_t) { return state().poisoned; }
WW_API cudaError_t cudaStreamQuery(cudaStream_t) { return cudaSuccess; }
WW_API cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) { return cudaSuccess; }
WW_API cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus* status) {
  *status =
      state().capture != nullptr ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  return cudaSuccess;
}

WW_API cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = new_handle<cudaEvent_t>();
  return cudaSuccess;
}
WW_API cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, 0);
}
WW_API cudaError_t cudaEventDestroy(cudaEvent_t) { return cudaSuccess; }
WW_API cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t) { return cudaSuccess; }
WW_API cudaError_t cudaEventRecordWithFlags(cudaEvent_t, cudaStream_t, unsigned) {
  return cudaSuccess;
}
WW_API cudaError_t cudaEventSynchronize(cudaEvent_t) { return state().poisoned; }
WW_API cudaError_t cudaEventQuery(cudaEvent_t) { return cudaSuccess; }
/// A time that can be divided by; no GPU's.
WW_API cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t, cudaEvent_t) {
  *ms = 1;
  return cudaSuccess;
}

// Graphs: a capture collects the steps, a launch performs them.
WW_API cudaError_t cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode) {
  const std::lock_guard<std::recursive_mutex> lock(state().busy);
  state().graphs.push_back(std::make_unique<Graph>());
  state().capture = state().graphs.back().get();
  return cudaSuccess;
}
WW_API cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t* graph) {
  const std::lock_guard<std::recursive_mutex> lock(state().busy);
  if (state().capture == nullptr || graph == nullptr) return failed(cudaErrorInvalidValue);
  *graph = reinterpret_cast<cudaGraph_t>(state().capture);
  state().capture = nullptr;
  return cudaSuccess;
}
WW_API cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                        unsigned long long) {
  *executable = reinterpret_cast<cudaGraphExec_t>(graph);
  return cudaSuccess;
}
WW_API cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t) {
  const auto* wanted = reinterpret_cast<const Graph*>(executable);
  for (const auto& graph : state().graphs) {
    if (graph.get() != wanted) continue;
    for (const auto& step : graph->steps) perform(step);
    return cudaSuccess;
  }
  return failed(cudaErrorInvalidValue);
}
WW_API cudaError_t cudaGraphDestroy(cudaGraph_t) { return cudaSuccess; }
WW_API cudaError_t cudaGraphExecDestroy(cudaGraphExec_t) { return cudaSuccess; }
