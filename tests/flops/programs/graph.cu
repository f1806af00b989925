// SPDX-License-Identifier: Apache-2.0
// A captured graph of one launch over 8 threads, started three times.
// expect: bump 0 sp=8
// expect: bump 2 sp=8
// expect-not: bump 3
__global__ void bump(float* x) { x[threadIdx.x] += 2.5f; }

int main() {
  float* x;
  cudaMalloc(&x, 8 * sizeof(float));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  bump<<<1, 8, 0, stream>>>(x);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&executable, graph, 0);
  for (int i = 0; i < 3; ++i) cudaGraphLaunch(executable, stream);
  return cudaStreamSynchronize(stream);
}
