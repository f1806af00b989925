// zoo: task=relu rules=strict device=simt expect=ok class=honest
// No comparison: the sign, spread over the word by an arithmetic shift, masks the value in one
// three-input logic instruction; four words at a time.
#include <cuda_runtime.h>

__device__ int masked(int v) {
  int d;
  asm("{\n\t.reg .b32 s;\n\tshr.s32 s, %1, 31;\n\tlop3.b32 %0, %1, s, 0, 0x30;\n\t}"
      : "=r"(d)
      : "r"(v));
  return d;
}

__global__ void relu(const int* __restrict__ in, int* __restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 4) {
    int4 v = reinterpret_cast<const int4*>(in)[i];
    v.x = masked(v.x), v.y = masked(v.y), v.z = masked(v.z), v.w = masked(v.w);
    reinterpret_cast<int4*>(out)[i] = v;
  }
  if (i < n % 4) out[n / 4 * 4 + i] = masked(in[n / 4 * 4 + i]);
}

extern "C" void solve(const float* input, float* output, int N) {
  const int threads = N / 4 > 4 ? N / 4 : 4;
  relu<<<(threads + 255) / 256, 256>>>((const int*)input, (int*)output, N);
}
