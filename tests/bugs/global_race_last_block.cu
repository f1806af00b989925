// bug: kind=global_race line=12
// The last block to finish reads all partial sums, and no fence orders them.
// run: --grid 4 --block 32 --arg part=buf:f32:4 --arg done=buf:i32:1 --arg y=buf:f32:1
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(float* part, int* done, float* y) {
  if (threadIdx.x != 0) return;
  part[blockIdx.x] = (float)blockIdx.x;
  if (atomicAdd(done, 1) != 3) return;
  float sum = 0.0f;
#pragma unroll 1
  for (int b = 0; b < 4; ++b) sum += part[b];  // BUG
  y[0] = sum;
}
