// SPDX-License-Identifier: Apache-2.0
// Registration of the program's kernels and variables, launches, attributes and occupancy.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "runtime.h"

namespace ww_flops {

namespace {

constexpr int kReservedShared = 1024;  // per block, since compute capability 8.0

int resident_blocks(const KernelFacts& kernel, long long threads, std::size_t dynamic) {
  if (threads <= 0 || threads > fact("max_threads_per_block")) return 0;
  const long long warps = (threads + 31) / 32;
  long long blocks = fact("max_blocks_per_sm");
  blocks = std::min(blocks, fact("max_threads_per_sm") / (warps * 32));
  // Registers are given out per warp in units of 256.
  const long long per_warp = (static_cast<long long>(kernel.registers) * 32 + 255) / 256 * 256;
  if (per_warp > 0) blocks = std::min(blocks, fact("registers_per_sm") / per_warp / warps);
  const long long shared = kernel.static_shared + static_cast<long long>(dynamic) + kReservedShared;
  blocks = std::min(blocks, fact("shared_per_sm_bytes") / ((shared + 127) / 128 * 128));
  return static_cast<int>(std::max(blocks, 0LL));
}

std::string parameter_bytes(const KernelFacts& kernel, void** arguments) {
  std::string bytes(kernel.parameter_bytes, '\0');
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    const Parameter& parameter = kernel.parameters[i];
    if (parameter.offset > bytes.size() || parameter.size > bytes.size() - parameter.offset) break;
    std::memcpy(bytes.data() + parameter.offset, arguments[i], parameter.size);
    if (parameter.size != sizeof(std::uint64_t)) continue;
    std::uint64_t word = 0;
    std::memcpy(&word, arguments[i], sizeof word);
    word = seen_by_device(word);
    std::memcpy(bytes.data() + parameter.offset, &word, sizeof word);
  }
  return bytes;
}

std::int32_t run(const Packer& question) {
  managed_to_device();
  const std::int32_t error = ask(Ask::launch, question);
  managed_to_host();
  return error;
}

bool learn(Function& function) {
  if (function.asked) return function.known;
  function.asked = true;
  std::string answer;
  if (ask(Ask::kernel, Packer().u32(function.module).text(function.name), &answer) != 0) {
    return false;
  }
  Unpacker unpack(answer);
  KernelFacts& facts = function.facts;
  facts.max_threads = static_cast<int>(unpack.u32());
  facts.registers = static_cast<int>(unpack.u32());
  facts.static_shared = static_cast<int>(unpack.u32());
  facts.local_bytes = static_cast<int>(unpack.u32());
  facts.parameter_bytes = unpack.u32();
  for (std::uint32_t count = unpack.u32(); count > 0 && unpack.ok(); --count) {
    const std::uint32_t offset = unpack.u32();
    facts.parameters.push_back({offset, unpack.u32()});
  }
  function.known = unpack.ok();
  return function.known;
}

constexpr auto kAssertFailed = static_cast<cudaError_t>(710);

cudaError_t launch(const void* host, dim3 grid, dim3 block, void** arguments, std::size_t shared,
                   bool cooperative) {
  const Function* function = function_of(host);
  if (function == nullptr) return failed(cudaErrorInvalidDeviceFunction);
  if (state().poisoned != cudaSuccess) return failed(state().poisoned);
  Packer question;
  question.u32(function->module).text(function->name);
  for (const unsigned n : {grid.x, grid.y, grid.z, block.x, block.y, block.z}) question.u32(n);
  question.u32(static_cast<std::uint32_t>(shared)).u32(cooperative ? 1 : 0);
  question.text(parameter_bytes(function->facts, arguments));
  cudaError_t error = cudaSuccess;
  // A captured launch has its arguments already.
  if (state().capture != nullptr) {
    return perform([question] { failed(static_cast<cudaError_t>(run(question))); });
  }
  perform([&] { error = static_cast<cudaError_t>(run(question)); });
  // The host hears of it when it waits.
  if (error == kAssertFailed) {
    state().poisoned = failed(error);
    return cudaSuccess;
  }
  return failed(error);
}

}  // namespace

Function* function_of(const void* host) {
  const std::lock_guard<std::recursive_mutex> lock(state().busy);
  const auto it = state().functions.find(host);
  if (it == state().functions.end() || !learn(it->second)) return nullptr;
  return &it->second;
}

}  // namespace ww_flops

using namespace ww_flops;

namespace {

/// Our compiler puts "ww_module NUMBER" where the device image would be.
std::uint32_t module_of(void** handle) {
  return handle == nullptr ? kAnyModule
                           : static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(*handle));
}

}  // namespace

// What compilers put into host code. The first argument of the registrations names the module.
WW_API void** __cudaRegisterFatBinary(void* wrapper) {
  struct Wrapper {
    int magic, version;
    const char* data;
  };
  constexpr std::string_view kMark = "ww_module ";
  std::uintptr_t number = kAnyModule;
  const char* data = wrapper == nullptr ? nullptr : static_cast<Wrapper*>(wrapper)->data;
  if (data != nullptr && std::strncmp(data, kMark.data(), kMark.size()) == 0) {
    number = std::strtoul(data + kMark.size(), nullptr, 10);
  }
  return new void*(reinterpret_cast<void*>(number));
}
WW_API void __cudaRegisterFatBinaryEnd(void**) {}
WW_API void __cudaUnregisterFatBinary(void**) {}
WW_API char __cudaInitModule(void**) { return 1; }
WW_API void __cudaRegisterFunction(void** handle, const char* host, char*, const char* name, int,
                                   uint3*, uint3*, dim3*, dim3*, int*) {
  Function& function = state().functions[host];
  function.module = module_of(handle);
  function.name = name;
}
WW_API void __cudaRegisterVar(void** handle, char* host, char*, const char* name, int, size_t size,
                              int, int) {
  state().variables[host] = {module_of(handle), name, size, 0};
  adopt_managed();
}
/// The program reaches such a variable through a pointer that is ours to set.
WW_API void __cudaRegisterManagedVar(void** handle, void** pointer, char*, const char* name, int,
                                     size_t size, int, int) {
  std::string answer;
  if (ask(Ask::variable, Packer().u32(module_of(handle)).text(name), &answer) != 0) return;
  const std::uint64_t address = Unpacker(answer).u64();
  *pointer = reinterpret_cast<void*>(address);
  state().variables[pointer] = {module_of(handle), name, size, address};
}
WW_API void __cudaRegisterTexture(void**, const void*, const void**, const char* name, int, int,
                                  int) {
  note_missing("texture " + std::string(name));
}
WW_API unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void* stream) {
  const std::lock_guard<std::recursive_mutex> lock(state().busy);
  state().configurations.push_back({grid, block, shared, stream});
  return 0;
}
WW_API cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared,
                                              void* stream) {
  const std::lock_guard<std::recursive_mutex> lock(state().busy);
  auto& stack = state().configurations;
  if (stack.empty()) return cudaErrorMissingConfiguration;
  *grid = stack.back().grid;
  *block = stack.back().block;
  *shared = stack.back().shared;
  *static_cast<void**>(stream) = stack.back().stream;
  stack.pop_back();
  return cudaSuccess;
}

WW_API cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                                    size_t shared, cudaStream_t) {
  return launch(function, grid, block, arguments, shared, false);
}
// CUDA 13's stubs ask for a handle first; the stub's own address serves.
WW_API cudaError_t __cudaGetKernel(void** handle, const void* function) {
  *handle = const_cast<void*>(function);
  return cudaSuccess;
}
WW_API cudaError_t __cudaLaunchKernel(void* handle, dim3 grid, dim3 block, void** arguments,
                                      size_t shared, cudaStream_t) {
  return launch(handle, grid, block, arguments, shared, false);
}
WW_API cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block,
                                               void** arguments, size_t shared, cudaStream_t) {
  return launch(function, grid, block, arguments, shared, true);
}
WW_API cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function,
                                       void** arguments) {
  bool cooperative = false;
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    if (config->attrs[i].id == cudaLaunchAttributeClusterDimension) {
      missing_call("cudaLaunchKernelEx with clusters");
    }
    if (config->attrs[i].id == cudaLaunchAttributeCooperative) {
      cooperative = config->attrs[i].val.cooperative != 0;
    }
  }
  return launch(function, config->gridDim, config->blockDim, arguments, config->dynamicSmemBytes,
                cooperative);
}
WW_API cudaError_t cudaLaunchHostFunc(cudaStream_t, cudaHostFn_t function, void* data) {
  return perform([=] { function(data); });
}
WW_API cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function,
                                         void* data, unsigned) {
  return perform([=] { function(stream, cudaSuccess, data); });
}

WW_API cudaError_t cudaFuncSetAttribute(const void*, cudaFuncAttribute, int) { return cudaSuccess; }
WW_API cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* host) {
  const Function* function = function_of(host);
  if (function == nullptr) return failed(cudaErrorInvalidDeviceFunction);
  std::memset(attributes, 0, sizeof *attributes);
  const int version = static_cast<int>(fact("compute_major") * 10 + fact("compute_minor"));
  const KernelFacts& kernel = function->facts;
  attributes->sharedSizeBytes = static_cast<size_t>(kernel.static_shared);
  attributes->localSizeBytes = static_cast<size_t>(kernel.local_bytes);
  attributes->maxThreadsPerBlock = kernel.max_threads;
  attributes->numRegs = kernel.registers;
  attributes->ptxVersion = attributes->binaryVersion = version;
  attributes->maxDynamicSharedSizeBytes =
      static_cast<int>(fact("shared_per_block_bytes")) - kernel.static_shared;
  return cudaSuccess;
}
WW_API cudaError_t cudaFuncSetCacheConfig(const void*, cudaFuncCache) { return cudaSuccess; }
WW_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* blocks, const void* host, int block_size, size_t dynamic_bytes, unsigned) {
  const Function* function = function_of(host);
  if (function == nullptr) return failed(cudaErrorInvalidDeviceFunction);
  *blocks = resident_blocks(function->facts, block_size, dynamic_bytes);
  return cudaSuccess;
}
WW_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* host,
                                                                 int block_size,
                                                                 size_t dynamic_bytes) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, host, block_size,
                                                                dynamic_bytes, 0);
}
WW_API cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, const void* host, int,
                                                             int) {
  const Function* function = function_of(host);
  if (function == nullptr) return failed(cudaErrorInvalidDeviceFunction);
  *bytes = static_cast<size_t>(fact("shared_per_block_bytes") - function->facts.static_shared);
  return cudaSuccess;
}
