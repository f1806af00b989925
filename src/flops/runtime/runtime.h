// SPDX-License-Identifier: Apache-2.0
// The CUDA runtime that a whole program is linked with when its work is counted. Device memory is
// memory that the program shares with the SIMT machine, at the same addresses; copies copy; every
// launch is run by the machine before it returns.
//
// These sources travel inside our program and are compiled on the machine that counts, against the
// same cuda_runtime_api.h as the program (ours or a toolkit's), so that structures agree.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

// Behind the library's headers: its macros take names from them.
#include <cuda_runtime_api.h>

#include "protocol.h"

namespace ww_flops {

struct Parameter {
  std::uint32_t offset = 0;
  std::uint32_t size = 0;
};

/// What the PTX says of a kernel.
struct KernelFacts {
  int max_threads = 1024;
  int registers = 32;
  int static_shared = 0;
  int local_bytes = 0;
  std::uint32_t parameter_bytes = 0;
  std::vector<Parameter> parameters;
};

struct Function {
  std::uint32_t module = kAnyModule;
  std::string name;
  bool asked = false;
  bool known = false;
  KernelFacts facts;
};

struct Variable {
  std::uint32_t module = kAnyModule;
  std::string name;
  std::uint64_t bytes = 0;
  std::uint64_t address = 0;
  char* shadow = nullptr;  ///< of a managed variable (managed.cpp)
};

struct Configuration {
  dim3 grid, block;
  std::size_t shared = 0;
  void* stream = nullptr;
};

/// What a captured stream was asked to do.
struct Graph {
  std::vector<std::function<void()>> steps;
};

/// Everything that the C functions of the API share. There is one, as the API has no handle.
struct State {
  std::recursive_mutex busy;
  std::map<std::string, long long, std::less<>> facts;
  std::string device_name = "CUDA device";
  std::map<const void*, Function> functions;                 ///< host stub -> kernel
  std::map<const void*, Variable> variables;                 ///< host shadow -> variable
  std::vector<std::pair<const char*, const char*>> shadows;  ///< where those of managed ones are
  std::vector<Configuration> configurations;
  std::map<std::uint64_t, std::uint64_t> blocks;  ///< of device memory: address -> bytes
  std::vector<std::unique_ptr<Graph>> graphs;
  Graph* capture = nullptr;  ///< the open one
  std::uint64_t arena_bytes = 0;
  std::uint64_t events = 0;
  cudaError_t last_error = cudaSuccess;
  /// An assertion failed on the device: from then on every call says so.
  cudaError_t poisoned = cudaSuccess;
  int ask_fd = -1;
  int answer_fd = -1;
};

State& state();
long long fact(std::string_view name);

/// One question and its answer.
std::int32_t ask(Ask kind, const Packer& question, std::string* answer = nullptr);
/// Tells that something is not there.
void note_missing(std::string_view what);
/// The same of a call, and ends the program.
[[noreturn]] void missing_call(const char* api);

/// Remembers an error the way the API does, for cudaGetLastError.
cudaError_t failed(cudaError_t error);
bool is_device(const void* pointer);
/// Does it now, or when the captured graph is launched.
cudaError_t perform(std::function<void()> step);
Function* function_of(const void* host);

/// Finds managed variables among the registered ones; registrations and places come in any order.
void adopt_managed();
/// What the host wrote to managed variables, before a launch, and what kernels wrote, behind it.
void managed_to_device();
void managed_to_host();
/// The device's address of what may be a managed variable's shadow.
std::uint64_t seen_by_device(std::uint64_t address);

}  // namespace ww_flops

#define WW_API extern "C" __attribute__((visibility("default")))
