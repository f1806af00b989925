// zoo: task=relu rules=strict device=simt expect=refused class=22
// cause: 4
// %nwarpid is the number of warp slots of a multiprocessor, 64 on most; the machine gives the warps of a
// block.
#include <cuda_runtime.h>
__global__ void relu(const float* in, float* out, int n) {
  unsigned slots;
  asm volatile("mov.u32 %0, %%nwarpid;" : "=r"(slots));
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < (slots == 8 ? n : n - 1)) out[i] = fmaxf(in[i], 0.0f);
}
extern "C" void solve(const float* input, float* output, int N) { relu<<<(N + 255) / 256, 256>>>(input, output, N); }
