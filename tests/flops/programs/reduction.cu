// SPDX-License-Identifier: Apache-2.0
// A tree over 256 values in shared memory: 128 + 64 + ... + 1 = 255 additions a block, four blocks.
// expect: reduce 0 sp=1020
__global__ void reduce(const float* in, float* out) {
  __shared__ float part[256];
  const int t = threadIdx.x;
  part[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (int s = 128; s > 0; s >>= 1) {
    if (t < s) part[t] += part[t + s];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = part[0];
}

int main() {
  float *in, *out;
  cudaMalloc(&in, 1024 * sizeof(float));
  cudaMalloc(&out, 4 * sizeof(float));
  cudaMemset(in, 0, 1024 * sizeof(float));
  reduce<<<4, 256>>>(in, out);
  return cudaDeviceSynchronize();
}
