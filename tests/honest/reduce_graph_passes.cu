// zoo: task=reduce rules=strict device=simt expect=ok class=honest
// A captured graph: a memset and a loop of launches that each halve the number of partial sums,
// instantiated once and launched once.
#include <cuda_runtime.h>

__global__ void fold(const float* x, double* sums, float* out, int n, int width, int stage) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (stage == 0) {
    double v = 0;
    for (int k = i; k < n; k += width) v += x[k];
    if (i < width) sums[i] += v;
  } else if (i < width) {
    sums[i] += sums[i + width];
    if (width == 1) *out = (float)sums[0];
  }
}

extern "C" void solve(const float* input, float* output, int N) {
  int width = 1;
  while (width < 1024 && width * 8 < N) width *= 2;
  if (width == 1) width = 2;
  double* sums = nullptr;
  cudaMalloc(&sums, width * sizeof(double));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaGraph_t graph;
  cudaGraphExec_t ready;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  cudaMemsetAsync(sums, 0, width * sizeof(double), stream);
  for (int stage = 0; width >= 1; ++stage, width /= 2) {
    fold<<<(width + 127) / 128, 128, 0, stream>>>(input, sums, output, N, width, stage);
  }
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&ready, graph, 0);
  cudaGraphUpload(ready, stream);
  cudaGraphLaunch(ready, stream);
  cudaStreamSynchronize(stream);
  cudaGraphExecDestroy(ready);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
  cudaFree(sums);
}
