// SPDX-License-Identifier: Apache-2.0
// Registration of the candidate's kernels and variables, launches, attributes and occupancy.
#include <algorithm>
#include <cstring>

#include "recorder.h"

namespace ww_recorder {

namespace {

constexpr int kReservedShared = 1024;  // per block, since compute capability 8.0

void add_dims(Wire& wire, const dim3& dims) { wire.u32(dims.x).u32(dims.y).u32(dims.z); }

std::string plain(const dim3& dims) {
  return "(" + std::to_string(dims.x) + ", " + std::to_string(dims.y) + ", " +
         std::to_string(dims.z) + ")";
}

/// The first thing the device would refuse, or an empty text.
std::string refusal(const Launch& launch, const Kernel& kernel, cudaError_t& error) {
  error = cudaErrorInvalidConfiguration;
  const auto threads =
      static_cast<unsigned long long>(launch.block.x) * launch.block.y * launch.block.z;
  if (launch.grid.x == 0 || launch.grid.y == 0 || launch.grid.z == 0) {
    return "the grid " + plain(launch.grid) + " has a zero dimension";
  }
  if (threads == 0) return "the block " + plain(launch.block) + " has a zero dimension";
  if (launch.grid.x > 0x7FFFFFFFU || launch.grid.y > 65535 || launch.grid.z > 65535) {
    return "the grid " + plain(launch.grid) + " exceeds (2147483647, 65535, 65535)";
  }
  const auto most = static_cast<unsigned long long>(fact("max_threads_per_block"));
  if (launch.block.x > 1024 || launch.block.y > 1024 || launch.block.z > 64 || threads > most) {
    return "the block " + plain(launch.block) + " exceeds " + std::to_string(most) +
           " threads or (1024, 1024, 64)";
  }
  if (threads > static_cast<unsigned long long>(kernel.max_threads)) {
    return "the block has " + std::to_string(threads) + " threads, but __launch_bounds__ says " +
           std::to_string(kernel.max_threads);
  }
  error = cudaErrorLaunchOutOfResources;
  if (threads * static_cast<unsigned long long>(kernel.registers) >
      static_cast<unsigned long long>(fact("registers_per_sm"))) {
    return std::to_string(threads) + " threads of " + std::to_string(kernel.registers) +
           " registers do not fit";
  }
  error = cudaErrorInvalidValue;
  const long long limit = kernel.dynamic_shared_limit >= 0
                              ? kernel.dynamic_shared_limit
                              : fact("shared_per_block_bytes") - kernel.static_shared;
  if (static_cast<long long>(launch.shared) > limit) {
    return std::to_string(launch.shared) + " bytes of dynamic shared memory exceed the limit of " +
           std::to_string(limit) +
           " (raise it with cudaFuncSetAttribute(kernel, "
           "cudaFuncAttributeMaxDynamicSharedMemorySize, bytes))";
  }
  return {};
}

std::string cluster_refusal(const Launch& launch, const Kernel& kernel, cudaError_t& error) {
  error = cudaErrorInvalidConfiguration;
  const unsigned blocks = launch.cluster.x * launch.cluster.y * launch.cluster.z;
  if (blocks == 1) return {};
  if (fact("compute_major") < 9) return "clusters need compute capability 9.0";
  if (blocks == 0 || blocks > (kernel.large_clusters ? 16U : 8U)) {
    return "the cluster " + plain(launch.cluster) + " has too many blocks";
  }
  if (launch.grid.x % launch.cluster.x != 0 || launch.grid.y % launch.cluster.y != 0 ||
      launch.grid.z % launch.cluster.z != 0) {
    return "the grid " + plain(launch.grid) + " is not a multiple of the cluster " +
           plain(launch.cluster);
  }
  return {};
}

int resident_blocks(const Kernel& kernel, long long threads, std::size_t dynamic) {
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

std::string parameter_bytes(const Kernel& kernel, void** arguments) {
  std::string bytes(kernel.parameter_bytes, '\0');
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    const auto& parameter = kernel.parameters[i];
    std::memcpy(bytes.data() + parameter.offset, arguments[i], parameter.size);
  }
  return bytes;
}

}  // namespace

Kernel* kernel_of(const void* function) {
  const auto name = state().functions.find(function);
  if (name == state().functions.end()) return nullptr;
  const auto kernel = state().kernels.find(name->second);
  return kernel == state().kernels.end() ? nullptr : &kernel->second;
}

cudaError_t record_launch(const Launch& launch, const void* caller) {
  Kernel* kernel = kernel_of(launch.function);
  if (kernel == nullptr) {
    give_up(WireVerdict::launch_error,
            "launch of something that is not a kernel of this file "
            "(cudaErrorInvalidDeviceFunction)",
            caller);
  }
  cudaError_t error = cudaSuccess;
  std::string why = refusal(launch, *kernel, error);
  if (why.empty()) why = cluster_refusal(launch, *kernel, error);
  if (why.empty() && launch.cooperative) {
    const long long blocks = static_cast<long long>(launch.grid.x) * launch.grid.y * launch.grid.z;
    const long long threads =
        static_cast<long long>(launch.block.x) * launch.block.y * launch.block.z;
    const long long most = resident_blocks(*kernel, threads, launch.shared) * fact("sm_count");
    error = cudaErrorCooperativeLaunchTooLarge;
    if (blocks > most) {
      why = "a cooperative launch of " + std::to_string(blocks) + " blocks, but only " +
            std::to_string(most) + " fit on the device at once";
    }
  }
  if (!why.empty()) {
    give_up(WireVerdict::launch_error, kernel->name + ": " + why + " (" + error_name(error) + ")",
            caller);
  }
  Wire step;
  step.u8(static_cast<std::uint8_t>(WireStep::launch)).block(kernel->name);
  add_dims(step, launch.grid);
  add_dims(step, launch.block);
  add_dims(step, launch.cluster);
  step.u8(launch.clustered);
  step.u32(static_cast<std::uint32_t>(launch.shared)).u8(launch.cooperative).u8(launch.overlaps);
  step.i32(kernel->carveout).block(parameter_bytes(*kernel, launch.arguments));
  add_step(stream_of(launch.stream, "a kernel launch", caller), step);
  return cudaSuccess;
}

}  // namespace ww_recorder

using namespace ww_recorder;

// What compilers put into host code. The first argument of the registrations names the module.
WW_API void** __cudaRegisterFatBinary(void*) {
  static void* handle = nullptr;
  return &handle;
}
WW_API void __cudaRegisterFatBinaryEnd(void**) {}
WW_API void __cudaUnregisterFatBinary(void**) {}
WW_API char __cudaInitModule(void**) { return 1; }
WW_API void __cudaRegisterFunction(void**, const char* host, char*, const char* name, int, uint3*,
                                   uint3*, dim3*, dim3*, int*) {
  state().functions[host] = name;
}
WW_API void __cudaRegisterVar(void**, char* host, char*, const char* name, int, size_t size, int,
                              int) {
  state().variables[host] = {name, size, -1};
}
WW_API void __cudaRegisterManagedVar(void**, void**, char*, const char* name, int, size_t, int,
                                     int) {
  unsupported(name,
              "__managed__ variables are not supported; use a __device__ variable and "
              "cudaMemcpyToSymbol",
              nullptr);
}
WW_API unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void* stream) {
  state().configurations.push_back({grid, block, shared, stream, WW_CALLER});
  return 0;
}
WW_API cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared,
                                              void* stream) {
  auto& stack = state().configurations;
  if (stack.empty()) return cudaErrorMissingConfiguration;
  *grid = stack.back().grid;
  *block = stack.back().block;
  *shared = stack.back().shared;
  *static_cast<void**>(stream) = stack.back().stream;
  // Kept for one more moment: its caller is the line of the launch.
  state().last_launch_caller = stack.back().caller;
  stack.pop_back();
  return cudaSuccess;
}

WW_API cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                                    size_t shared, cudaStream_t stream) {
  const void* pushed = state().last_launch_caller;
  state().last_launch_caller = nullptr;
  return record_launch({function, grid, block, dim3(1, 1, 1), shared, false, arguments, stream},
                       pushed != nullptr ? pushed : WW_CALLER);
}
// CUDA 13's stubs ask for a handle first; the stub's own address serves.
WW_API cudaError_t __cudaGetKernel(void** handle, const void* function) {
  *handle = const_cast<void*>(function);
  return cudaSuccess;
}
WW_API cudaError_t __cudaLaunchKernel(void* handle, dim3 grid, dim3 block, void** arguments,
                                      size_t shared, cudaStream_t stream) {
  return cudaLaunchKernel(handle, grid, block, arguments, shared, stream);
}
WW_API cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block,
                                               void** arguments, size_t shared,
                                               cudaStream_t stream) {
  return record_launch({function, grid, block, dim3(1, 1, 1), shared, true, arguments, stream},
                       WW_CALLER);
}
static Launch launch_of(const cudaLaunchConfig_t* config, const void* function, void** arguments) {
  Launch launch{
      function, config->gridDim, config->blockDim, dim3(1, 1, 1), config->dynamicSmemBytes,
      false,    arguments,       config->stream};
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const auto& attribute = config->attrs[i];
    if (attribute.id == cudaLaunchAttributeClusterDimension) {
      launch.clustered = true;
      launch.cluster =
          dim3(attribute.val.clusterDim.x, attribute.val.clusterDim.y, attribute.val.clusterDim.z);
    }
    if (attribute.id == cudaLaunchAttributeCooperative) {
      launch.cooperative = attribute.val.cooperative != 0;
    }
    if (attribute.id == cudaLaunchAttributeProgrammaticStreamSerialization) {
      launch.overlaps = attribute.val.programmaticStreamSerializationAllowed != 0;
    }
  }
  return launch;
}
WW_API cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function,
                                       void** arguments) {
  return record_launch(launch_of(config, function, arguments), WW_CALLER);
}
WW_API cudaError_t cudaLaunchHostFunc(cudaStream_t, cudaHostFn_t, void*) {
  unsupported("cudaLaunchHostFunc", "host functions cannot be part of a launch plan", WW_CALLER);
}

WW_API cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute,
                                        int value) {
  Kernel* kernel = kernel_of(function);
  if (kernel == nullptr) return failed(cudaErrorInvalidDeviceFunction);
  switch (static_cast<int>(attribute)) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
      if (value < 0 || value + kernel->static_shared > fact("shared_per_block_optin_bytes")) {
        return failed(cudaErrorInvalidValue);
      }
      kernel->dynamic_shared_limit = value;
      return cudaSuccess;
    case cudaFuncAttributePreferredSharedMemoryCarveout:
      if (value < -1 || value > 100) return failed(cudaErrorInvalidValue);
      kernel->carveout = value;
      return cudaSuccess;
    case 14:  // cudaFuncAttributeNonPortableClusterSizeAllowed
      kernel->large_clusters = value != 0;
      return cudaSuccess;
    default:
      return cudaSuccess;
  }
}
WW_API cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  const Kernel* kernel = kernel_of(function);
  if (kernel == nullptr) return failed(cudaErrorInvalidDeviceFunction);
  std::memset(attributes, 0, sizeof *attributes);
  const int version = static_cast<int>(fact("compute_major") * 10 + fact("compute_minor"));
  attributes->sharedSizeBytes = static_cast<size_t>(kernel->static_shared);
  attributes->localSizeBytes = static_cast<size_t>(kernel->local_bytes);
  attributes->maxThreadsPerBlock = kernel->max_threads;
  attributes->numRegs = kernel->registers;
  attributes->ptxVersion = version;
  attributes->binaryVersion = version;
  attributes->maxDynamicSharedSizeBytes =
      kernel->dynamic_shared_limit >= 0
          ? kernel->dynamic_shared_limit
          : static_cast<int>(fact("shared_per_block_bytes")) - kernel->static_shared;
  attributes->preferredShmemCarveout = kernel->carveout;
  return cudaSuccess;
}
WW_API cudaError_t cudaFuncSetCacheConfig(const void*, cudaFuncCache) { return cudaSuccess; }
WW_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* blocks, const void* function, int block_size, size_t dynamic_bytes, unsigned) {
  const Kernel* kernel = kernel_of(function);
  if (kernel == nullptr) return failed(cudaErrorInvalidDeviceFunction);
  *blocks = resident_blocks(*kernel, block_size, dynamic_bytes);
  return cudaSuccess;
}
WW_API cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, const void* function,
                                                             int blocks, int block_size) {
  const Kernel* kernel = kernel_of(function);
  if (kernel == nullptr) return failed(cudaErrorInvalidDeviceFunction);
  const long long most = fact("shared_per_block_optin_bytes") - kernel->static_shared;
  long long dynamic =
      blocks > 0 ? fact("shared_per_sm_bytes") / blocks - kReservedShared - kernel->static_shared
                 : 0;
  dynamic = std::min(dynamic / 128 * 128, most);
  if (blocks <= 0 || dynamic < 0 || resident_blocks(*kernel, block_size, 0) < blocks) {
    return failed(cudaErrorInvalidValue);
  }
  *bytes = static_cast<size_t>(dynamic);
  return cudaSuccess;
}
WW_API cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, const void* function,
                                                  const cudaLaunchConfig_t* config) {
  const Kernel* kernel = kernel_of(function);
  if (kernel == nullptr) return failed(cudaErrorInvalidDeviceFunction);
  const Launch launch = launch_of(config, function, nullptr);
  const long long threads =
      static_cast<long long>(launch.block.x) * launch.block.y * launch.block.z;
  const long long size = std::max<long long>(
      static_cast<long long>(launch.cluster.x) * launch.cluster.y * launch.cluster.z, 1);
  *clusters =
      static_cast<int>(resident_blocks(*kernel, threads, launch.shared) * fact("sm_count") / size);
  return cudaSuccess;
}
WW_API cudaError_t cudaOccupancyMaxPotentialClusterSize(int* size, const void* function,
                                                        const cudaLaunchConfig_t*) {
  const Kernel* kernel = kernel_of(function);
  if (kernel == nullptr) return failed(cudaErrorInvalidDeviceFunction);
  *size = fact("compute_major") < 9 ? 1 : kernel->large_clusters ? 16 : 8;
  return cudaSuccess;
}
WW_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function,
                                                                 int block_size,
                                                                 size_t dynamic_bytes) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, block_size,
                                                                dynamic_bytes, 0);
}
