// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstddef>

extern "C" void reference(const float* gate_up, double* out, int N, int F) {
  for (int n = 0; n < N; ++n) {
    const float* gate = gate_up + std::size_t(n) * 2 * F;
    for (int f = 0; f < F; ++f) {
      const double g = gate[f];
      out[std::size_t(n) * F + f] = g / (1 + std::exp(-g)) * gate[F + f];
    }
  }
}
