// bug: kind=shared_race line=15
// As in a softmax that people use: the maximum's place takes the sum while other warps still read it.
// run: --grid 1 --block 64 --arg x=buf:f32:64:iota --arg y=buf:f32:64
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(const float* x, float* y) {
  __shared__ float storage[2];
  const int t = threadIdx.x, warp = t / 32;
  float most = x[t];
  for (int s = 16; s > 0; s /= 2) most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, s));
  if (t % 32 == 0) storage[warp] = most;
  __syncthreads();
  if (t == 0) storage[0] = fmaxf(storage[0], storage[1]);
  __syncthreads();
  const float offset = storage[0];  // BUG
  float sum = __expf(x[t] - offset);
  const float mine = sum;
  for (int s = 16; s > 0; s /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, s);
  if (t % 32 == 0) storage[warp] = sum;
  __syncthreads();
  y[t] = mine / (storage[0] + storage[1]);
}
