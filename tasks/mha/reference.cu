// SPDX-License-Identifier: Apache-2.0
__global__ void rows(const float* Q, const float* K, const float* V, double* output, int N, int d_model, int d_k, const u64* choice) {
  const int heads = d_model / d_k;
  for (u64 row = blockIdx.x; row < u64(N) * heads; row += gridDim.x) {
    const u64 n = row / heads, first = row % heads * d_k;
    const bool wanted = chosen(choice, row);
    for (int left = 0; left < d_k; left += kBlock) {
      const int column = left + threadIdx.x;
      Attention a;
      if (wanted)
        a.add(Q + n * d_model + first, d_k, N, column, [&](int m) { return K + size_t(m) * d_model + first; },
              [&](int m) { return V + size_t(m) * d_model + first; });
      if (column < d_k) output[n * d_model + first + column] = wanted ? a.mean() : not_compared();
    }
  }
}

extern "C" void reference(const float* Q, const float* K, const float* V, double* output, int N, int d_model, int h, const u64* choice) {
  rows<<<blocks_of_rows(u64(N) * h), kBlock>>>(Q, K, V, output, N, d_model, d_model / h, choice);
}
