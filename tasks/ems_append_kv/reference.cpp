// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>

extern "C" void reference(const float* k_new, const float* v_new, const float* k_cache_in,
                          double* k_cache, const float* v_cache_in, double* v_cache,
                          const int* seq_lens, const int* token_nums, int B, int T, int H, int Dh,
                          int L_max) {
  const std::size_t cache = std::size_t(B) * H * L_max * Dh;
  std::copy(k_cache_in, k_cache_in + cache, k_cache);
  std::copy(v_cache_in, v_cache_in + cache, v_cache);
  std::size_t t = 0;
  for (int b = 0; b < B; ++b) {
    for (int s = 0; s < token_nums[b]; ++s, ++t) {
      for (int h = 0; h < H; ++h) {
        const std::size_t from = (t * H + h) * Dh;
        const std::size_t to = ((std::size_t(b) * H + h) * L_max + seq_lens[b] + s) * Dh;
        std::copy(k_new + from, k_new + from + Dh, k_cache + to);
        std::copy(v_new + from, v_new + from + Dh, v_cache + to);
      }
    }
  }
}
