// SPDX-License-Identifier: Apache-2.0
// Streams, events and graphs: who waits for whom is in timeline.cpp.
#include "recorder.h"

using namespace ww_recorder;

namespace {

Event* event_of(cudaEvent_t handle) { return state().streams.find_event(handle); }

/// Whether the device is still at work, for who asks without waiting. In every other process it is,
/// the first time that somebody asks behind a step: plans must not depend on how quick it is.
bool is_busy() {
  State& s = state();
  const std::size_t steps = s.streams.timeline().steps().size();
  if (!s.takes_its_time || s.asked_behind == steps) return false;
  s.asked_behind = steps;
  return steps > s.first_step;
}

}  // namespace

WW_API cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags,
                                                int priority) {
  if (stream == nullptr || flags > 1) return failed(cudaErrorInvalidValue);
  *stream = reinterpret_cast<cudaStream_t>(&state().streams.create(flags, priority));
  return cudaSuccess;
}
WW_API cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}
WW_API cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithPriority(stream, 0, 0);
}
WW_API cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  Stream* stream = state().streams.find(handle);
  if (stream == nullptr || reinterpret_cast<std::uintptr_t>(handle) <= 2 ||
      stream == state().streams.caller()) {
    return failed(cudaErrorInvalidResourceHandle);
  }
  stream->live = false;
  return cudaSuccess;
}
WW_API cudaError_t cudaStreamGetPriority(cudaStream_t handle, int* priority) {
  const Stream* stream = state().streams.find(handle);
  if (stream == nullptr) return failed(cudaErrorInvalidResourceHandle);
  *priority = stream->priority;
  return cudaSuccess;
}
WW_API cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned* flags) {
  const Stream* stream = state().streams.find(handle);
  if (stream == nullptr) return failed(cudaErrorInvalidResourceHandle);
  *flags = stream->flags;
  return cudaSuccess;
}
WW_API cudaError_t cudaStreamGetDevice(cudaStream_t, int* device) {
  *device = 0;
  return cudaSuccess;
}
WW_API cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  state().streams.host_waits_for(stream_of(handle, "cudaStreamSynchronize", WW_CALLER));
  return cudaSuccess;
}
// "Done" is an answer that the host may rely on, so it counts as having waited.
WW_API cudaError_t cudaStreamQuery(cudaStream_t handle) {
  if (is_busy()) return cudaErrorNotReady;
  state().streams.host_waits_for(stream_of(handle, "cudaStreamQuery", WW_CALLER));
  return cudaSuccess;
}
WW_API cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event, unsigned) {
  const Event* found = event_of(event);
  if (found == nullptr) return failed(cudaErrorInvalidResourceHandle);
  state().streams.wait(stream_of(handle, "cudaStreamWaitEvent", WW_CALLER), *found);
  return cudaSuccess;
}
WW_API cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
  const Stream* stream = state().streams.find(handle);
  if (stream == nullptr) return failed(cudaErrorInvalidResourceHandle);
  *status =
      stream->capture != nullptr ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  return cudaSuccess;
}

WW_API cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  if (event == nullptr) return failed(cudaErrorInvalidValue);
  *event = reinterpret_cast<cudaEvent_t>(&state().streams.create_event());
  return cudaSuccess;
}
WW_API cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, 0);
}
WW_API cudaError_t cudaEventDestroy(cudaEvent_t event) {
  Event* found = event_of(event);
  if (found == nullptr) return failed(cudaErrorInvalidResourceHandle);
  found->live = false;
  return cudaSuccess;
}
WW_API cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t handle) {
  Event* found = event_of(event);
  if (found == nullptr) return failed(cudaErrorInvalidResourceHandle);
  state().streams.record(*found, stream_of(handle, "cudaEventRecord", WW_CALLER));
  return cudaSuccess;
}
WW_API cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t handle, unsigned) {
  return cudaEventRecord(event, handle);
}
WW_API cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  const Event* found = event_of(event);
  if (found == nullptr) return failed(cudaErrorInvalidResourceHandle);
  state().streams.host_waits_for(*found);
  return cudaSuccess;
}
WW_API cudaError_t cudaEventQuery(cudaEvent_t event) {
  if (event_of(event) != nullptr && is_busy()) return cudaErrorNotReady;
  return cudaEventSynchronize(event);
}
WW_API cudaError_t cudaEventElapsedTime(float*, cudaEvent_t, cudaEvent_t) {
  unsupported("cudaEventElapsedTime", "solve cannot measure: its launches have not run yet",
              WW_CALLER);
}

// Graphs: a capture collects the steps, a launch repeats them.
WW_API cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode) {
  Stream& stream = stream_of(handle, "cudaStreamBeginCapture", WW_CALLER);
  return state().streams.begin_capture(stream) ? cudaSuccess : failed(cudaErrorInvalidValue);
}
WW_API cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* graph) {
  Stream& stream = stream_of(handle, "cudaStreamEndCapture", WW_CALLER);
  Capture* capture = state().streams.end_capture(stream);
  if (capture == nullptr || graph == nullptr) return failed(cudaErrorInvalidValue);
  *graph = reinterpret_cast<cudaGraph_t>(capture);
  return cudaSuccess;
}
WW_API cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                        unsigned long long) {
  const Capture* ready = state().streams.find_capture(graph);
  if (ready == nullptr) ready = instantiate(graph);
  if (ready == nullptr || executable == nullptr) return failed(cudaErrorInvalidValue);
  *executable = reinterpret_cast<cudaGraphExec_t>(const_cast<Capture*>(ready));
  return cudaSuccess;
}
WW_API cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph,
                                                 unsigned long long flags) {
  return cudaGraphInstantiate(executable, graph, flags);
}
WW_API cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t handle) {
  const Capture* graph = state().streams.find_capture(executable);
  if (graph == nullptr) return failed(cudaErrorInvalidValue);
  Stream& stream = stream_of(handle, "cudaGraphLaunch", WW_CALLER);
  if (stream.capture != nullptr) {
    unsupported("cudaGraphLaunch", "launches a graph while its stream is captured", WW_CALLER);
  }
  for (const Step& step : graph->timeline.steps()) state().written += step.bytes.size();
  if (state().streams.timeline().steps().size() + graph->timeline.steps().size() > kMaxSteps ||
      state().written > kMaxBytes) {
    unsupported("cudaGraphLaunch", "solve records too many launches and copies", WW_CALLER);
  }
  state().streams.launch(*graph, stream);
  return cudaSuccess;
}
WW_API cudaError_t cudaGraphDestroy(cudaGraph_t) { return cudaSuccess; }
WW_API cudaError_t cudaGraphExecDestroy(cudaGraphExec_t) { return cudaSuccess; }
