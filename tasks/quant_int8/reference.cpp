// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

// q is left unrounded: how it may be rounded is the check's business.
extern "C" void reference(const float* x, double* q, double* scale, int N, int C) {
  for (int n = 0; n < N; ++n) {
    const float* row = x + std::size_t(n) * C;
    // Magnitudes of finite floats are ordered like their bits, and integers can be compared four at
    // a time.
    std::uint32_t bits = 0;
    for (int c = 0; c < C; ++c)
      bits = std::max(bits, std::bit_cast<std::uint32_t>(row[c]) & 0x7FFFFFFFu);
    const double largest = std::bit_cast<float>(bits);
    scale[n] = largest > 0 ? largest / 127 : 1;
    const double per_step = 1 / scale[n];
    for (int c = 0; c < C; ++c) q[std::size_t(n) * C + c] = row[c] * per_step;
  }
}
