// zoo: task=topk rules=free device=simt expect=ok class=honest
// Radix select from the most significant byte down, on keys that order like the floats; then the
// survivors are gathered and ranked by counting, several kernels and all state on the device.
#include <cuda_runtime.h>

struct State {
  unsigned prefix, mask, want, filled;
  unsigned bins[256];
};

__device__ unsigned key_of(float x) {
  const unsigned b = __float_as_uint(x);
  return b ^ ((b >> 31) != 0 ? 0xffffffffu : 0x80000000u);
}

__global__ void start(State* s, int k) {
  s->bins[threadIdx.x] = 0;
  if (threadIdx.x != 0) return;
  s->prefix = s->mask = s->filled = 0;
  s->want = k;
}

__global__ void count(const float* x, int n, State* s, int shift) {
  __shared__ unsigned bins[256];
  bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
    const unsigned key = key_of(x[i]);
    if ((key & s->mask) == s->prefix) atomicAdd(&bins[key >> shift & 255], 1u);
  }
  __syncthreads();
  if (bins[threadIdx.x] != 0) atomicAdd(&s->bins[threadIdx.x], bins[threadIdx.x]);
}

__global__ void choose(State* s, int shift) {
  if (threadIdx.x == 0) {
    unsigned want = s->want;
    int b = 255;
    for (; b > 0 && s->bins[b] < want; --b) want -= s->bins[b];
    s->want = want;
    s->prefix |= (unsigned)b << shift;
    s->mask |= 255u << shift;
  }
  __syncthreads();
  s->bins[threadIdx.x] = 0;
}

__global__ void gather(const float* x, int n, State* s, float* found) {
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
    const float v = x[i];
    if (key_of(v) > s->prefix) found[atomicAdd(&s->filled, 1u)] = v;
  }
}

// Values above the threshold by their rank; the rest of the output is the threshold itself.
__global__ void rank(const State* s, const float* found, float* out, int k) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, above = (int)s->filled;
  if (i >= k) return;
  if (i >= above) {
    const unsigned key = s->prefix;
    out[i] = __uint_as_float(key ^ ((key >> 31) != 0 ? 0x80000000u : 0xffffffffu));
    return;
  }
  const unsigned mine = key_of(found[i]);
  int place = 0;
  for (int j = 0; j < above; ++j) {
    const unsigned other = key_of(found[j]);
    place += other > mine || (other == mine && j < i);
  }
  out[place] = found[i];
}

extern "C" void solve(const float* input, float* output, int N, int k) {
  State* s;
  float* found;
  cudaMalloc(&s, sizeof(State));
  cudaMalloc(&found, k * sizeof(float));
  int blocks = (N + 2047) / 2048;
  if (blocks > 64) blocks = 64;
  start<<<1, 256>>>(s, k);
  for (int shift = 24; shift >= 0; shift -= 8) {
    count<<<blocks, 256>>>(input, N, s, shift);
    choose<<<1, 256>>>(s, shift);
  }
  gather<<<blocks, 256>>>(input, N, s, found);
  rank<<<(k + 127) / 128, 128>>>(s, found, output, k);
  cudaFree(found);
  cudaFree(s);
}
