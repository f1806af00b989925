// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace {

// Position p of a sample is in the cache, or one of its new tokens.
struct Rows {
  const float* old_rows;
  const float* new_rows;
  int length;
  std::size_t old_step, new_step;
  const float* at(int p) const {
    return p < length ? old_rows + p * old_step : new_rows + (p - length) * new_step;
  }
};

}  // namespace

extern "C" void reference(const float* q, const float* k_new, const float* v_new,
                          const float* k_cache_in, double* k_cache, const float* v_cache_in,
                          double* v_cache, const int* seq_lens, const int* token_nums, double* out,
                          int B, int T, int H, int Dh, int L_max) {
  const std::size_t cache = std::size_t(B) * H * L_max * Dh;
  std::copy(k_cache_in, k_cache_in + cache, k_cache);
  std::copy(v_cache_in, v_cache_in + cache, v_cache);
  std::fill(out, out + std::size_t(T) * H * Dh, 0.0);
  std::vector<double> score;
  std::size_t first = 0;  // of the sample's new tokens
  for (int b = 0; b < B; first += token_nums[b++]) {
    for (int h = 0; h < H; ++h) {
      const std::size_t packed = (first * H + h) * Dh, base = (std::size_t(b) * H + h) * L_max * Dh,
                        step = std::size_t(H) * Dh;
      const Rows keys{k_cache_in + base, k_new + packed, seq_lens[b], std::size_t(Dh), step};
      const Rows values{v_cache_in + base, v_new + packed, seq_lens[b], std::size_t(Dh), step};
      for (int s = 0; s < token_nums[b]; ++s) {
        const int n = seq_lens[b] + s;
        const float* query = q + packed + s * step;
        double* to = out + packed + s * step;
        std::copy(keys.at(n), keys.at(n) + Dh, k_cache + base + std::size_t(n) * Dh);
        std::copy(values.at(n), values.at(n) + Dh, v_cache + base + std::size_t(n) * Dh);
        score.assign(n + 1, 0.0);
        for (int p = 0; p <= n; ++p) {
          const float* key = keys.at(p);
          double sum = 0;
          for (int j = 0; j < Dh; ++j) sum += double(query[j]) * key[j];
          score[p] = sum / std::sqrt(double(Dh));
        }
        const double largest = *std::max_element(score.begin(), score.end());
        double total = 0;
        for (int p = 0; p <= n; ++p) {
          const double weight = std::exp(score[p] - largest);
          const float* value = values.at(p);
          total += weight;
          for (int j = 0; j < Dh; ++j) to[j] += weight * value[j];
        }
        for (int j = 0; j < Dh; ++j) to[j] /= total;
      }
    }
  }
}
