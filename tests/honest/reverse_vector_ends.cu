// zoo: task=reverse rules=strict device=simt expect=ok class=honest
// A thread takes four words from each end, turns both round and exchanges them; what is left in
// the middle goes word by word.
#include <cuda_runtime.h>

__device__ float4 turned(float4 v) { return make_float4(v.w, v.z, v.y, v.x); }

__global__ void reverse(float* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  // The far end is aligned only when n is a multiple of four.
  const int vectors = n % 4 == 0 ? n / 8 : 0;
  if (i < vectors) {
    float4* v = reinterpret_cast<float4*>(data);
    const float4 front = v[i], back = v[n / 4 - 1 - i];
    v[i] = turned(back);
    v[n / 4 - 1 - i] = turned(front);
  }
  const int first = vectors * 4, pairs = n / 2 - first;
  if (i < pairs) {
    const float a = data[first + i], b = data[n - 1 - first - i];
    data[first + i] = b;
    data[n - 1 - first - i] = a;
  }
}

extern "C" void solve(float* input, int N) {
  const int work = N % 4 == 0 ? (N / 8 > 4 ? N / 8 : 4) : N / 2;
  if (work == 0) return;
  reverse<<<(work + 255) / 256, 256>>>(input, N);
}
