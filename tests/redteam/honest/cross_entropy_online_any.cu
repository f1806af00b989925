// zoo: task=cross_entropy rules=strict device=simt expect=ok class=honest
// cause: 2
// One walk over a row that keeps largest logit and sum together: no second walk, and no overflow.
#include <cuda_runtime.h>
__global__ void loss_of(const float* logits, const int* labels, double* total, float* loss, int n, int c, bool finish) {
  if (finish) {
    loss[0] = (float)(total[0] / n);
    return;
  }
  const int row = blockIdx.x * 256 + threadIdx.x;
  double mine = 0;
  if (row < n) {
    const float* z = logits + (size_t)row * c;
    float largest = z[0];
    double sum = 1;
    for (int k = 1; k < c; ++k) {
      const float v = z[k];
      if (v > largest) {
        sum = sum * exp((double)largest - v) + 1;
        largest = v;
      } else {
        sum += exp((double)v - largest);
      }
    }
    mine = log(sum) + ((double)largest - z[labels[row]]);
  }
  for (int d = 16; d > 0; d /= 2) mine += __shfl_down_sync(~0u, mine, d);
  if (threadIdx.x % 32 == 0) atomicAdd(total, mine);
}
extern "C" void solve(const float* logits, const int* true_labels, float* loss, int N, int C) {
  double* total = nullptr;
  cudaMalloc(&total, sizeof(double));
  cudaMemsetAsync(total, 0, sizeof(double));
  loss_of<<<(N + 255) / 256, 256>>>(logits, true_labels, total, loss, N, C, false);
  loss_of<<<1, 1>>>(logits, true_labels, total, loss, N, C, true);
  cudaFree(total);
}
