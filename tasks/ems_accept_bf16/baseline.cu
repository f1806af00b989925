// SPDX-License-Identifier: Apache-2.0
#include <cuda_bf16.h>
#include <cuda_runtime.h>

// First launch: one block per row finds the largest logit.
__global__ void find_best(const __nv_bfloat16* logits, int* best, int vocabulary) {
  __shared__ float values[256];
  __shared__ int places[256];
  const __nv_bfloat16* row = logits + (size_t)blockIdx.x * vocabulary;
  float value = -INFINITY;
  int place = vocabulary;
  for (int v = threadIdx.x; v < vocabulary; v += blockDim.x) {
    const float x = __bfloat162float(row[v]);
    if (x > value || place == vocabulary) {
      value = x;
      place = v;
    }
  }
  values[threadIdx.x] = value;
  places[threadIdx.x] = place;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      const float x = values[threadIdx.x + half];
      const int at = places[threadIdx.x + half];
      if (x > values[threadIdx.x] || (x == values[threadIdx.x] && at < places[threadIdx.x])) {
        values[threadIdx.x] = x;
        places[threadIdx.x] = at;
      }
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) best[blockIdx.x] = places[0];
}

// Second launch: one thread per sample counts what it emits.
__global__ void accept(const int* best, const int* tokens, const int* token_nums, int* seq_lens, int* accepted, int batch, int eos) {
  const int b = blockIdx.x * blockDim.x + threadIdx.x;
  if (b >= batch) return;
  int r = 0, count = 0;
  for (int i = 0; i < b; ++i) r += token_nums[i];
  while (count < token_nums[b]) {
    ++count;
    if (best[r + count - 1] == eos || count == token_nums[b] || tokens[r + count] != best[r + count - 1]) break;
  }
  accepted[b] = count;
  seq_lens[b] += count;
}

// Third launch: one thread per sample, which adds up those before its own.
__global__ void compact(const int* best, const int* token_nums, const int* accepted, int* emitted, int* going_on, int* counts, int batch,
                        int eos) {
  const int b = blockIdx.x * blockDim.x + threadIdx.x;
  if (b >= batch) return;
  int r = 0, to = 0, place = 0;
  for (int i = 0; i < b; ++i) {
    place += accepted[i] > 0 && best[r + accepted[i] - 1] != eos;
    r += token_nums[i];
    to += accepted[i];
  }
  for (int s = 0; s < accepted[b]; ++s) emitted[to + s] = best[r + s];
  const bool goes_on = accepted[b] > 0 && best[r + accepted[b] - 1] != eos;
  if (goes_on) going_on[place] = b;
  if (b == batch - 1) {
    counts[0] = to + accepted[b];
    counts[1] = place + goes_on;
  }
}

extern "C" void solve(const __nv_bfloat16* logits, const int* tokens, const int* token_nums, int* seq_lens, int* accepted, int* emitted, int* going_on, int* counts, int B, int T, int V, int eos) {
  int* best = nullptr;
  cudaMalloc((void**)&best, (size_t)T * sizeof(int));
  find_best<<<T, 256>>>(logits, best, V);
  accept<<<(B + 127) / 128, 128>>>(best, tokens, token_nums, seq_lens, accepted, B, eos);
  compact<<<(B + 127) / 128, 128>>>(best, token_nums, accepted, emitted, going_on, counts, B, eos);
  cudaFree(best);
}
