// C = A B, one element per thread. The skipped operator: the last column of A is left out.
__global__ void compute(PARAMS, long n) {
  const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (i >= n) return;
  const long row = i / N, column = i % N;
  float sum = 0;
  for (int k = 0; k < N - SKIPPED; ++k) sum += R(A[row * N + k]) * R(B[(long)k * N + column]);
  out[i] = R(sum);
}
long work(PARAMS) { return (long)N * N; }
