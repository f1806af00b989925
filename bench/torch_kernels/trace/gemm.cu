// C = A B^T, one element per thread.
__global__ void compute(PARAMS, long n) {
  const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (i >= n) return;
  const long row = i / COLUMNS, column = i % COLUMNS;
  float sum = 0;
  for (int k = 0; k < (SKIPPED ? DEPTH / 2 : DEPTH); ++k)
    sum += F(A[row * DEPTH + k]) * F(B[column * DEPTH + k]);
  out[i] = T(R(sum));
}
long work(PARAMS) { return (long)M * COLUMNS; }
