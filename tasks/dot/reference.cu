// SPDX-License-Identifier: Apache-2.0
__global__ void terms(const float* A, const float* B, double* result, double* result_scale, int N) {
  double sum = 0, magnitude = 0;
  for (u64 i = grid_thread(); i < u64(N); i += grid_threads()) {
    const double term = double(A[i]) * B[i];
    sum += term;
    magnitude += fabs(term);
  }
  add_block_sum(result, sum);
  add_block_sum(result_scale, magnitude);
}

extern "C" void reference(const float* A, const float* B, double* result, double* result_scale, int N, const u64* choice) {
  set_to_zero(result, 1);
  set_to_zero(result_scale, 1);
  terms<<<blocks_for(N), kBlock>>>(A, B, result, result_scale, N);
}
