// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>

extern "C" void reference(const float* padded, const int* token_nums, const float* packed_in,
                          double* packed, const int* batch_idx_in, int* batch_idx,
                          const int* pos_idx_in, int* pos_idx, int B, int S_max, int D) {
  const std::size_t rows = std::size_t(B) * S_max;
  std::copy(packed_in, packed_in + rows * D, packed);
  std::copy(batch_idx_in, batch_idx_in + rows, batch_idx);
  std::copy(pos_idx_in, pos_idx_in + rows, pos_idx);
  std::size_t row = 0;
  for (int b = 0; b < B; ++b) {
    for (int s = 0; s < token_nums[b]; ++s, ++row) {
      const float* from = padded + (std::size_t(b) * S_max + s) * D;
      std::copy(from, from + D, packed + row * D);
      batch_idx[row] = b;
      pos_idx[row] = s;
    }
  }
}
