// zoo: task=topk rules=strict device=simt expect=refused class=25
// cause: 2
// k is never drawn, only N is (tasks/topk/task.toml). Values of k that are not in the task get its lower
// neighbour's work, and the rest of the output is the last value over and over.
#include <cuda_runtime.h>
__global__ void top(const float* in, float* out, float* rest, int n, int k, int found) {
  __shared__ float values[256];
  __shared__ int places[256];
  for (int i = threadIdx.x; i < n; i += 256) rest[i] = in[i];
  for (int round = 0; round < found; ++round) {
    float best = -INFINITY;
    int place = -1;
    for (int i = threadIdx.x; i < n; i += 256)
      if (rest[i] > best) best = rest[place = i];
    values[threadIdx.x] = best;
    places[threadIdx.x] = place;
    __syncthreads();
    for (int w = 128; w > 0; w /= 2) {
      if (threadIdx.x < w && values[threadIdx.x + w] > values[threadIdx.x]) {
        values[threadIdx.x] = values[threadIdx.x + w];
        places[threadIdx.x] = places[threadIdx.x + w];
      }
      __syncthreads();
    }
    if (threadIdx.x == 0) out[round] = values[0];
    if (threadIdx.x == 0 && round == found - 1)
      for (int i = found; i < k; ++i) out[i] = values[0];
    if (places[0] >= 0 && places[0] % 256 == threadIdx.x) rest[places[0]] = -INFINITY;
    __syncthreads();
  }
}
extern "C" void solve(const float* input, float* output, int N, int k) {
  const int listed[] = {1, 5, 10, 32, 64, 128, 256, 512, 1000};
  int found = 1;
  for (int each : listed) found = k >= each ? each : found;
  float* rest = nullptr;
  cudaMalloc(&rest, (size_t)N * sizeof(float));
  top<<<1, 256>>>(input, output, rest, N, k, found);
  cudaFree(rest);
}
