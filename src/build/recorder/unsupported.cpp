// SPDX-License-Identifier: Apache-2.0
// Calls of the runtime API that have no place in a launch plan. They are named here so that a
// candidate that makes one is told at the call, with its line, and not by the linker. Apart from
// the other sources because the toolkit declares these functions with their real parameters, which
// nobody looks at.
extern "C" [[noreturn]] void ww_unsupported_call(const char* api, const char* instead,
                                                 const void* caller);

/// What tensor maps and textures lack.
extern "C" [[noreturn]] void ww_missing_entry_point(const char* name, const void* caller) {
  ww_unsupported_call(name,
                      "of the driver's functions there are cuTensorMapEncodeTiled and "
                      "cuTensorMapReplaceAddress",
                      caller);
}

#define WW_UNSUPPORTED(NAME, INSTEAD)                                 \
  extern "C" __attribute__((visibility("default"))) int NAME() {      \
    ww_unsupported_call(#NAME, INSTEAD, __builtin_return_address(0)); \
  }

// Mipmaps.
WW_UNSUPPORTED(cudaMallocMipmappedArray, "use an array for each level")
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
// Callbacks, the L2 cache, profiling, libraries loaded at run time.
WW_UNSUPPORTED(cudaStreamAddCallback, "")
WW_UNSUPPORTED(cudaStreamSetAttribute, "")
WW_UNSUPPORTED(cudaCtxResetPersistingL2Cache, "")
WW_UNSUPPORTED(cudaProfilerStart, "")
WW_UNSUPPORTED(cudaProfilerStop, "")
WW_UNSUPPORTED(cudaGraphExecUpdate, "instantiate the graph anew")
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
