// SPDX-License-Identifier: Apache-2.0
// One pass: each block sums a stretch, and adds its sum to the result.
#define BLOCK 256  // tune: BLOCK = 64..1024 step 64
#define ITEMS 4    // tune: ITEMS = 1, 2, 4, 8, 16, 32
#define VEC 1      // tune: VEC = 1, 2, 4
#define TREE 0     // tune: TREE = 0, 1

struct alignas(sizeof(float) * VEC) Pack {
  float x[VEC];
};

__global__ void sum_kernel(const float* input, float* output, int n) {
  __shared__ float partial[BLOCK];
  const int thread = threadIdx.x;
  const long first = (long)blockIdx.x * BLOCK * ITEMS * VEC;
  float own = 0.0f;
  for (int i = 0; i < ITEMS; ++i) {
    const long at = first + ((long)i * BLOCK + thread) * VEC;
    if (at + VEC <= n) {
      const Pack pack = *reinterpret_cast<const Pack*>(input + at);
      for (int v = 0; v < VEC; ++v) own += pack.x[v];
    } else {
      for (long j = at; j < n; ++j) own += input[j];
    }
  }
  if (TREE) {
    partial[thread] = own;
    __syncthreads();
    for (int size = BLOCK; size > 1;) {
      const int half = (size + 1) / 2;
      if (thread + half < size) partial[thread] += partial[thread + half];
      __syncthreads();
      size = half;
    }
    if (thread == 0) atomicAdd(output, partial[0]);
  } else {
    for (int far = 16; far > 0; far /= 2) own += __shfl_down_sync(0xffffffffu, own, far);
    if (thread % 32 == 0) partial[thread / 32] = own;
    __syncthreads();
    if (thread == 0) {
      for (int w = 1; w < BLOCK / 32; ++w) own += partial[w];
      atomicAdd(output, own);
    }
  }
}

extern "C" void solve(const float* input, float* output, int N) {
  const long each = (long)BLOCK * ITEMS * VEC;
  cudaMemsetAsync(output, 0, sizeof(float));
  sum_kernel<<<(unsigned)((N + each - 1) / each), BLOCK>>>(input, output, N);
}
