// SPDX-License-Identifier: Apache-2.0
// The runtime API with its C++ conveniences.
#pragma once

#include "cuda_runtime_api.h"

template <class T>
static inline cudaError_t cudaMalloc(T** pointer, size_t size) {
  return ::cudaMalloc((void**)(void*)pointer, size);
}
template <class T>
static inline cudaError_t cudaMallocAsync(T** pointer, size_t size, cudaStream_t stream) {
  return ::cudaMallocAsync((void**)(void*)pointer, size, stream);
}
template <class T>
static inline cudaError_t cudaMallocPitch(T** pointer, size_t* pitch, size_t width, size_t height) {
  return ::cudaMallocPitch((void**)(void*)pointer, pitch, width, height);
}
template <class T>
static inline cudaError_t cudaMallocHost(T** pointer, size_t size, unsigned flags = 0) {
  return ::cudaHostAlloc((void**)(void*)pointer, size, flags);
}
template <class T>
static inline cudaError_t cudaHostAlloc(T** pointer, size_t size, unsigned flags) {
  return ::cudaHostAlloc((void**)(void*)pointer, size, flags);
}
template <class T>
static inline cudaError_t cudaMallocManaged(T** pointer, size_t size,
                                            unsigned flags = cudaMemAttachGlobal) {
  return ::cudaMallocManaged((void**)(void*)pointer, size, flags);
}
template <class T>
static inline cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* source, size_t count,
                                             size_t offset = 0,
                                             cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return ::cudaMemcpyToSymbol((const void*)&symbol, source, count, offset, kind);
}
template <class T>
static inline cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* source, size_t count,
                                                  size_t offset, cudaMemcpyKind kind,
                                                  cudaStream_t stream = 0) {
  return ::cudaMemcpyToSymbolAsync((const void*)&symbol, source, count, offset, kind, stream);
}
template <class T>
static inline cudaError_t cudaMemcpyFromSymbol(void* destination, const T& symbol, size_t count,
                                               size_t offset = 0,
                                               cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return ::cudaMemcpyFromSymbol(destination, (const void*)&symbol, count, offset, kind);
}
template <class T>
static inline cudaError_t cudaMemcpyFromSymbolAsync(void* destination, const T& symbol,
                                                    size_t count, size_t offset,
                                                    cudaMemcpyKind kind, cudaStream_t stream = 0) {
  return ::cudaMemcpyFromSymbolAsync(destination, (const void*)&symbol, count, offset, kind,
                                     stream);
}
template <class T>
static inline cudaError_t cudaGetSymbolAddress(void** pointer, const T& symbol) {
  return ::cudaGetSymbolAddress(pointer, (const void*)&symbol);
}
template <class T>
static inline cudaError_t cudaGetSymbolSize(size_t* size, const T& symbol) {
  return ::cudaGetSymbolSize(size, (const void*)&symbol);
}
template <class T>
static inline cudaError_t cudaFuncSetAttribute(T* function, cudaFuncAttribute attribute,
                                               int value) {
  return ::cudaFuncSetAttribute((const void*)function, attribute, value);
}
template <class T>
static inline cudaError_t cudaFuncSetCacheConfig(T* function, cudaFuncCache config) {
  return ::cudaFuncSetCacheConfig((const void*)function, config);
}
template <class T>
static inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, T* function) {
  return ::cudaFuncGetAttributes(attributes, (const void*)function);
}
template <class T>
static inline cudaError_t cudaLaunchKernel(T* function, dim3 grid, dim3 block, void** arguments,
                                           size_t shared = 0, cudaStream_t stream = 0) {
  return ::cudaLaunchKernel((const void*)function, grid, block, arguments, shared, stream);
}
template <class T>
static inline cudaError_t cudaLaunchCooperativeKernel(T* function, dim3 grid, dim3 block,
                                                      void** arguments, size_t shared = 0,
                                                      cudaStream_t stream = 0) {
  return ::cudaLaunchCooperativeKernel((const void*)function, grid, block, arguments, shared,
                                       stream);
}
template <class... Expected, class... Actual>
static inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config,
                                             void (*kernel)(Expected...), Actual&&... actual) {
  return [&](Expected... coerced) {
    void* arguments[] = {(void*)&coerced..., nullptr};
    return ::cudaLaunchKernelExC(config, (const void*)kernel, arguments);
  }(static_cast<Actual&&>(actual)...);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, T* function,
                                                         const cudaLaunchConfig_t* config) {
  return ::cudaOccupancyMaxActiveClusters(clusters, (const void*)function, config);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialClusterSize(int* size, T* function,
                                                               const cudaLaunchConfig_t* config) {
  return ::cudaOccupancyMaxPotentialClusterSize(size, (const void*)function, config);
}
template <class T>
static inline cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, T* function,
                                                                    int blocks, int block_size) {
  return ::cudaOccupancyAvailableDynamicSMemPerBlock(bytes, (const void*)function, blocks,
                                                     block_size);
}
/// The form of CUDA 11 and older.
static inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                               void*, char*, size_t) {
  return ::cudaGraphInstantiate(executable, graph, 0ULL);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, T function,
                                                                        int block_size,
                                                                        size_t dynamic_bytes) {
  return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void*)function, block_size,
                                                         dynamic_bytes);
}
/// Tries every whole number of warps, largest first, as the toolkit's own version does.
template <class Bytes, class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* grid_size,
                                                                         int* block_size,
                                                                         T function, Bytes bytes_of,
                                                                         int limit = 0) {
  cudaFuncAttributes attributes;
  cudaError_t status = ::cudaFuncGetAttributes(&attributes, (const void*)function);
  int device = 0, multiprocessors = 0;
  if (status == cudaSuccess) status = ::cudaGetDevice(&device);
  if (status == cudaSuccess) {
    status = ::cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  }
  if (status != cudaSuccess) return status;
  int largest = attributes.maxThreadsPerBlock;
  if (limit > 0 && limit < largest) largest = limit;
  int best_threads = 0;
  *block_size = 0;
  *grid_size = 0;
  for (int size = (largest + 31) / 32 * 32; size > 0; size -= 32) {
    const int threads = size < largest ? size : largest;
    int blocks = 0;
    status = ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void*)function,
                                                             threads, bytes_of(threads));
    if (status != cudaSuccess) return status;
    if (blocks * threads > best_threads) {
      best_threads = blocks * threads;
      *block_size = threads;
      *grid_size = blocks * multiprocessors;
    }
  }
  return cudaSuccess;
}
template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid_size, int* block_size,
                                                             T function, size_t dynamic_bytes = 0,
                                                             int limit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
      grid_size, block_size, function, [=](int) { return dynamic_bytes; }, limit);
}

static inline struct cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) {
  return {width, height, depth};
}
static inline struct cudaPos make_cudaPos(size_t x, size_t y, size_t z) { return {x, y, z}; }
static inline struct cudaPitchedPtr make_cudaPitchedPtr(void* pointer, size_t pitch, size_t width,
                                                        size_t height) {
  return {pointer, pitch, width, height};
}

/// The format of an array of such elements.
template <class T>
static inline cudaChannelFormatDesc cudaCreateChannelDesc() {
  return {0, 0, 0, 0, cudaChannelFormatKindNone};
}
#define __WW_CHANNELS(SCALAR, NAME, KIND)                                   \
  template <>                                                               \
  inline cudaChannelFormatDesc cudaCreateChannelDesc<SCALAR>() {            \
    return {8 * (int)sizeof(SCALAR), 0, 0, 0, cudaChannelFormatKind##KIND}; \
  }                                                                         \
  template <>                                                               \
  inline cudaChannelFormatDesc cudaCreateChannelDesc<NAME##1>() {           \
    return {8 * (int)sizeof(SCALAR), 0, 0, 0, cudaChannelFormatKind##KIND}; \
  }                                                                         \
  template <>                                                               \
  inline cudaChannelFormatDesc cudaCreateChannelDesc<NAME##2>() {           \
    const int bits = 8 * (int)sizeof(SCALAR);                               \
    return {bits, bits, 0, 0, cudaChannelFormatKind##KIND};                 \
  }                                                                         \
  template <>                                                               \
  inline cudaChannelFormatDesc cudaCreateChannelDesc<NAME##4>() {           \
    const int bits = 8 * (int)sizeof(SCALAR);                               \
    return {bits, bits, bits, bits, cudaChannelFormatKind##KIND};           \
  }
__WW_CHANNELS(float, float, Float)
__WW_CHANNELS(signed char, char, Signed)
__WW_CHANNELS(unsigned char, uchar, Unsigned)
__WW_CHANNELS(short, short, Signed)
__WW_CHANNELS(unsigned short, ushort, Unsigned)
__WW_CHANNELS(int, int, Signed)
__WW_CHANNELS(unsigned, uint, Unsigned)
#undef __WW_CHANNELS
template <>
inline cudaChannelFormatDesc cudaCreateChannelDesc<char>() {
  return {8, 0, 0, 0, cudaChannelFormatKindSigned};
}
