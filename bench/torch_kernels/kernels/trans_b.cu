__global__ void compute(PARAMS, long n) {
  const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (i >= n) return;
  const long row = i / N, column = i % N;
  float sum = 0;
  for (int k = 0; k < K - SKIPPED; ++k) sum += R(A[row * K + k]) * R(B[column * K + k]);
  out[i] = R(sum);
}
long work(PARAMS) { return (long)M * N; }
