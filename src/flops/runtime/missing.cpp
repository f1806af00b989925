// SPDX-License-Identifier: Apache-2.0
// Calls of the runtime API that are not there, so that a program which makes one is told by name.
// Apart from the other sources because the toolkit declares these functions with their real
// parameters, which nobody looks at.
extern "C" [[noreturn]] void ww_missing_call(const char* api);

/// What tensor maps and textures lack.
extern "C" [[noreturn]] void ww_missing_entry_point(const char* name, const void*) {
  ww_missing_call(name);
}

#define WW_MISSING(NAME) \
  extern "C" __attribute__((visibility("default"))) int NAME() { ww_missing_call(#NAME); }

// Older textures, mipmaps.
WW_MISSING(cudaBindTexture)
WW_MISSING(cudaBindTexture2D)
WW_MISSING(cudaBindTextureToArray)
WW_MISSING(cudaUnbindTexture)
WW_MISSING(cudaMemcpyFromArray)
WW_MISSING(cudaMallocMipmappedArray)
WW_MISSING(cudaGetMipmappedArrayLevel)
// Other devices and other processes.
WW_MISSING(cudaIpcGetMemHandle)
WW_MISSING(cudaIpcOpenMemHandle)
WW_MISSING(cudaLaunchCooperativeKernelMultiDevice)
WW_MISSING(cudaMemcpy3DPeer)
// Launches by kernels.
WW_MISSING(cudaGetParameterBufferV2)
WW_MISSING(cudaLaunchDeviceV2)
// Graphs built by hand, libraries loaded at run time.
WW_MISSING(cudaGraphCreate)
WW_MISSING(cudaGraphAddKernelNode)
WW_MISSING(cudaGraphAddMemcpyNode)
WW_MISSING(cudaGraphAddMemsetNode)
WW_MISSING(cudaGraphAddMemcpyNode1D)
WW_MISSING(cudaGraphAddHostNode)
WW_MISSING(cudaGraphAddChildGraphNode)
WW_MISSING(cudaGraphAddEmptyNode)
WW_MISSING(cudaGraphAddNode)
WW_MISSING(cudaGraphClone)
WW_MISSING(cudaGraphGetNodes)
WW_MISSING(cudaGraphExecKernelNodeSetParams)
WW_MISSING(cudaGraphAddDependencies)
WW_MISSING(cudaGraphExecUpdate)
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
