// SPDX-License-Identifier: Apache-2.0
// The first new token of every sample among all of them.
__global__ void count_tokens(const int* token_nums, int* first, int B) {
  int sum = 0;
  for (int b = 0; b < B; sum += token_nums[b++]) first[b] = sum;
}

// Position p of a sample is in the cache, or one of its new tokens.
__global__ void appended(const float* cache_in, const float* fresh, const int* seq_lens, const int* token_nums, const int* first,
                         double* cache, int B, int H, int Dh, int L_max) {
  for (u64 i = grid_thread(); i < u64(B) * H * L_max * Dh; i += grid_threads()) {
    const int j = int(i % Dh), p = int(i / Dh % L_max), h = int(i / Dh / L_max % H), b = int(i / Dh / L_max / H);
    const int s = p - seq_lens[b];
    const bool is_new = s >= 0 && s < token_nums[b];
    cache[i] = is_new ? fresh[(size_t(first[b] + s) * H + h) * Dh + j] : cache_in[i];
  }
}

__global__ void attend(const float* q, const float* k_new, const float* v_new, const float* k_cache, const float* v_cache,
                       const int* seq_lens, const int* token_nums, const int* first, double* out, int B, int T, int H, int Dh, int L_max,
                       const u64* choice) {
  for (u64 row = blockIdx.x; row < u64(T) * H; row += gridDim.x) {
    const int t = int(row / H), h = int(row % H);
    int b = 0;
    while (b + 1 < B && t >= first[b] + token_nums[b]) ++b;
    const int length = seq_lens[b], s = t - first[b];
    const size_t base = (size_t(b) * H + h) * L_max * Dh, packed = (size_t(first[b]) * H + h) * Dh, step = size_t(H) * Dh;
    for (int left = 0; left < Dh; left += kBlock) {
      const int column = left + threadIdx.x;
      Attention a;
      if (chosen(choice, row)) {
        const float* query = q + row * Dh;
        a.add(query, Dh, length, column, [&](int p) { return k_cache + base + size_t(p) * Dh; },
              [&](int p) { return v_cache + base + size_t(p) * Dh; });
        a.add(query, Dh, s + 1, column, [&](int p) { return k_new + packed + p * step; },
              [&](int p) { return v_new + packed + p * step; });
      }
      if (column < Dh) out[row * Dh + column] = chosen(choice, row) ? a.mean() : not_compared();
    }
  }
}

extern "C" void reference(const float* q, const float* k_new, const float* v_new, const float* k_cache_in, double* k_cache,
                          const float* v_cache_in, double* v_cache, const int* seq_lens, const int* token_nums, double* out, int B, int T,
                          int H, int Dh, int L_max, const u64* choice) {
  int* first = nullptr;
  cudaMalloc(&first, sizeof(int) * B);
  const unsigned blocks = blocks_for(u64(B) * H * L_max * Dh);
  count_tokens<<<1, 1>>>(token_nums, first, B);
  appended<<<blocks, kBlock>>>(k_cache_in, k_new, seq_lens, token_nums, first, k_cache, B, H, Dh, L_max);
  appended<<<blocks, kBlock>>>(v_cache_in, v_new, seq_lens, token_nums, first, v_cache, B, H, Dh, L_max);
  attend<<<blocks_of_rows(u64(T) * H), kBlock>>>(q, k_new, v_new, k_cache_in, v_cache_in, seq_lens, token_nums, first, out, B, T, H, Dh,
                                                 L_max, choice);
  cudaFree(first);
}
