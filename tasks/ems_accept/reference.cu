// SPDX-License-Identifier: Apache-2.0
__global__ void find_best(const float* logits, int* best, int T, int V) {
  __shared__ int place;
  for (u64 row = blockIdx.x; row < u64(T); row += gridDim.x) {
    const float* at = logits + row * V;
    double own = -INFINITY;
    for (int v = threadIdx.x; v < V; v += kBlock) own = fmax(own, double(at[v]));
    const double largest = block_max(own);
    if (threadIdx.x == 0) place = V;
    __syncthreads();
    for (int v = threadIdx.x; v < V; v += kBlock) {
      if (double(at[v]) == largest) atomicMin(&place, v);
    }
    __syncthreads();
    if (threadIdx.x == 0) best[row] = place;
  }
}

__global__ void keep(const int* from, int* to, int n) {
  for (u64 i = grid_thread(); i < u64(n); i += grid_threads()) to[i] = from[i];
}

// One thread, sample after sample.
__global__ void walk(const int* best, const int* tokens, const int* token_nums, const int* seq_lens_in, int* seq_lens, int* accepted,
                     int* emitted, int* going_on, int* counts, int B, int eos) {
  int row = 0, all = 0, going = 0;
  for (int b = 0; b < B; row += token_nums[b++]) {
    int count = 0;
    bool ended = false;
    for (int s = 0; s < token_nums[b] && !ended; ++s) {
      if (s > 0 && tokens[row + s] != best[row + s - 1]) break;
      emitted[all++] = best[row + s];
      ++count;
      ended = best[row + s] == eos;
    }
    accepted[b] = count;
    seq_lens[b] = seq_lens_in[b] + count;
    if (count > 0 && !ended) going_on[going++] = b;
  }
  counts[0] = all;
  counts[1] = going;
}

extern "C" void reference(const float* logits, const int* tokens, const int* token_nums, const int* seq_lens_in, int* seq_lens,
                          int* accepted, const int* emitted_in, int* emitted, const int* going_on_in, int* going_on, int* counts, int B,
                          int T, int V, int eos, const u64* choice) {
  int* best = nullptr;
  cudaMalloc(&best, sizeof(int) * T);
  find_best<<<blocks_of_rows(T), kBlock>>>(logits, best, T, V);
  keep<<<blocks_for(T), kBlock>>>(emitted_in, emitted, T);
  keep<<<blocks_for(B), kBlock>>>(going_on_in, going_on, B);
  walk<<<1, 1>>>(best, tokens, token_nums, seq_lens_in, seq_lens, accepted, emitted, going_on, counts, B, eos);
  cudaFree(best);
}
