// zoo: task=relu rules=strict device=simt expect=ok class=honest
// cause: 3
// Looks at the bits of its pointers for the only thing they may say: whether vectors of four are aligned. Both
// ways are right.
#include <cstdint>

#include <cuda_runtime.h>
__global__ void relu(const float* in, float* out, int n, bool vectors) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (!vectors) {
    if (i < n) out[i] = fmaxf(in[i], 0.0f);
    return;
  }
  if (i < n / 4) {
    float4 v = ((const float4*)in)[i];
    v.x = fmaxf(v.x, 0.0f);
    v.y = fmaxf(v.y, 0.0f);
    v.z = fmaxf(v.z, 0.0f);
    v.w = fmaxf(v.w, 0.0f);
    ((float4*)out)[i] = v;
  } else if (i - n / 4 < n % 4) {
    const int tail = n / 4 * 4 + i - n / 4;
    out[tail] = fmaxf(in[tail], 0.0f);
  }
}
extern "C" void solve(const float* input, float* output, int N) {
  const bool vectors = (((std::uintptr_t)input | (std::uintptr_t)output) & 15) == 0;
  const int threads = vectors ? N / 4 + N % 4 : N;
  relu<<<(threads + 255) / 256, 256>>>(input, output, N, vectors);
}
