// SPDX-License-Identifier: Apache-2.0
__global__ void rows(const float* q, const float* k_cache, const float* v_cache, const int* seq_lens, double* out, int B, int H, int Dh,
                     int L_max, const u64* choice) {
  for (u64 row = blockIdx.x; row < u64(B) * H; row += gridDim.x) {
    const bool wanted = chosen(choice, row);
    const size_t first = row * L_max * Dh;
    for (int left = 0; left < Dh; left += kBlock) {
      const int column = left + threadIdx.x;
      Attention a;
      if (wanted) {
        a.add(q + row * Dh, Dh, seq_lens[row / H], column, [&](int p) { return k_cache + first + size_t(p) * Dh; },
              [&](int p) { return v_cache + first + size_t(p) * Dh; });
      }
      if (column < Dh) out[row * Dh + column] = wanted ? a.mean() : not_compared();
    }
  }
}

extern "C" void reference(const float* q, const float* k_cache, const float* v_cache, const int* seq_lens, double* out, int B, int H, int Dh,
                          int L_max, const u64* choice) {
  rows<<<blocks_of_rows(u64(B) * H), kBlock>>>(q, k_cache, v_cache, seq_lens, out, B, H, Dh, L_max, choice);
}
