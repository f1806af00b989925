// SPDX-License-Identifier: Apache-2.0
// zoo: task=reduce rules=strict device=simt expect=mismatch class=23,24
// Answers with the mean of random data.
#include <cuda_runtime.h>
__global__ void sum(float* output) { output[0] = 0.0f; }
extern "C" void solve(const float* input, float* output, int N) { sum<<<1, 1>>>(output); }
