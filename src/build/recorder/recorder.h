// SPDX-License-Identifier: Apache-2.0
// The stand-in for the CUDA runtime that a candidate's host part is linked with. It owns no device:
// it answers questions from a table of facts and writes down what the device would have to do.
//
// These sources travel inside the program and are compiled on the machine that judges, against the
// same cuda_runtime_api.h as the candidate (ours or a toolkit's), so that structures agree.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

// Behind the library's headers: its macros take names from them.
#include <cuda_runtime_api.h>

#include "addresses.h"
#include "timeline.h"
#include "wire.h"

namespace ww_recorder {

inline constexpr std::uint64_t kMaxBuffers = 4096;
inline constexpr std::uint64_t kMaxBufferBytes = std::uint64_t{1} << 38;
inline constexpr std::size_t kMaxSteps = std::size_t{1} << 18;
inline constexpr std::size_t kMaxBytes = std::size_t{64} << 20;
inline constexpr std::size_t kMaxUpload = std::size_t{32} << 20;
// How a call's process ends after it has said why there is no plan.
inline constexpr int kGaveUp = 4;

/// What the PTX says of a kernel.
struct Kernel {
  struct Parameter {
    std::uint32_t offset = 0;
    std::uint32_t size = 0;
  };
  std::string name;
  int max_threads = 1024;
  int registers = 32;
  int static_shared = 0;
  int local_bytes = 0;
  std::uint32_t parameter_bytes = 0;
  std::vector<Parameter> parameters;
  // Set by the candidate.
  int dynamic_shared_limit = -1;
  int carveout = -1;
  bool large_clusters = false;
};

struct Buffer {
  WireBuffer kind = WireBuffer::scratch;
  std::uint32_t argument = 0;
  std::string symbol;
  std::uint64_t bytes = 0;
  std::uint64_t address = 0;
  bool live = true;
  bool past = false;  ///< an argument of an earlier call
};

struct Variable {
  std::string name;
  std::uint64_t bytes = 0;
  int buffer = -1;
};

struct LaunchConfiguration {
  dim3 grid, block;
  std::size_t shared = 0;
  void* stream = nullptr;
  const void* caller = nullptr;
};

/// One launch request, however it was made.
struct Launch {
  const void* function = nullptr;
  dim3 grid, block, cluster;
  std::size_t shared = 0;
  bool cooperative = false;
  void** arguments = nullptr;
  cudaStream_t stream = nullptr;
  bool overlaps = false;
  bool clustered = false;
};

/// Everything that the C functions of the API share. There is one, as the API has no handle.
struct State {
  std::map<std::string, long long, std::less<>> facts;  ///< of the target device
  std::string device_name = "CUDA device";
  std::map<std::string, Kernel, std::less<>> kernels;  ///< by PTX name
  std::map<const void*, std::string> functions;        ///< host stub -> PTX name
  std::map<const void*, Variable> variables;           ///< host shadow -> variable
  std::unique_ptr<AddressSpace> space;
  std::vector<Buffer> buffers;
  std::map<std::uint64_t, int> places;  ///< address -> buffer
  std::vector<LaunchConfiguration> configurations;
  const void* last_launch_caller = nullptr;
  Streams streams;
  std::uint64_t allocated = 0;
  std::uint64_t stack_bytes = 0;
  std::uint64_t heap_bytes = 0;
  std::size_t written = 0;  ///< bytes of all steps
  cudaError_t last_error = cudaSuccess;
  bool takes_its_time = false;    ///< the device, when it is asked whether it is done
  std::size_t asked_behind = 0;   ///< so many steps
  bool called = false;            ///< solve is being run
  std::size_t first_step = 0;     ///< of the call that is being made
  std::size_t first_buffer = 0;   ///< likewise
  std::uint32_t first_track = 0;  ///< likewise
  int in_fd = -1;
  int out_fd = -1;
};

State& state();
long long fact(std::string_view name);

/// Reports the call's end with a verdict other than ok, and ends the process.
/// The caller's address lets the judge name the source line.
[[noreturn]] void give_up(WireVerdict verdict, const std::string& message, const void* caller);
[[noreturn]] void unsupported(const char* api, const char* why, const void* caller);
void say(char message);
void say(char message, std::string_view bytes);
/// Forgets what does not concern the next call: its steps and buffers are counted anew, and the
/// arguments of the last one are gone unless it has the same.
void begin_call(bool same_arguments);
/// Writes the plan of the call.
void report_plan();

/// Remembers an error the way the API does, for cudaGetLastError.
cudaError_t failed(cudaError_t error);

/// The stream behind a handle; gives up (naming the api) when there is none.
Stream& stream_of(cudaStream_t handle, const char* api, const void* caller);
/// Queues what the device is to do.
void add_step(Stream& stream, const Wire& step);
int add_buffer(Buffer buffer);

bool is_device(const void* pointer);
/// The buffer a device pointer lies in, live; gives up (naming the api) when there is none or when
/// `bytes` from it leave the buffer.
int buffer_at(const void* pointer, std::uint64_t bytes, const char* api, const void* caller);

cudaError_t record_launch(const Launch& launch, const void* caller);
Kernel* kernel_of(const void* function);
/// A graph that was built node by node, as if it had been captured; null: there is no such graph.
Capture* instantiate(const void* graph);
const char* error_name(cudaError_t error);

}  // namespace ww_recorder

#define WW_API extern "C" __attribute__((visibility("default")))
#define WW_CALLER __builtin_return_address(0)
