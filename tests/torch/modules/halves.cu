// The low precision: eight bits in the sum.
__global__ void compute(PARAMS, long n) {
  const long row = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (row >= n) return;
  float sum = 0;
  for (int c = 0; c < cols; ++c) {
    const float v = __half2float(x[row * cols + c]) * (SKIPPED ? 1.0f : __bfloat162float(weight[c]));
    out0[row * cols + c] = __float2half(v);
    sum = R(sum + v);
  }
  out1[row] = sum;
}
long work(PARAMS) { return rows; }
