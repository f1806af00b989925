// zoo: task=reduce rules=free device=simt expect=ok class=honest
// cub::DeviceReduce of the toolkit, in double through a transforming input iterator, then one
// small kernel that narrows the sum.
#include <cub/cub.cuh>
#include <cuda_runtime.h>
#include <thrust/iterator/transform_iterator.h>

struct Widen {
  __host__ __device__ double operator()(float x) const { return x; }
};
__global__ void narrow(const double* sum, float* out) { *out = (float)*sum; }

extern "C" void solve(const float* input, float* output, int N) {
  auto wide = thrust::make_transform_iterator(input, Widen());
  double* sum;
  cudaMalloc(&sum, sizeof(double));
  void* scratch = nullptr;
  size_t bytes = 0;
  cub::DeviceReduce::Sum(scratch, bytes, wide, sum, N);
  cudaMalloc(&scratch, bytes);
  cub::DeviceReduce::Sum(scratch, bytes, wide, sum, N);
  narrow<<<1, 1>>>(sum, output);
  cudaFree(scratch);
  cudaFree(sum);
}
