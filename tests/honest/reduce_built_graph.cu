// zoo: task=reduce rules=strict device=simt expect=ok class=honest
// A graph built node by node: two launches that nothing orders, one that waits for both by a
// dependency which is added later, and a memset before them.
#include <cuda_runtime.h>

__global__ void fold(const float* x, double* sums, float* out, int n, int part) {
  if (part < 2) {
    const int half = n / 2, begin = part * half, end = part == 0 ? half : n;
    double v = 0;
    for (int k = begin + threadIdx.x; k < end; k += blockDim.x) v += x[k];
    for (int step = 16; step > 0; step /= 2) v += __shfl_xor_sync(0xffffffffu, v, step);
    __shared__ double warps[8];
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
      for (int k = 1; k < 8; ++k) v += warps[k];
      sums[part] += v;
    }
  } else if (threadIdx.x == 0) {
    *out = (float)(sums[0] + sums[1]);
  }
}

extern "C" void solve(const float* input, float* output, int N) {
  double* sums = nullptr;
  cudaMalloc(&sums, 2 * sizeof(double));
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  cudaMemsetParams clear = {};
  clear.dst = sums;
  clear.elementSize = 4;
  clear.width = 4;
  clear.height = 1;
  cudaGraphNode_t cleared, node[3];
  cudaGraphAddMemsetNode(&cleared, graph, nullptr, 0, &clear);
  for (int part = 0; part < 3; ++part) {
    void* arguments[] = {&input, &sums, &output, &N, &part};
    cudaKernelNodeParams launch = {};
    launch.func = (void*)fold;
    launch.gridDim = dim3(1);
    launch.blockDim = dim3(256);
    launch.kernelParams = arguments;
    cudaGraphAddKernelNode(&node[part], graph, part < 2 ? &cleared : &node[0], 1, &launch);
  }
#if CUDART_VERSION >= 13000
  cudaGraphAddDependencies(graph, &node[1], &node[2], nullptr, 1);
#else
  cudaGraphAddDependencies(graph, &node[1], &node[2], 1);
#endif
  cudaGraphExec_t ready;
  cudaGraphInstantiate(&ready, graph, 0);
  cudaGraphLaunch(ready, 0);
  cudaDeviceSynchronize();
  cudaGraphExecDestroy(ready);
  cudaGraphDestroy(graph);
  cudaFree(sums);
}
