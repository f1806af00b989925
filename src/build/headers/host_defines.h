// SPDX-License-Identifier: Apache-2.0
// CUDA's function and variable qualifiers, as attributes where the compiler knows CUDA.
#pragma once

#if defined(__CUDA__)
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __grid_constant__
// clang has no managed variables for CUDA. Where whole programs run, they are variables of the
// device whose shadows on the host lie in a section of their own: the runtime brings both in line
// around every launch. A plan of launches has no host that reads in between.
#if defined(WW_MANAGED_SHADOWS) && defined(__CUDA_ARCH__)
#define __managed__ __attribute__((device))
#elif defined(WW_MANAGED_SHADOWS)
#define __managed__ __attribute__((device, section("ww_managed"), retain))
#else
#define __managed__                                                               \
  __attribute__((device, unavailable("managed variables are not supported here; " \
                                     "use a __device__ variable and cudaMemcpyToSymbol")))
#endif
// clang 19 has no attribute for it: a note, which the judge puts into the PTX
// (build/cluster_dims.h).
#if defined(WW_NOTES_CLUSTERS)
#define __cluster_dims__(...) __attribute__((annotate("ww_cluster_dims", __VA_ARGS__)))
#else
#define __cluster_dims__(...)                                                \
  __attribute__((                                                            \
      unavailable("__cluster_dims__ needs nvcc; with clang give the launch " \
                  "cudaLaunchAttributeClusterDimension instead")))
#endif
#else
#define __host__
#define __device__
#endif

#define __noinline__ __attribute__((noinline))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define CUDARTAPI
#define CUDART_CB
