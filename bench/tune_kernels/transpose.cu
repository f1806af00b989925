// SPDX-License-Identifier: Apache-2.0
// A tile through shared memory; what is to be chosen: its shape, the threads, the padding.
#define TX 32    // tune: TX = 8, 16, 32, 64
#define TY 32    // tune: TY = 8, 16, 32, 64
#define BY 8     // tune: BY = 1, 2, 4, 8, 16, 32
#define PAD 0    // tune: PAD = 0, 1, 2, 4
#define STEPS 1  // tune: STEPS = 1, 2, 4
// tune: require BY <= TY; require TX * BY <= 1024; require TX * BY >= 32

__global__ void transpose_kernel(const float* input, float* output, int rows, int cols) {
  __shared__ float tile[TY][TX + PAD];
  const int thread = threadIdx.x;
  for (int step = 0; step < STEPS; ++step) {
    const int x0 = (blockIdx.x * STEPS + step) * TX, y0 = blockIdx.y * TY;
    for (int y = thread / TX; y < TY; y += BY) {
      const int x = thread % TX;
      if (y0 + y < rows && x0 + x < cols) {
        tile[y][x] = input[(size_t)(y0 + y) * cols + x0 + x];
      }
    }
    __syncthreads();
    for (int i = thread; i < TX * TY; i += TX * BY) {
      const int x = i / TY, y = i % TY;
      if (x0 + x < cols && y0 + y < rows) {
        output[(size_t)(x0 + x) * rows + y0 + y] = tile[y][x];
      }
    }
    __syncthreads();
  }
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
  const dim3 grid((cols + TX * STEPS - 1) / (TX * STEPS), (rows + TY - 1) / TY);
  transpose_kernel<<<grid, TX * BY>>>(input, output, rows, cols);
}
