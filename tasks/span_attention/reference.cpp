// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

extern "C" void reference(const float* q, const float* k_cache, const float* v_cache,
                          const int* span_start, const int* span_len, const int* span_offsets,
                          double* out, int B, int H, int Dh, int L_max) {
  std::vector<double> score;
  for (int b = 0; b < B; ++b) {
    std::vector<int> positions;
    for (int i = span_offsets[b]; i < span_offsets[b + 1]; ++i) {
      for (int p = 0; p < span_len[i]; ++p) positions.push_back(span_start[i] + p);
    }
    for (int h = 0; h < H; ++h) {
      const std::size_t row = std::size_t(b) * H + h;
      double* to = out + row * Dh;
      std::fill(to, to + Dh, 0.0);
      if (positions.empty()) continue;
      score.clear();
      for (const int p : positions) {
        const float* k = k_cache + (row * L_max + p) * Dh;
        double sum = 0;
        for (int j = 0; j < Dh; ++j) sum += double(q[row * Dh + j]) * k[j];
        score.push_back(sum / std::sqrt(double(Dh)));
      }
      const double largest = *std::max_element(score.begin(), score.end());
      double total = 0;
      for (std::size_t i = 0; i < positions.size(); ++i) {
        const double weight = std::exp(score[i] - largest);
        const float* v = v_cache + (row * L_max + positions[i]) * Dh;
        total += weight;
        for (int j = 0; j < Dh; ++j) to[j] += weight * v[j];
      }
      for (int j = 0; j < Dh; ++j) to[j] /= total;
    }
  }
}
