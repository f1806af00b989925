// zoo: task=relu rules=strict device=simt expect=ok class=honest
// Fields, comments and text that begin like an assembler's directives: elements behind the last
// full vector are .included by one more block, and nothing is read by .incbin.
#include <cuda_runtime.h>

struct Range {
  int count;
  bool include_tail;
  int loc;
};

__global__ void relu(const float* __restrict__ in, float* __restrict__ out, Range range) {
  const int i = range.loc + blockIdx.x * blockDim.x + threadIdx.x;
  if (range.include_tail && i < range.count) {
    const float v = in[i];
    float r;
    asm("max .f32 %0, %1, 0f00000000; // as p.include_tail says\n" : "=f"(r) : "f"(v));
    out[i] = r;
  }
}

extern "C" void solve(const float* input, float* output, int N) {
  Range range = {N, false, 0};
  range.include_tail = N > 0;
  relu<<<(N + 255) / 256, 256>>>(input, output, range);
}
