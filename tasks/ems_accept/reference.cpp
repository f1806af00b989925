// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>

extern "C" void reference(const float* logits, const int* tokens, const int* token_nums,
                          const int* seq_lens_in, int* seq_lens, int* accepted,
                          const int* emitted_in, int* emitted, const int* going_on_in,
                          int* going_on, int* counts, int B, int T, int V, int eos) {
  std::copy(emitted_in, emitted_in + T, emitted);
  std::copy(going_on_in, going_on_in + B, going_on);
  int row = 0, all = 0, going = 0;
  for (int b = 0; b < B; row += token_nums[b++]) {
    accepted[b] = 0;
    bool ended = false;
    for (int s = 0; s < token_nums[b] && !ended; ++s) {
      if (s > 0 && tokens[row + s] != emitted[all - 1]) break;
      const float* at = logits + std::size_t(row + s) * V;
      const int best = int(std::max_element(at, at + V) - at);
      emitted[all++] = best;
      ++accepted[b];
      ended = best == eos;
    }
    seq_lens[b] = seq_lens_in[b] + accepted[b];
    if (accepted[b] > 0 && !ended) going_on[going++] = b;
  }
  counts[0] = all;
  counts[1] = going;
}
