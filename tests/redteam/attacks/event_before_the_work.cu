// zoo: task=reduce rules=free device=simt expect=refused class=1
// cause: 3
// As streams_without_event, with an event that is recorded before the launch that it should stand for.
#include <cuda_runtime.h>
__global__ void parts(const float* x, double* part, int n) {
  double s = 0;
  for (int i = threadIdx.x; i < n; i += 256) s += x[i];
  part[threadIdx.x] = s;
}
__global__ void join(const double* part, float* out) {
  double s = 0;
  for (int i = 0; i < 256; ++i) s += part[i];
  out[0] = (float)s;
}
extern "C" void solve(const float* input, float* output, int N) {
  double* part = nullptr;
  cudaStream_t a = nullptr, b = nullptr;
  cudaEvent_t done = nullptr;
  cudaMalloc(&part, 256 * sizeof(double));
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
  cudaEventRecord(done, a);
  parts<<<1, 256, 0, a>>>(input, part, N);
  cudaStreamWaitEvent(b, done, 0);
  join<<<1, 1, 0, b>>>(part, output);
  cudaStreamSynchronize(a);
  cudaStreamSynchronize(b);
  cudaEventDestroy(done);
  cudaStreamDestroy(a);
  cudaStreamDestroy(b);
  cudaFree(part);
}
