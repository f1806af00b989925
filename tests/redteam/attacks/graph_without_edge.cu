// zoo: task=reduce rules=strict device=simt expect=refused class=1
// cause: 3
// A graph built by hand lacks the edge from the second half to the sum: a plan has one order, in which it works.
#include <cuda_runtime.h>
__global__ void fold(const float* x, double* part, float* out, int n, int stage) {
  if (stage == 2) {
    *out = (float)(part[0] + part[1]);
    return;
  }
  double s = 0;
  for (int i = stage; i < n; i += 2) s += x[i];
  part[stage] = s;
}
extern "C" void solve(const float* input, float* output, int N) {
  double* part = nullptr;
  cudaMalloc(&part, 2 * sizeof(double));
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  cudaGraphNode_t node[3];
  for (int stage = 0; stage < 3; ++stage) {
    void* arguments[] = {&input, &part, &output, &N, &stage};
    cudaKernelNodeParams launch = {};
    launch.func = (void*)fold;
    launch.gridDim = dim3(1);
    launch.blockDim = dim3(1);
    launch.kernelParams = arguments;
    cudaGraphAddKernelNode(&node[stage], graph, stage < 2 ? nullptr : &node[0], stage < 2 ? 0 : 1, &launch);
  }
  cudaGraphExec_t ready;
  cudaGraphInstantiate(&ready, graph, 0);
  cudaGraphLaunch(ready, 0);
  cudaDeviceSynchronize();
  cudaFree(part);
}
