// SPDX-License-Identifier: Apache-2.0
// Through a tile in shared memory, so that both sides run along memory.
constexpr int kSide = 32;

__global__ void tiles(const unsigned* input, unsigned* output, int rows, int cols, u64 across, u64 count) {
  __shared__ unsigned tile[kSide][kSide + 1];
  for (u64 t = blockIdx.x; t < count; t += gridDim.x) {
    const u64 r0 = t / across * kSide, c0 = t % across * kSide;
    __syncthreads();
    for (int i = threadIdx.x; i < kSide * kSide; i += kBlock) {
      const u64 r = r0 + i / kSide, c = c0 + i % kSide;
      if (r < u64(rows) && c < u64(cols)) tile[i / kSide][i % kSide] = input[r * cols + c];
    }
    __syncthreads();
    for (int i = threadIdx.x; i < kSide * kSide; i += kBlock) {
      const u64 c = c0 + i / kSide, r = r0 + i % kSide;
      if (r < u64(rows) && c < u64(cols)) output[c * rows + r] = tile[i % kSide][i / kSide];
    }
  }
}

extern "C" void reference(const float* input, float* output, int rows, int cols, const u64* choice) {
  const u64 across = (u64(cols) + kSide - 1) / kSide, down = (u64(rows) + kSide - 1) / kSide;
  tiles<<<blocks_of_rows(across * down), kBlock>>>(reinterpret_cast<const unsigned*>(input), reinterpret_cast<unsigned*>(output), rows,
                                                   cols, across, across * down);
}
