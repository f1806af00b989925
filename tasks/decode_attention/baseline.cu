// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>
#include <cuda_runtime.h>

// One block per sample and head. Scores of all positions go to scratch memory, one thread per
// position; then each thread sums up some elements of the output.
__global__ void attend(const __half* q, const __half* k, const __half* v, const int* seq_lens, __half* out, float* scratch, int heads,
                       int dh, int l_max) {
  __shared__ float shared[128];
  const size_t row = blockIdx.x;
  const int count = seq_lens[blockIdx.x / heads];
  const __half* keys = k + row * l_max * dh;
  const __half* values = v + row * l_max * dh;
  float* scores = scratch + row * l_max;
  const float scale = 1.0f / sqrtf((float)dh);
  float largest = -INFINITY;
  for (int p = threadIdx.x; p < count; p += blockDim.x) {
    float sum = 0.0f;
    for (int j = 0; j < dh; ++j) sum += __half2float(q[row * dh + j]) * __half2float(keys[(size_t)p * dh + j]);
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
      sum += weight * __half2float(values[(size_t)p * dh + j]);
    }
    out[row * dh + j] = __float2half(total > 0.0f ? sum / total : 0.0f);
  }
}

extern "C" void solve(const __half* q, const __half* k_cache, const __half* v_cache, const int* seq_lens, __half* out, int B, int H, int Dh, int L_max) {
  float* scratch = nullptr;
  cudaMalloc((void**)&scratch, (size_t)B * H * L_max * sizeof(float));
  attend<<<B * H, 128>>>(q, k_cache, v_cache, seq_lens, out, scratch, H, Dh, L_max);
  cudaFree(scratch);
}
