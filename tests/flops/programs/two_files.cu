// SPDX-License-Identifier: Apache-2.0
// The kernel is launched by a function of another file: 20 threads, one product each.
// with: two_files_main.cpp
// expect: square 0 sp=20
#include <cuda_runtime.h>

static __global__ void square(float* x) { x[threadIdx.x] *= x[threadIdx.x]; }

void launch_square(float* x, int n) { square<<<1, n>>>(x); }
