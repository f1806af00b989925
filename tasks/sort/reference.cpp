// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

extern "C" void reference(const float* data_in, float* data, int N) {
  std::copy(data_in, data_in + N, data);
  std::sort(data, data + N);
}
