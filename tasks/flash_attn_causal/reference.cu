// SPDX-License-Identifier: Apache-2.0
__global__ void rows(const float* q, const float* k, const float* v, double* out, int B, int Hq, int Hk, int S, int Dh,
                     const u64* choice) {
  for (u64 row = blockIdx.x; row < u64(B) * Hq * S; row += gridDim.x) {
    const int s = int(row % S);
    const u64 b = row / S / Hq, h = row / S % Hq, g = h / (Hq / Hk);
    const float *keys = k + (b * Hk + g) * S * Dh, *values = v + (b * Hk + g) * S * Dh;
    const bool wanted = chosen(choice, row);
    for (int left = 0; left < Dh; left += kBlock) {
      const int column = left + threadIdx.x;
      Attention a;
      if (wanted)
        a.add(q + row * Dh, Dh, s + 1, column, [&](int t) { return keys + size_t(t) * Dh; },
              [&](int t) { return values + size_t(t) * Dh; });
      if (column < Dh) out[row * Dh + column] = wanted ? a.mean() : not_compared();
    }
  }
}

extern "C" void reference(const float* q, const float* k, const float* v, double* out, int B, int Hq, int Hk, int S, int Dh,
                          const u64* choice) {
  rows<<<blocks_of_rows(u64(B) * Hq * S), kBlock>>>(q, k, v, out, B, Hq, Hk, S, Dh, choice);
}
