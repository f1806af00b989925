// SPDX-License-Identifier: Apache-2.0
__global__ void rows(const float* Q, const float* K, const float* V, double* output, double* output_scale, int N, int d_model, int d_k,
                     const u64* choice) {
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
      if (column >= d_k) continue;
      const u64 at = n * d_model + first + column;
      output[at] = wanted ? a.mean() : not_compared();
      // As in reference.cpp: a score that is rounded changes its weight, and weights far below eps may be taken for 0.
      constexpr double kNothing = 1.0 / (1 << 18);
      output_scale[at] = wanted ? (a.weighted / a.total + kNothing / N * a.magnitudes) * (1 + a.size) : 0.0;
    }
  }
}

extern "C" void reference(const float* Q, const float* K, const float* V, double* output, double* output_scale, int N, int d_model, int h,
                          const u64* choice) {
  rows<<<blocks_of_rows(u64(N) * h), kBlock>>>(Q, K, V, output, output_scale, N, d_model, d_model / h, choice);
}
