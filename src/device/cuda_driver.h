// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

// The part of the CUDA driver's binary interface that we use, declared here so that one program
// builds and runs everywhere, with and without a toolkit, a driver or a GPU.

namespace warpwright::device {

using CuResult = int;
using CuDevice = int;
using CuAddress = std::uint64_t;
using CuHandle = std::uint64_t;  ///< of physical memory
using CuContext = struct CuContextOpaque*;
using CuModule = struct CuModuleOpaque*;
using CuFunction = struct CuFunctionOpaque*;
using CuStream = struct CuStreamOpaque*;
using CuEvent = struct CuEventOpaque*;
using CuGraph = struct CuGraphOpaque*;
using CuGraphExec = struct CuGraphExecOpaque*;

// Numbers from the driver's interface; the names are NVIDIA's without their prefix.
inline constexpr CuResult kCuOutOfMemory = 2;
inline constexpr CuResult kCuInvalidPtx = 218;
inline constexpr CuResult kCuUnsupportedPtxVersion = 222;
inline constexpr CuResult kCuNotFound = 500;
inline constexpr CuResult kCuNotReady = 600;
inline constexpr int kCuLimitStackSize = 0;
inline constexpr int kCuLimitMallocHeapSize = 2;
inline constexpr int kCuLimitPersistingL2 = 6;
inline constexpr int kCuFuncSharedBytes = 1;
inline constexpr int kCuFuncLocalBytes = 3;
inline constexpr int kCuFuncRegisters = 4;
inline constexpr int kCuFuncMaxDynamicShared = 8;
inline constexpr int kCuFuncCarveout = 9;
inline constexpr int kCuFuncNonPortableCluster = 14;
inline constexpr int kCuJitErrorLog = 5;
inline constexpr int kCuJitErrorLogBytes = 6;
inline constexpr int kCuCaptureRelaxed = 2;
inline constexpr unsigned kCuStreamNonBlocking = 1;
inline constexpr unsigned kCuEventDisableTiming = 2;
inline constexpr int kCuLaunchCooperative = 2;
inline constexpr int kCuLaunchClusterDimension = 4;
inline constexpr int kCuLaunchProgrammatic = 6;
inline constexpr int kCuMemoryTypeDevice = 2;

enum class CuAttribute : int {
  max_threads_per_block = 1,
  shared_per_block = 8,
  warp_size = 10,
  clock_khz = 13,
  sm_count = 16,
  memory_clock_khz = 36,
  bus_width_bits = 37,
  l2_bytes = 38,
  max_threads_per_sm = 39,
  compute_major = 75,
  compute_minor = 76,
  shared_per_sm = 81,
  registers_per_sm = 82,
  shared_per_block_optin = 97,
  virtual_memory = 102,
  max_blocks_per_sm = 106,
};

struct CuMemLocation {
  int type = 1;  ///< a device
  int id = 0;
};
struct CuMemProperties {
  int type = 1;  ///< pinned
  int handle_types = 0;
  CuMemLocation location;
  void* win32 = nullptr;
  unsigned char flags[8] = {};
};
struct CuMemAccess {
  CuMemLocation location;
  int flags = 3;  ///< read and write
};
struct CuLaunchAttribute {
  int id = 0;
  char pad[4] = {};
  union {
    char bytes[64];
    int flag;
    struct {
      unsigned x, y, z;
    } cluster;
  } value = {};
};
struct CuLaunchConfig {
  unsigned grid_x, grid_y, grid_z;
  unsigned block_x, block_y, block_z;
  unsigned shared_bytes;
  CuStream stream;
  CuLaunchAttribute* attributes;
  unsigned attribute_count;
};
struct CuCopy2D {
  std::size_t source_x = 0, source_y = 0;
  int source_type = kCuMemoryTypeDevice;
  const void* source_host = nullptr;
  CuAddress source = 0;
  void* source_array = nullptr;
  std::size_t source_pitch = 0;
  std::size_t to_x = 0, to_y = 0;
  int to_type = kCuMemoryTypeDevice;
  void* to_host = nullptr;
  CuAddress to = 0;
  void* to_array = nullptr;
  std::size_t to_pitch = 0;
  std::size_t width_bytes = 0, height = 0;
};
using CuTexture = unsigned long long;
struct alignas(64) CuTensorMap {
  std::uint64_t opaque[16];
};
struct CuLinear {
  CuAddress at;
  int format;
  unsigned channels;
  std::size_t bytes;
};
struct CuRows {
  CuAddress at;
  int format;
  unsigned channels;
  std::size_t width, height, pitch;
};
struct CuResource {
  int type = 0;
  union {
    int reserved[32] = {};
    CuLinear linear;
    CuRows rows;
  };
  unsigned flags = 0;
};
struct CuTextureForm {
  int edge[3] = {};
  int filter = 0;
  unsigned flags = 0;
  unsigned anisotropy = 0;
  int mipmap_filter = 0;
  float mipmap_bias = 0, mipmap_least = 0, mipmap_most = 0;
  float border[4] = {};
  int reserved[12] = {};
};
static_assert(sizeof(CuTensorMap) == 128 && sizeof(CuResource) == 144 &&
              sizeof(CuTextureForm) == 104);
static_assert(sizeof(CuMemProperties) == 32 && sizeof(CuMemAccess) == 12);
static_assert(sizeof(CuLaunchAttribute) == 72 && sizeof(CuLaunchConfig) == 56);
static_assert(sizeof(CuCopy2D) == 128);

// X(member, exported name, parameters)
#define WW_CUDA_FUNCTIONS(X)                                                                       \
  X(init, "cuInit", (unsigned))                                                                    \
  X(driver_version, "cuDriverGetVersion", (int*))                                                  \
  X(error_name, "cuGetErrorName", (CuResult, const char**))                                        \
  X(error_text, "cuGetErrorString", (CuResult, const char**))                                      \
  X(device_count, "cuDeviceGetCount", (int*))                                                      \
  X(device_get, "cuDeviceGet", (CuDevice*, int))                                                   \
  X(device_name, "cuDeviceGetName", (char*, int, CuDevice))                                        \
  X(device_attribute, "cuDeviceGetAttribute", (int*, int, CuDevice))                               \
  X(device_total_mem, "cuDeviceTotalMem_v2", (std::size_t*, CuDevice))                             \
  X(context_retain, "cuDevicePrimaryCtxRetain", (CuContext*, CuDevice))                            \
  X(context_release, "cuDevicePrimaryCtxRelease_v2", (CuDevice))                                   \
  X(context_set_current, "cuCtxSetCurrent", (CuContext))                                           \
  X(context_set_limit, "cuCtxSetLimit", (int, std::size_t))                                        \
  X(context_reset_l2, "cuCtxResetPersistingL2Cache", ())                                           \
  X(memory_info, "cuMemGetInfo_v2", (std::size_t*, std::size_t*))                                  \
  X(memory_alloc, "cuMemAlloc_v2", (CuAddress*, std::size_t))                                      \
  X(memory_free, "cuMemFree_v2", (CuAddress))                                                      \
  X(memory_granularity, "cuMemGetAllocationGranularity",                                           \
    (std::size_t*, const CuMemProperties*, int))                                                   \
  X(memory_reserve, "cuMemAddressReserve",                                                         \
    (CuAddress*, std::size_t, std::size_t, CuAddress, unsigned long long))                         \
  X(memory_unreserve, "cuMemAddressFree", (CuAddress, std::size_t))                                \
  X(memory_create, "cuMemCreate",                                                                  \
    (CuHandle*, std::size_t, const CuMemProperties*, unsigned long long))                          \
  X(memory_destroy, "cuMemRelease", (CuHandle))                                                    \
  X(memory_map, "cuMemMap", (CuAddress, std::size_t, std::size_t, CuHandle, unsigned long long))   \
  X(memory_unmap, "cuMemUnmap", (CuAddress, std::size_t))                                          \
  X(memory_set_access, "cuMemSetAccess",                                                           \
    (CuAddress, std::size_t, const CuMemAccess*, std::size_t))                                     \
  X(copy_to_device, "cuMemcpyHtoD_v2", (CuAddress, const void*, std::size_t))                      \
  X(copy_to_device_async, "cuMemcpyHtoDAsync_v2", (CuAddress, const void*, std::size_t, CuStream)) \
  X(copy_to_host, "cuMemcpyDtoH_v2", (void*, CuAddress, std::size_t))                              \
  X(copy_to_host_async, "cuMemcpyDtoHAsync_v2", (void*, CuAddress, std::size_t, CuStream))         \
  X(host_alloc, "cuMemAllocHost_v2", (void**, std::size_t))                                        \
  X(host_free, "cuMemFreeHost", (void*))                                                           \
  X(copy_async, "cuMemcpyDtoDAsync_v2", (CuAddress, CuAddress, std::size_t, CuStream))             \
  X(copy_2d_async, "cuMemcpy2DAsync_v2", (const CuCopy2D*, CuStream))                              \
  X(set_8, "cuMemsetD8Async", (CuAddress, unsigned char, std::size_t, CuStream))                   \
  X(set_16, "cuMemsetD16Async", (CuAddress, unsigned short, std::size_t, CuStream))                \
  X(set_32, "cuMemsetD32Async", (CuAddress, unsigned, std::size_t, CuStream))                      \
  X(set_2d_8, "cuMemsetD2D8Async",                                                                 \
    (CuAddress, std::size_t, unsigned char, std::size_t, std::size_t, CuStream))                   \
  X(set_2d_16, "cuMemsetD2D16Async",                                                               \
    (CuAddress, std::size_t, unsigned short, std::size_t, std::size_t, CuStream))                  \
  X(set_2d_32, "cuMemsetD2D32Async",                                                               \
    (CuAddress, std::size_t, unsigned, std::size_t, std::size_t, CuStream))                        \
  X(module_load, "cuModuleLoadDataEx", (CuModule*, const void*, unsigned, int*, void**))           \
  X(module_unload, "cuModuleUnload", (CuModule))                                                   \
  X(module_function, "cuModuleGetFunction", (CuFunction*, CuModule, const char*))                  \
  X(module_global, "cuModuleGetGlobal_v2", (CuAddress*, std::size_t*, CuModule, const char*))      \
  X(function_attribute, "cuFuncGetAttribute", (int*, int, CuFunction))                             \
  X(function_set_attribute, "cuFuncSetAttribute", (CuFunction, int, int))                          \
  X(occupancy_blocks, "cuOccupancyMaxActiveBlocksPerMultiprocessor",                               \
    (int*, CuFunction, int, std::size_t))                                                          \
  X(texture_create, "cuTexObjectCreate",                                                           \
    (CuTexture*, const CuResource*, const CuTextureForm*, const void*))                            \
  X(texture_destroy, "cuTexObjectDestroy", (CuTexture))                                            \
  X(launch, "cuLaunchKernelEx", (const CuLaunchConfig*, CuFunction, void**, void**))               \
  X(stream_create, "cuStreamCreate", (CuStream*, unsigned))                                        \
  X(stream_destroy, "cuStreamDestroy_v2", (CuStream))                                              \
  X(stream_synchronize, "cuStreamSynchronize", (CuStream))                                         \
  X(stream_wait_event, "cuStreamWaitEvent", (CuStream, CuEvent, unsigned))                         \
  X(capture_begin, "cuStreamBeginCapture_v2", (CuStream, int))                                     \
  X(capture_end, "cuStreamEndCapture", (CuStream, CuGraph*))                                       \
  X(graph_instantiate, "cuGraphInstantiateWithFlags", (CuGraphExec*, CuGraph, unsigned long long)) \
  X(graph_launch, "cuGraphLaunch", (CuGraphExec, CuStream))                                        \
  X(graph_upload, "cuGraphUpload", (CuGraphExec, CuStream))                                        \
  X(graph_exec_destroy, "cuGraphExecDestroy", (CuGraphExec))                                       \
  X(graph_destroy, "cuGraphDestroy", (CuGraph))                                                    \
  X(event_create, "cuEventCreate", (CuEvent*, unsigned))                                           \
  X(event_destroy, "cuEventDestroy_v2", (CuEvent))                                                 \
  X(event_record, "cuEventRecord", (CuEvent, CuStream))                                            \
  X(event_query, "cuEventQuery", (CuEvent))                                                        \
  X(event_synchronize, "cuEventSynchronize", (CuEvent))                                            \
  X(event_elapsed_ms, "cuEventElapsedTime", (float*, CuEvent, CuEvent))

/// The driver's functions, found at run time.
struct CudaDriver {
#define WW_CUDA_MEMBER(member, name, parameters) CuResult(*member) parameters = nullptr;
  WW_CUDA_FUNCTIONS(WW_CUDA_MEMBER)
#undef WW_CUDA_MEMBER
  /// Of drivers since CUDA 12; else null.
  CuResult (*tensor_map_encode)(CuTensorMap*, int type, unsigned rank, CuAddress,
                                const std::uint64_t* sizes, const std::uint64_t* strides,
                                const std::uint32_t* box, const std::uint32_t* steps,
                                int interleave, int swizzle, int promotion, int fill) = nullptr;

  /// Opens libcuda.so.1 and initialises it. The error says which of library, function or GPU is
  /// missing. The library stays open for the life of the process.
  static Result<CudaDriver> open();

  /// "an illegal memory access was encountered (CUDA_ERROR_ILLEGAL_ADDRESS)"
  [[nodiscard]] std::string describe(CuResult result) const;
  /// Success, or the error "could not WHAT: ...".
  [[nodiscard]] Status check(CuResult result, std::string_view what) const;
};

}  // namespace warpwright::device
