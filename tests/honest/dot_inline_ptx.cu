// zoo: task=dot rules=strict device=simt expect=ok class=honest
// Inline PTX throughout: read-only vector loads that skip the L1, fused multiply-adds in binary64,
// packed 64-bit shuffles, a release-acquire ticket.
#include <cuda_runtime.h>

__device__ unsigned arrived;
__device__ double sums[64];

__device__ float4 load(const float4* p) {
  float4 v;
  asm("ld.global.nc.L1::no_allocate.v4.f32 {%0, %1, %2, %3}, [%4];"
      : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
      : "l"(p));
  return v;
}
__device__ double fma(float a, float b, double c) {
  double d;
  asm("{\n\t.reg .f64 x, y;\n\tcvt.f64.f32 x, %1;\n\tcvt.f64.f32 y, %2;\n\t"
      "fma.rn.f64 %0, x, y, %3;\n\t}"
      : "=d"(d)
      : "f"(a), "f"(b), "d"(c));
  return d;
}
__device__ double other_lane(double v, int lanes) {
  asm("{\n\t.reg .b32 lo, hi;\n\tmov.b64 {lo, hi}, %0;\n\t"
      "shfl.sync.bfly.b32 lo, lo, %1, 0x1f, 0xffffffff;\n\t"
      "shfl.sync.bfly.b32 hi, hi, %1, 0x1f, 0xffffffff;\n\tmov.b64 %0, {lo, hi};\n\t}"
      : "+d"(v)
      : "r"(lanes));
  return v;
}

__global__ void dot(const float* a, const float* b, float* out, int n) {
  const int threads = gridDim.x * blockDim.x, first = blockIdx.x * blockDim.x + threadIdx.x;
  double v = 0;
  for (int i = first; i < n / 4; i += threads) {
    const float4 x = load((const float4*)a + i), y = load((const float4*)b + i);
    v = fma(x.x, y.x, fma(x.y, y.y, fma(x.z, y.z, fma(x.w, y.w, v))));
  }
  if (first < n % 4) v = fma(a[n / 4 * 4 + first], b[n / 4 * 4 + first], v);
  for (int lanes = 16; lanes > 0; lanes /= 2) v += other_lane(v, lanes);
  if (threadIdx.x != 0) return;
  sums[blockIdx.x] = v;
  unsigned before;
  asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;"
               : "=r"(before)
               : "l"(&arrived), "r"(gridDim.x - 1)
               : "memory");
  if (before != gridDim.x - 1) return;
  v = 0;
  for (unsigned k = 0; k < gridDim.x; ++k) {
    double s;
    asm volatile("ld.relaxed.gpu.global.f64 %0, [%1];" : "=d"(s) : "l"(&sums[k]) : "memory");
    v += s;
  }
  *out = (float)v;
}

extern "C" void solve(const float* A, const float* B, float* result, int N) {
  int blocks = (N + 511) / 512;
  if (blocks > 64) blocks = 64;
  dot<<<blocks, 32>>>(A, B, result, N);
}
