// SPDX-License-Identifier: Apache-2.0
// Questions about the device, and errors.
#include <cstring>

#include "runtime.h"

using namespace ww_flops;

namespace {

struct ErrorRow {
  int error;
  const char* name;
  const char* text;
};

constexpr ErrorRow kErrors[] = {
    {0, "cudaSuccess", "no error"},
    {1, "cudaErrorInvalidValue", "invalid argument"},
    {2, "cudaErrorMemoryAllocation", "out of memory"},
    {9, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    {12, "cudaErrorInvalidPitchValue", "invalid pitch argument"},
    {13, "cudaErrorInvalidSymbol", "invalid device symbol"},
    {52, "cudaErrorMissingConfiguration", "__global__ function call is not configured"},
    {98, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {101, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {700, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
    {710, "cudaErrorAssert", "device-side assert triggered"},
    {719, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {801, "cudaErrorNotSupported", "operation not supported"},
};

const ErrorRow* row_of(cudaError_t error) {
  for (const ErrorRow& row : kErrors) {
    if (row.error == static_cast<int>(error)) return &row;
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
    {16, "sm_count", 0},
    {31, nullptr, 1},
    {36, "memory_clock_khz", 0},
    {37, "memory_bus_bits", 0},
    {38, "l2_bytes", 0},
    {39, "max_threads_per_sm", 0},
    {40, nullptr, 2},
    {41, nullptr, 1},
    {75, "compute_major", 0},
    {76, "compute_minor", 0},
    {78, nullptr, 1},
    {79, nullptr, 1},
    {80, nullptr, 1},
    {81, "shared_per_sm_bytes", 0},
    {82, "registers_per_sm", 0},
    {83, nullptr, 1},
    {89, nullptr, 1},
    {90, nullptr, 1},
    {91, nullptr, 1},
    {95, nullptr, 1},
    {97, "shared_per_block_optin_bytes", 0},
    {99, nullptr, 1},
    {106, "max_blocks_per_sm", 0},
    {111, nullptr, 1024},
    {115, nullptr, 1},
};

/// There is one device; who wants another is told, and we are.
cudaError_t only_device(int device) {
  if (device == 0) return cudaSuccess;
  note_missing("device " + std::to_string(device) + ": there is one");
  return failed(cudaErrorInvalidDevice);
}

}  // namespace

WW_API cudaError_t cudaGetLastError(void) {
  const cudaError_t error = state().last_error;
  state().last_error = state().poisoned;
  return error;
}
WW_API cudaError_t cudaPeekAtLastError(void) { return state().last_error; }
WW_API const char* cudaGetErrorName(cudaError_t error) {
  const ErrorRow* row = row_of(error);
  return row == nullptr ? "cudaErrorUnknown" : row->name;
}
WW_API const char* cudaGetErrorString(cudaError_t error) {
  const ErrorRow* row = row_of(error);
  return row == nullptr ? "unknown error" : row->text;
}

WW_API cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
WW_API cudaError_t cudaSetDevice(int device) { return only_device(device); }
WW_API cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
WW_API cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp*) {
  *device = 0;
  return cudaSuccess;
}
WW_API cudaError_t cudaDeviceCanAccessPeer(int* can, int, int) {
  *can = 0;
  return cudaSuccess;
}
WW_API cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  if (only_device(device) != cudaSuccess) return cudaErrorInvalidDevice;
  *value = 0;
  for (const AttributeRow& row : kAttributes) {
    if (row.attribute != static_cast<int>(attribute)) continue;
    *value = row.fact == nullptr ? row.fixed : static_cast<int>(fact(row.fact));
  }
  return cudaSuccess;
}
WW_API cudaError_t cudaGetDeviceProperties(cudaDeviceProp* p, int device) {
  if (only_device(device) != cudaSuccess) return cudaErrorInvalidDevice;
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
  p->asyncEngineCount = 2;
  p->unifiedAddressing = 1;
  p->canMapHostMemory = 1;
  p->streamPrioritiesSupported = 1;
  p->concurrentManagedAccess = 1;
  p->textureAlignment = 512;
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
WW_API cudaError_t cudaDeviceSynchronize(void) { return state().poisoned; }
WW_API cudaError_t cudaDeviceReset(void) {
  state().poisoned = state().last_error = cudaSuccess;
  return cudaSuccess;
}
WW_API cudaError_t cudaDeviceSetLimit(cudaLimit, size_t) { return cudaSuccess; }
WW_API cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
  *value = limit == cudaLimitStackSize ? 1024 : limit == cudaLimitMallocHeapSize ? 8 << 20 : 0;
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
