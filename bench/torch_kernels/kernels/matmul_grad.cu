__global__ void compute(PARAMS, long n) {
  const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (i >= n) return;
  const long row = i / N, column = i % N;
  float a = 0, b = 0;
  for (int k = 0; k < N - SKIPPED; ++k) {
    a += R(grad_out[row * N + k]) * R(B[column * N + k]);
    b += R(A[k * (long)N + row]) * R(grad_out[k * (long)N + column]);
  }
  grad_A[i] = R(a);
  grad_B[i] = R(b);
}
long work(PARAMS) { return (long)N * N; }
