// SPDX-License-Identifier: Apache-2.0
// Calls of the runtime API that are not there, so that a program which makes one is told by name.
// Apart from the other sources because the toolkit declares these functions with their real
// parameters, which nobody looks at.
extern "C" [[noreturn]] void ww_missing_call(const char* api);

#define WW_MISSING(NAME) \
  extern "C" __attribute__((visibility("default"))) int NAME() { ww_missing_call(#NAME); }

// Textures, surfaces, arrays and three-dimensional copies.
WW_MISSING(cudaCreateTextureObject)
WW_MISSING(cudaDestroyTextureObject)
WW_MISSING(cudaCreateSurfaceObject)
WW_MISSING(cudaDestroySurfaceObject)
WW_MISSING(cudaMallocArray)
WW_MISSING(cudaMalloc3DArray)
WW_MISSING(cudaMalloc3D)
WW_MISSING(cudaFreeArray)
WW_MISSING(cudaMemcpy3D)
WW_MISSING(cudaMemcpy3DAsync)
WW_MISSING(cudaMemcpy2DToArray)
WW_MISSING(cudaMemcpyToArray)
WW_MISSING(cudaBindTexture)
WW_MISSING(cudaBindTexture2D)
WW_MISSING(cudaBindTextureToArray)
WW_MISSING(cudaUnbindTexture)
// Other devices and other processes.
WW_MISSING(cudaIpcGetMemHandle)
WW_MISSING(cudaIpcOpenMemHandle)
// Graphs built by hand, libraries loaded at run time.
WW_MISSING(cudaGraphCreate)
WW_MISSING(cudaGraphAddKernelNode)
WW_MISSING(cudaGraphAddMemcpyNode)
WW_MISSING(cudaGraphAddMemsetNode)
WW_MISSING(cudaGraphAddDependencies)
WW_MISSING(cudaGraphExecUpdate)
WW_MISSING(cudaGetDriverEntryPoint)
WW_MISSING(cudaGetDriverEntryPointByVersion)
WW_MISSING(cudaLibraryLoadData)

// What changes nothing that is counted.
#define WW_ACCEPTED(NAME) \
  extern "C" __attribute__((visibility("default"))) int NAME() { return 0; }
WW_ACCEPTED(cudaMemPrefetchAsync)
WW_ACCEPTED(cudaMemAdvise)
WW_ACCEPTED(cudaStreamAttachMemAsync)
WW_ACCEPTED(cudaStreamSetAttribute)
WW_ACCEPTED(cudaCtxResetPersistingL2Cache)
WW_ACCEPTED(cudaProfilerStart)
WW_ACCEPTED(cudaProfilerStop)
WW_ACCEPTED(cudaDeviceEnablePeerAccess)
WW_ACCEPTED(cudaDeviceDisablePeerAccess)
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
WW_HANDLE(cudaDeviceGetDefaultMemPool)
