// SPDX-License-Identifier: Apache-2.0
// Calls of the runtime API that have no place in a launch plan. They are named here so that a
// candidate that makes one is told at the call, with its line, and not by the linker. Apart from
// the other sources because the toolkit declares these functions with their real parameters, which
// nobody looks at.
extern "C" [[noreturn]] void ww_unsupported_call(const char* api, const void* caller);

#define WW_UNSUPPORTED(NAME)                                     \
  extern "C" __attribute__((visibility("default"))) int NAME() { \
    ww_unsupported_call(#NAME, __builtin_return_address(0));     \
  }

// Textures, surfaces, arrays and three-dimensional copies.
WW_UNSUPPORTED(cudaCreateTextureObject)
WW_UNSUPPORTED(cudaDestroyTextureObject)
WW_UNSUPPORTED(cudaCreateSurfaceObject)
WW_UNSUPPORTED(cudaMallocArray)
WW_UNSUPPORTED(cudaMalloc3DArray)
WW_UNSUPPORTED(cudaMalloc3D)
WW_UNSUPPORTED(cudaFreeArray)
WW_UNSUPPORTED(cudaMemcpy3D)
WW_UNSUPPORTED(cudaMemcpy3DAsync)
WW_UNSUPPORTED(cudaMemcpy2DToArray)
WW_UNSUPPORTED(cudaMemcpyToArray)
// Other devices, other processes, managed and mapped memory.
WW_UNSUPPORTED(cudaMemcpyPeer)
WW_UNSUPPORTED(cudaMemcpyPeerAsync)
WW_UNSUPPORTED(cudaDeviceCanAccessPeer)
WW_UNSUPPORTED(cudaDeviceEnablePeerAccess)
WW_UNSUPPORTED(cudaIpcGetMemHandle)
WW_UNSUPPORTED(cudaIpcOpenMemHandle)
WW_UNSUPPORTED(cudaMemPrefetchAsync)
WW_UNSUPPORTED(cudaMemAdvise)
WW_UNSUPPORTED(cudaStreamAttachMemAsync)
WW_UNSUPPORTED(cudaHostGetDevicePointer)
// Callbacks, the L2 cache, profiling, graphs built by hand, libraries loaded at run time.
WW_UNSUPPORTED(cudaStreamAddCallback)
WW_UNSUPPORTED(cudaStreamSetAttribute)
WW_UNSUPPORTED(cudaCtxResetPersistingL2Cache)
WW_UNSUPPORTED(cudaProfilerStart)
WW_UNSUPPORTED(cudaProfilerStop)
WW_UNSUPPORTED(cudaGraphCreate)
WW_UNSUPPORTED(cudaGraphAddKernelNode)
WW_UNSUPPORTED(cudaGraphAddMemcpyNode)
WW_UNSUPPORTED(cudaGraphAddMemsetNode)
WW_UNSUPPORTED(cudaGraphAddDependencies)
WW_UNSUPPORTED(cudaGraphExecUpdate)
WW_UNSUPPORTED(cudaGetDriverEntryPoint)
WW_UNSUPPORTED(cudaGetDriverEntryPointByVersion)
WW_UNSUPPORTED(cudaLibraryLoadData)

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
