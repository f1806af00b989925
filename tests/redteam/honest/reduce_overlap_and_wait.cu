// zoo: task=reduce rules=free device=simt expect=ok class=honest
// cause: 4
// A second launch that may begin early, and waits before it reads.
#include <cuda_runtime.h>
__global__ void parts(const float* x, double* part, int n) {
  cudaTriggerProgrammaticLaunchCompletion();
  double s = 0;
  for (int i = threadIdx.x; i < n; i += 256) s += x[i];
  part[threadIdx.x] = s;
}
__global__ void join(const double* part, float* out) {
  cudaGridDependencySynchronize();
  double s = 0;
  for (int i = 0; i < 256; ++i) s += part[i];
  out[0] = (float)s;
}
extern "C" void solve(const float* input, float* output, int N) {
  double* part = nullptr;
  cudaMalloc(&part, 256 * sizeof(double));
  parts<<<1, 256>>>(input, part, N);
  cudaLaunchAttribute early[1];
  early[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early[0].val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(1);
  config.blockDim = dim3(1);
  config.attrs = early;
  config.numAttrs = 1;
  cudaLaunchKernelEx(&config, join, (const double*)part, output);
  cudaFree(part);
}
