// SPDX-License-Identifier: Apache-2.0
// The stand-in for the CUDA runtime that a candidate's host part is linked with. It owns no device:
// it answers questions from a table of facts and writes down what the device would have to do.
//
// These sources travel inside the program and are compiled on the machine that judges, against the
// same cuda_runtime_api.h as the candidate (ours or a toolkit's), so that structures agree.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ww_recorder {

// The tag of fake device addresses; core/launch_plan.h documents the layout.
inline constexpr std::uint64_t kTag = std::uint64_t{0x575} << 52;
inline constexpr std::uint64_t kTagMask = std::uint64_t{0xFFF} << 52;
inline constexpr std::uint64_t kBias = std::uint64_t{1} << 39;
inline constexpr std::uint64_t kIdMask = 0xFFF;
inline constexpr std::uint64_t kMaxBuffers = 4096;
inline constexpr std::uint64_t kMaxBufferBytes = std::uint64_t{1} << 38;
inline constexpr std::size_t kMaxSteps = std::size_t{1} << 18;
inline constexpr std::size_t kMaxText = std::size_t{64} << 20;
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
  std::string json;  ///< without the size
  std::uint64_t bytes = 0;
  bool live = true;
  bool scratch = false;
};

struct Variable {
  std::string name;
  std::uint64_t bytes = 0;
  int buffer = -1;
};

struct LaunchConfiguration {
  dim3 grid, block;
  std::size_t shared = 0;
  const void* caller = nullptr;
};

/// One captured graph: the steps between begin and end of a capture.
struct Graph {
  std::vector<std::string> steps;
};

/// One launch request, however it was made.
struct Launch {
  const void* function = nullptr;
  dim3 grid, block, cluster;
  std::size_t shared = 0;
  bool cooperative = false;
  void** arguments = nullptr;
  bool overlaps = false;
};

/// Everything that the C functions of the API share. There is one, as the API has no handle.
struct State {
  std::map<std::string, long long, std::less<>> facts;  ///< of the target device
  std::string device_name = "CUDA device";
  std::map<std::string, Kernel, std::less<>> kernels;  ///< by PTX name
  std::map<const void*, std::string> functions;        ///< host stub -> PTX name
  std::map<const void*, Variable> variables;           ///< host shadow -> variable
  std::vector<Buffer> buffers;
  std::vector<std::string> steps;
  std::vector<LaunchConfiguration> configurations;
  const void* last_launch_caller = nullptr;
  std::vector<Graph> graphs;
  bool capturing = false;
  std::vector<std::string> captured;
  std::uint64_t allocated = 0;
  std::uint64_t stack_bytes = 0;
  std::uint64_t heap_bytes = 0;
  std::uintptr_t next_handle = 0x1000;
  std::size_t text_bytes = 0;
  cudaError_t last_error = cudaSuccess;
  int call = -1;  ///< which call is being recorded, -1 before the first
  int out_fd = 1;
};

State& state();
long long fact(std::string_view name);

/// Reports the call's end with a verdict other than ok, and ends the process.
/// The caller's address lets the judge name the source line.
[[noreturn]] void give_up(const char* verdict, const std::string& message, const void* caller);
[[noreturn]] void unsupported(const char* api, const char* why, const void* caller);
/// Writes the recorded plan.
void report_plan();

/// Remembers an error the way the API does, for cudaGetLastError.
cudaError_t failed(cudaError_t error);

void add_step(std::string json);
int add_buffer(std::string json, std::uint64_t bytes, bool scratch);

bool is_device(const void* pointer);
std::uint64_t address_of_buffer(int buffer);
/// The buffer a device pointer lies in, live; gives up (naming the api) when there is none or when
/// `bytes` from it leave the buffer.
int buffer_at(const void* pointer, std::uint64_t bytes, const char* api, const void* caller);

cudaError_t record_launch(const Launch& launch, const void* caller);
Kernel* kernel_of(const void* function);

std::string quoted(std::string_view text);
std::string hex(const void* data, std::size_t size);
std::string address_text(const void* pointer);
const char* error_name(cudaError_t error);

}  // namespace ww_recorder

#define WW_API extern "C" __attribute__((visibility("default")))
#define WW_CALLER __builtin_return_address(0)
