// zoo: task=maxpool3d rules=free device=simt expect=ok class=honest
// The maximum over a cube is a maximum over lines, three times: along W, then H, then D, through
// two scratch volumes from the device's memory pool. One template for all three.
#include <cuda_runtime.h>

__global__ void pool_line(const float* in, float* out, long long outer, int length, int out_length,
                          int inner, int k, int stride, int padding, int dilation) {
  const long long total = outer * out_length * inner;
  for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < total;
       i += (long long)gridDim.x * blockDim.x) {
    const int in_line = (int)(i % inner);
    const long long rest = i / inner;
    const int o = (int)(rest % out_length);
    const float* line = in + rest / out_length * length * inner + in_line;
    float m = -INFINITY;
    for (int t = 0; t < k; ++t) {
      const int at = o * stride - padding + t * dilation;
      if ((unsigned)at < (unsigned)length) m = fmaxf(m, line[(long long)at * inner]);
    }
    out[i] = m;
  }
}

extern "C" void solve(const float* input, float* output, int N, int C, int D, int H, int W,
                      int kernel_size, int stride, int padding, int dilation) {
  auto extent = [&](int x) {
    return (x + 2 * padding - dilation * (kernel_size - 1) - 1) / stride + 1;
  };
  const int oD = extent(D), oH = extent(H), oW = extent(W);
  const long long planes = (long long)N * C;
  float *a, *b;
  cudaMemPool_t pool;
  cudaDeviceGetDefaultMemPool(&pool, 0);
  unsigned long long keep = ~0ull;
  cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep);
  cudaMallocFromPoolAsync((void**)&a, planes * D * H * oW * sizeof(float), pool, 0);
  cudaMallocFromPoolAsync((void**)&b, planes * D * oH * oW * sizeof(float), pool, 0);
  auto blocks = [](long long n) { return (unsigned)(n / 256 + 1 > 2048 ? 2048 : n / 256 + 1); };
  pool_line<<<blocks(planes * D * H * oW), 256>>>(input, a, planes * D * H, W, oW, 1, kernel_size,
                                                  stride, padding, dilation);
  pool_line<<<blocks(planes * D * oH * oW), 256>>>(a, b, planes * D, H, oH, oW, kernel_size, stride,
                                                   padding, dilation);
  pool_line<<<blocks(planes * oD * oH * oW), 256>>>(b, output, planes, D, oD, oH * oW, kernel_size,
                                                    stride, padding, dilation);
  cudaFreeAsync(a, 0);
  cudaFreeAsync(b, 0);
}
