// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

namespace {

template <class Wide>
void rotate(const float* in, Wide* out, const float* cos_t, const float* sin_t,
            const int* positions, int T, int H, int Dh) {
  const int half = Dh / 2;
  for (int t = 0; t < T; ++t) {
    const float* c = cos_t + std::size_t(positions[t]) * half;
    const float* s = sin_t + std::size_t(positions[t]) * half;
    for (int h = 0; h < H; ++h) {
      const std::size_t row = (std::size_t(t) * H + h) * Dh;
      for (int j = 0; j < half; ++j) {
        const Wide a = in[row + j], b = in[row + half + j];
        out[row + j] = a * c[j] - b * s[j];
        out[row + half + j] = b * c[j] + a * s[j];
      }
    }
  }
}

}  // namespace

extern "C" void reference(const float* q_in, double* q, const float* k_in, double* k,
                          const float* cos_t, const float* sin_t, const int* positions, int T,
                          int Hq, int Hk, int Dh) {
  rotate(q_in, q, cos_t, sin_t, positions, T, Hq, Dh);
  rotate(k_in, k, cos_t, sin_t, positions, T, Hk, Dh);
}
