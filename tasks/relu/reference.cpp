// SPDX-License-Identifier: Apache-2.0

extern "C" void reference(const float* input, float* output, int N) {
  for (int i = 0; i < N; ++i) output[i] = input[i] > 0 ? input[i] : 0;
}
