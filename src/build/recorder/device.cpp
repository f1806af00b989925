// SPDX-License-Identifier: Apache-2.0
// Questions about the device, and errors.
#include <cstring>

#include "recorder.h"

namespace ww_recorder {

namespace {

struct ErrorRow {
  cudaError_t error;
  const char* name;
  const char* text;
};

constexpr ErrorRow kErrors[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration",
     "invalid configuration argument"},
    {cudaErrorInvalidPitchValue, "cudaErrorInvalidPitchValue", "invalid pitch argument"},
    {cudaErrorInvalidSymbol, "cudaErrorInvalidSymbol", "invalid device symbol"},
    {cudaErrorInvalidDeviceFunction, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorMissingConfiguration, "cudaErrorMissingConfiguration",
     "__global__ function call is not configured"},
    {cudaErrorLaunchOutOfResources, "cudaErrorLaunchOutOfResources",
     "too many resources requested for launch"},
    {cudaErrorCooperativeLaunchTooLarge, "cudaErrorCooperativeLaunchTooLarge",
     "too many blocks in cooperative launch"},
    {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    {cudaErrorNotSupported, "cudaErrorNotSupported", "operation not supported"},
};

const ErrorRow* row_of(cudaError_t error) {
  for (const auto& row : kErrors) {
    if (row.error == error) return &row;
  }
  return nullptr;
}

struct AttributeRow {
  int attribute;
  const char* fact;
  int fixed;  ///< used when there is no fact
};

// By number: names come and go between toolkits, numbers stay.
constexpr AttributeRow kAttributes[] = {
    {1, "max_threads_per_block", 0},
    {2, nullptr, 1024},
    {3, nullptr, 1024},
    {4, nullptr, 64},
    {5, nullptr, 0x7FFFFFFF},
    {6, nullptr, 65535},
    {7, nullptr, 65535},
    {8, "shared_per_block_bytes", 0},
    {9, nullptr, 65536},
    {10, "warp_size", 0},
    {11, nullptr, 0x7FFFFFFF},
    {12, "registers_per_sm", 0},
    {13, "clock_khz", 0},
    {14, nullptr, 512},
    {15, nullptr, 1},
    {16, "sm_count", 0},
    {17, nullptr, 0},
    {18, nullptr, 0},
    {19, nullptr, 1},
    {20, nullptr, 0},
    {31, nullptr, 1},
    {32, nullptr, 1},
    {33, nullptr, 25},
    {34, nullptr, 0},
    {35, nullptr, 0},
    {36, "memory_clock_khz", 0},
    {37, "memory_bus_bits", 0},
    {38, "l2_bytes", 0},
    {39, "max_threads_per_sm", 0},
    {40, nullptr, 3},
    {41, nullptr, 1},
    {75, "compute_major", 0},
    {76, "compute_minor", 0},
    {78, nullptr, 1},
    {79, nullptr, 1},
    {80, nullptr, 1},
    {81, "shared_per_sm_bytes", 0},
    {82, "registers_per_sm", 0},
    {83, nullptr, 1},
    {84, nullptr, 0},
    {85, nullptr, 0},
    {86, nullptr, 0},
    {88, nullptr, 0},
    {89, nullptr, 1},
    {90, nullptr, 1},
    {91, nullptr, 1},
    {95, nullptr, 1},
    {97, "shared_per_block_optin_bytes", 0},
    {106, "max_blocks_per_sm", 0},
    {99, nullptr, 1},
    {102, nullptr, 1},
    {108, nullptr, 0},
    {109, nullptr, 0},
    {111, nullptr, 1024},
    {115, nullptr, 1},
    {120, "cluster_launch", 0},
    // Textures and surfaces, of which there are none here, have the sizes of current devices.
    {21, nullptr, 131072},
    {22, nullptr, 131072},
    {23, nullptr, 65536},
    {24, nullptr, 16384},
    {25, nullptr, 16384},
    {26, nullptr, 16384},
    {27, nullptr, 32768},
    {28, nullptr, 32768},
    {29, nullptr, 2048},
    {30, nullptr, 512},
    {87, nullptr, 2},  // binary32 over binary64
    {96, nullptr, 1},
    {98, nullptr, 0},
    {100, nullptr, 0},
    {101, nullptr, 0},
    {103, nullptr, 1},
    {112, nullptr, 1},
    {113, nullptr, 1},
    {114, nullptr, 1},
    {116, nullptr, 1},
    {117, nullptr, 1},
    {118, nullptr, 100},
    {119, nullptr, 9},
    {121, nullptr, 1},
    {122, nullptr, 1},
    {123, nullptr, 4},
    {130, nullptr, 0},
    {131, nullptr, -1},
    {133, nullptr, 0},
    {134, nullptr, -1},
};

}  // namespace

const char* error_name(cudaError_t error) {
  const ErrorRow* row = row_of(error);
  return row == nullptr ? "cudaErrorUnknown" : row->name;
}

}  // namespace ww_recorder

using namespace ww_recorder;

extern "C" [[noreturn]] void ww_unsupported_call(const char* api, const char* instead,
                                                 const void* caller) {
  const std::string hint = *instead == 0 ? "" : std::string("; ") + instead;
  unsupported(api, ("this call cannot be part of a launch plan" + hint).c_str(), caller);
}

WW_API cudaError_t cudaGetLastError(void) {
  const cudaError_t error = state().last_error;
  state().last_error = cudaSuccess;
  return error;
}
WW_API cudaError_t cudaPeekAtLastError(void) { return state().last_error; }
WW_API const char* cudaGetErrorName(cudaError_t error) { return error_name(error); }
WW_API const char* cudaGetErrorString(cudaError_t error) {
  const ErrorRow* row = row_of(error);
  return row == nullptr ? "unknown error" : row->text;
}

WW_API cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
WW_API cudaError_t cudaSetDevice(int device) {
  return device == 0 ? cudaSuccess : failed(cudaErrorInvalidDevice);
}
WW_API cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
WW_API cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  if (device != 0) return failed(cudaErrorInvalidDevice);
  for (const auto& row : kAttributes) {
    if (row.attribute != static_cast<int>(attribute)) continue;
    *value = row.fact == nullptr ? row.fixed : static_cast<int>(fact(row.fact));
    return cudaSuccess;
  }
  unsupported(
      "cudaDeviceGetAttribute",
      ("attribute " + std::to_string(static_cast<int>(attribute)) + " is not known here").c_str(),
      WW_CALLER);
}
WW_API cudaError_t cudaGetDeviceProperties(cudaDeviceProp* p, int device) {
  if (device != 0) return failed(cudaErrorInvalidDevice);
  std::memset(p, 0, sizeof *p);
  std::strncpy(p->name, state().device_name.c_str(), sizeof p->name - 1);
  p->totalGlobalMem = static_cast<size_t>(fact("memory_bytes"));
  p->sharedMemPerBlock = static_cast<size_t>(fact("shared_per_block_bytes"));
  p->regsPerBlock = static_cast<int>(fact("registers_per_sm"));
  p->warpSize = static_cast<int>(fact("warp_size"));
  p->memPitch = 0x7FFFFFFF;
  p->maxThreadsPerBlock = static_cast<int>(fact("max_threads_per_block"));
  p->maxThreadsDim[0] = p->maxThreadsDim[1] = 1024;
  p->maxThreadsDim[2] = 64;
  p->maxGridSize[0] = 0x7FFFFFFF;
  p->maxGridSize[1] = p->maxGridSize[2] = 65535;
  p->totalConstMem = 65536;
  p->major = static_cast<int>(fact("compute_major"));
  p->minor = static_cast<int>(fact("compute_minor"));
  p->multiProcessorCount = static_cast<int>(fact("sm_count"));
  p->concurrentKernels = 1;
  p->ECCEnabled = 1;
  p->l2CacheSize = static_cast<int>(fact("l2_bytes"));
  p->maxThreadsPerMultiProcessor = static_cast<int>(fact("max_threads_per_sm"));
  p->globalL1CacheSupported = p->localL1CacheSupported = 1;
  p->sharedMemPerMultiprocessor = static_cast<size_t>(fact("shared_per_sm_bytes"));
  p->regsPerMultiprocessor = static_cast<int>(fact("registers_per_sm"));
  p->managedMemory = 1;
  p->cooperativeLaunch = 1;
  p->sharedMemPerBlockOptin = static_cast<size_t>(fact("shared_per_block_optin_bytes"));
  p->maxBlocksPerMultiProcessor = static_cast<int>(fact("max_blocks_per_sm"));
  p->reservedSharedMemPerBlock = 1024;
  p->asyncEngineCount = 3;
  p->unifiedAddressing = 1;
  p->canMapHostMemory = p->streamPrioritiesSupported = p->computePreemptionSupported = 1;
  p->textureAlignment = p->surfaceAlignment = 512;
  p->texturePitchAlignment = 32;
#if CUDART_VERSION < 13000
  p->clockRate = static_cast<int>(fact("clock_khz"));
  p->memoryClockRate = static_cast<int>(fact("memory_clock_khz"));
#endif
  p->memoryBusWidth = static_cast<int>(fact("memory_bus_bits"));
  return cudaSuccess;
}
#if CUDART_VERSION >= 12000 && CUDART_VERSION < 13000
#undef cudaGetDeviceProperties_v2
WW_API cudaError_t cudaGetDeviceProperties_v2(cudaDeviceProp* properties, int device) {
  return cudaGetDeviceProperties(properties, device);
}
#endif
WW_API cudaError_t cudaDeviceSynchronize(void) {
  if (state().streams.capturing()) {
    unsupported("cudaDeviceSynchronize", "waits for the device while a stream is captured",
                WW_CALLER);
  }
  state().streams.host_waits_for_all();
  return cudaSuccess;
}
WW_API cudaError_t cudaDeviceReset(void) {
  unsupported("cudaDeviceReset", "solve must not reset the device", WW_CALLER);
}
WW_API cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  if (limit == cudaLimitStackSize) state().stack_bytes = value < (1U << 20) ? value : (1U << 20);
  if (limit == cudaLimitMallocHeapSize) state().heap_bytes = value;
  if (limit == cudaLimitPersistingL2CacheSize) {
    unsupported("cudaDeviceSetLimit", "pinning data in the L2 cache is not allowed", WW_CALLER);
  }
  return cudaSuccess;
}
WW_API cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
  const State& s = state();
  *value = 0;
  if (limit == cudaLimitStackSize) *value = s.stack_bytes != 0 ? s.stack_bytes : 1024;
  if (limit == cudaLimitMallocHeapSize) *value = s.heap_bytes != 0 ? s.heap_bytes : 8 << 20;
  return cudaSuccess;
}
WW_API cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return cudaSuccess; }
WW_API cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) { return cudaSuccess; }
WW_API cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least != nullptr) *least = 0;
  if (greatest != nullptr) *greatest = -5;
  return cudaSuccess;
}
WW_API cudaError_t cudaSetDeviceFlags(unsigned) { return cudaSuccess; }
WW_API cudaError_t cudaDriverGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
WW_API cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
