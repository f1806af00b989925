// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>
#include <cuda_runtime.h>

// One thread per row looks at every logit of it.
__global__ void find_best(const __half* logits, int* best, int rows, int vocabulary) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= rows) return;
  int place = 0;
  for (int v = 1; v < vocabulary; ++v) {
    if (__half2float(logits[(size_t)t * vocabulary + v]) > __half2float(logits[(size_t)t * vocabulary + place])) place = v;
  }
  best[t] = place;
}

// One thread does the rest, sample after sample.
__global__ void walk(const int* best, const int* tokens, const int* token_nums, int* seq_lens, int* accepted, int* emitted, int* going_on,
                     int* counts, int batch, int eos) {
  int r = 0, to = 0, place = 0;
  for (int b = 0; b < batch; r += token_nums[b++]) {
    int count = 0;
    bool ended = false, right = true;
    for (int s = 0; s < token_nums[b] && right && !ended; ++s) {
      emitted[to++] = best[r + s];
      ++count;
      ended = best[r + s] == eos;
      right = s + 1 < token_nums[b] && tokens[r + s + 1] == best[r + s];
    }
    accepted[b] = count;
    seq_lens[b] += count;
    if (count > 0 && !ended) going_on[place++] = b;
  }
  counts[0] = to;
  counts[1] = place;
}

extern "C" void solve(const __half* logits, const int* tokens, const int* token_nums, int* seq_lens, int* accepted, int* emitted, int* going_on, int* counts, int B, int T, int V, int eos) {
  int* best = nullptr;
  cudaMalloc((void**)&best, (size_t)T * sizeof(int));
  find_best<<<(T + 31) / 32, 32>>>(logits, best, T, V);
  walk<<<1, 1>>>(best, tokens, token_nums, seq_lens, accepted, emitted, going_on, counts, B, eos);
  cudaFree(best);
}
