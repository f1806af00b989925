// SPDX-License-Identifier: Apache-2.0
#include <cuda_bf16.h>
#include <cuda_runtime.h>

// The sample of packed row t, found by adding up, and the row's place in it.
__device__ int sample_of(int t, const int* token_nums, int* place) {
  int b = 0;
  while (t >= token_nums[b]) t -= token_nums[b++];
  *place = t;
  return b;
}

// First launch: one block per new token and head puts its key and value into the caches.
__global__ void append(const __nv_bfloat16* k_new, const __nv_bfloat16* v_new, __nv_bfloat16* k_cache, __nv_bfloat16* v_cache, const int* seq_lens,
                       const int* token_nums, int heads, int dh, int l_max) {
  int s = 0;
  const int b = sample_of(blockIdx.y, token_nums, &s);
  const size_t from = ((size_t)blockIdx.y * heads + blockIdx.x) * dh;
  const size_t to = (((size_t)b * heads + blockIdx.x) * l_max + seq_lens[b] + s) * dh;
  for (int j = threadIdx.x; j < dh; j += blockDim.x) {
    k_cache[to + j] = k_new[from + j];
    v_cache[to + j] = v_new[from + j];
  }
}

// Second launch: one block per new token and head. Scores to scratch memory, one thread per
// position; then each thread sums up some elements of the output.
__global__ void attend(const __nv_bfloat16* q, const __nv_bfloat16* k_cache, const __nv_bfloat16* v_cache, const int* seq_lens, const int* token_nums,
                       __nv_bfloat16* out, float* scratch, int heads, int dh, int l_max) {
  __shared__ float shared[128];
  int s = 0;
  const int b = sample_of(blockIdx.y, token_nums, &s);
  const int count = seq_lens[b] + s + 1;
  const size_t row = (size_t)blockIdx.y * heads + blockIdx.x;
  const size_t cache = ((size_t)b * heads + blockIdx.x) * l_max * dh;
  float* scores = scratch + row * l_max;
  const float scale = 1.0f / sqrtf((float)dh);
  float largest = -INFINITY;
  for (int p = threadIdx.x; p < count; p += blockDim.x) {
    float sum = 0.0f;
    for (int j = 0; j < dh; ++j) sum += __bfloat162float(q[row * dh + j]) * __bfloat162float(k_cache[cache + (size_t)p * dh + j]);
    scores[p] = sum * scale;
    largest = fmaxf(largest, scores[p]);
  }
  shared[threadIdx.x] = largest;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) shared[threadIdx.x] = fmaxf(shared[threadIdx.x], shared[threadIdx.x + half]);
    __syncthreads();
  }
  largest = shared[0];
  for (int j = threadIdx.x; j < dh; j += blockDim.x) {
    float sum = 0.0f, total = 0.0f;
    for (int p = 0; p < count; ++p) {
      const float weight = expf(scores[p] - largest);
      total += weight;
      sum += weight * __bfloat162float(v_cache[cache + (size_t)p * dh + j]);
    }
    out[row * dh + j] = __float2bfloat16(sum / total);
  }
}

extern "C" void solve(const __nv_bfloat16* q, const __nv_bfloat16* k_new, const __nv_bfloat16* v_new, __nv_bfloat16* k_cache, __nv_bfloat16* v_cache, const int* seq_lens, const int* token_nums, __nv_bfloat16* out, int B, int T, int H, int Dh, int L_max) {
  float* scratch = nullptr;
  cudaMalloc((void**)&scratch, (size_t)T * H * L_max * sizeof(float));
  append<<<dim3(H, T), 128>>>(k_new, v_new, k_cache, v_cache, seq_lens, token_nums, H, Dh, L_max);
  attend<<<dim3(H, T), 128>>>(q, k_cache, v_cache, seq_lens, token_nums, out, scratch, H, Dh, L_max);
  cudaFree(scratch);
}
