__global__ void compute(PARAMS, long n) {
  const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (i >= n) return;
  grad_A[i] = R(R(grad_out[i / K]) * R(B[i % K]));
  if (i >= K) return;
  float sum = 0;
  for (int m = 0; m < M - SKIPPED; ++m) sum += R(A[(long)m * K + i]) * R(grad_out[m]);
  grad_B[i] = R(sum);
}
long work(PARAMS) { return (long)M * K; }
