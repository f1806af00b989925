// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

extern "C" void reference(const int* input, int* histogram, int N, int num_bins) {
  std::fill(histogram, histogram + num_bins, 0);
  for (int i = 0; i < N; ++i) {
    if (input[i] >= 0 && input[i] < num_bins) ++histogram[input[i]];
  }
}
