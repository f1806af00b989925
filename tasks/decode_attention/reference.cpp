// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

extern "C" void reference(const float* q, const float* k_cache, const float* v_cache,
                          const int* seq_lens, double* out, int B, int H, int Dh, int L_max) {
  std::vector<double> score;
  for (std::size_t row = 0; row < std::size_t(B) * H; ++row) {
    const int count = seq_lens[row / H];
    double* to = out + row * Dh;
    std::fill(to, to + Dh, 0.0);
    if (count == 0) continue;
    score.assign(count, 0.0);
    for (int p = 0; p < count; ++p) {
      const float* k = k_cache + (row * L_max + p) * Dh;
      double sum = 0;
      for (int j = 0; j < Dh; ++j) sum += double(q[row * Dh + j]) * k[j];
      score[p] = sum / std::sqrt(double(Dh));
    }
    const double largest = *std::max_element(score.begin(), score.end());
    double total = 0;
    for (int p = 0; p < count; ++p) {
      const double weight = std::exp(score[p] - largest);
      const float* v = v_cache + (row * L_max + p) * Dh;
      total += weight;
      for (int j = 0; j < Dh; ++j) to[j] += weight * v[j];
    }
    for (int j = 0; j < Dh; ++j) to[j] /= total;
  }
}
