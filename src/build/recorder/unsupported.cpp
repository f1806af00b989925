// SPDX-License-Identifier: Apache-2.0
// Calls of the runtime API that have no place in a launch plan. They are named here so that a
// candidate that makes one is told at the call, with its line, and not by the linker. Apart from
// the other sources because the toolkit declares these functions with their real parameters, which
// nobody looks at.
extern "C" [[noreturn]] void ww_unsupported_call(const char* api, const char* instead,
                                                 const void* caller);

#define WW_UNSUPPORTED(NAME, INSTEAD)                                 \
  extern "C" __attribute__((visibility("default"))) int NAME() {      \
    ww_unsupported_call(#NAME, INSTEAD, __builtin_return_address(0)); \
  }

// Textures, surfaces, arrays and three-dimensional copies.
WW_UNSUPPORTED(cudaCreateTextureObject,
               "read the buffer through a const __restrict__ pointer, or with __ldg()")
WW_UNSUPPORTED(cudaDestroyTextureObject,
               "read the buffer through a const __restrict__ pointer, or with __ldg()")
WW_UNSUPPORTED(cudaCreateSurfaceObject,
               "read the buffer through a const __restrict__ pointer, or with __ldg()")
WW_UNSUPPORTED(cudaMallocArray, "use cudaMalloc or cudaMallocPitch")
WW_UNSUPPORTED(cudaMalloc3DArray, "use cudaMalloc or cudaMallocPitch")
WW_UNSUPPORTED(cudaMalloc3D, "use cudaMalloc or cudaMallocPitch")
WW_UNSUPPORTED(cudaFreeArray, "use cudaMalloc or cudaMallocPitch")
WW_UNSUPPORTED(cudaMemcpy3D, "use cudaMemcpy2DAsync, plane by plane, or a kernel")
WW_UNSUPPORTED(cudaMemcpy3DAsync, "use cudaMemcpy2DAsync, plane by plane, or a kernel")
WW_UNSUPPORTED(cudaMemcpy2DToArray, "use cudaMemcpy2DAsync, plane by plane, or a kernel")
WW_UNSUPPORTED(cudaMemcpyToArray, "use cudaMemcpy2DAsync, plane by plane, or a kernel")
// Other devices, other processes, managed and mapped memory.
WW_UNSUPPORTED(cudaMemcpyPeer, "there is one device")
WW_UNSUPPORTED(cudaMemcpyPeerAsync, "there is one device")
WW_UNSUPPORTED(cudaDeviceCanAccessPeer, "there is one device")
WW_UNSUPPORTED(cudaDeviceEnablePeerAccess, "there is one device")
WW_UNSUPPORTED(cudaIpcGetMemHandle, "there is one device")
WW_UNSUPPORTED(cudaIpcOpenMemHandle, "there is one device")
WW_UNSUPPORTED(cudaMemPrefetchAsync, "use cudaMalloc and cudaMemcpyAsync")
WW_UNSUPPORTED(cudaMemAdvise, "use cudaMalloc and cudaMemcpyAsync")
WW_UNSUPPORTED(cudaStreamAttachMemAsync, "use cudaMalloc and cudaMemcpyAsync")
WW_UNSUPPORTED(cudaHostGetDevicePointer, "use cudaMalloc and cudaMemcpyAsync")
// Callbacks, the L2 cache, profiling, libraries loaded at run time. The driver's entry points are
// asked for to encode tensor maps.
WW_UNSUPPORTED(cudaStreamAddCallback, "")
WW_UNSUPPORTED(cudaStreamSetAttribute, "")
WW_UNSUPPORTED(cudaCtxResetPersistingL2Cache, "")
WW_UNSUPPORTED(cudaProfilerStart, "")
WW_UNSUPPORTED(cudaProfilerStop, "")
WW_UNSUPPORTED(cudaGraphExecUpdate, "instantiate the graph anew")
WW_UNSUPPORTED(
    cudaGetDriverEntryPoint,
    "for tiles use cp.async.bulk (cuda::memcpy_async with a barrier) row by row, or cp.async")
WW_UNSUPPORTED(
    cudaGetDriverEntryPointByVersion,
    "for tiles use cp.async.bulk (cuda::memcpy_async with a barrier) row by row, or cp.async")
WW_UNSUPPORTED(cudaLibraryLoadData, "")

// What changes nothing in a plan: everything runs in order, and memory comes from one place.
#define WW_ACCEPTED(NAME) \
  extern "C" __attribute__((visibility("default"))) int NAME() { return 0; }
WW_ACCEPTED(cudaMemPoolSetAttribute)
WW_ACCEPTED(cudaMemPoolTrimTo)
WW_ACCEPTED(cudaMemPoolDestroy)
WW_ACCEPTED(cudaMemPoolSetAccess)
WW_ACCEPTED(cudaDeviceSetMemPool)
WW_ACCEPTED(cudaGraphUpload)
WW_ACCEPTED(cudaThreadExchangeStreamCaptureMode)
WW_ACCEPTED(cudaFuncSetSharedMemConfig)

// A handle that nobody looks into.
#define WW_HANDLE(NAME)                                                       \
  extern "C" __attribute__((visibility("default"))) int NAME(void** handle) { \
    *handle = const_cast<char*>(#NAME);                                       \
    return 0;                                                                 \
  }
WW_HANDLE(cudaMemPoolCreate)
WW_HANDLE(cudaDeviceGetMemPool)
