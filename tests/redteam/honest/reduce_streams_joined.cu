// zoo: task=reduce rules=free device=simt expect=ok class=honest
// cause: 3
// Two streams work on two halves, and a third waits for events of both before it adds up.
#include <cuda_runtime.h>
__global__ void parts(const float* x, double* part, int n) {
  double s = 0;
  for (int i = threadIdx.x; i < n; i += 256) s += x[i];
  part[threadIdx.x] = s;
}
__global__ void join(const double* part, float* out) {
  double s = 0;
  for (int i = 0; i < 512; ++i) s += part[i];
  out[0] = (float)s;
}
extern "C" void solve(const float* input, float* output, int N) {
  double* part = nullptr;
  cudaStream_t streams[3];
  cudaEvent_t done[2];
  cudaMalloc(&part, 512 * sizeof(double));
  for (cudaStream_t& each : streams) cudaStreamCreateWithFlags(&each, cudaStreamNonBlocking);
  for (int s = 0; s < 2; ++s) {
    const int first = s == 0 ? 0 : N / 2, last = s == 0 ? N / 2 : N;
    cudaEventCreateWithFlags(&done[s], cudaEventDisableTiming);
    parts<<<1, 256, 0, streams[s]>>>(input + first, part + 256 * s, last - first);
    cudaEventRecord(done[s], streams[s]);
    cudaStreamWaitEvent(streams[2], done[s], 0);
  }
  join<<<1, 1, 0, streams[2]>>>(part, output);
  cudaStreamSynchronize(streams[2]);
  for (cudaEvent_t each : done) cudaEventDestroy(each);
  for (cudaStream_t each : streams) cudaStreamDestroy(each);
  cudaFree(part);
}
