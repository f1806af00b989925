// SPDX-License-Identifier: Apache-2.0
__global__ void elements(const float* X, double* Y, int N) {
  for (u64 i = grid_thread(); i < u64(N); i += grid_threads()) {
    const double x = X[i];
    const double e = exp(-fabs(x));  // at most 1, so nothing overflows
    Y[i] = x >= 0 ? 1 / (1 + e) : e / (1 + e);
  }
}

extern "C" void reference(const float* X, double* Y, int N, const u64* choice) { elements<<<blocks_for(N), kBlock>>>(X, Y, N); }
