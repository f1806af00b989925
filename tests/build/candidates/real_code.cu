// SPDX-License-Identifier: Apache-2.0
// What nvcc takes without a word and programs rely on: names that no header was included for, alignas
// behind other specifiers, mathematics for both sides, cache hints for every type, arrays by new.
#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_profiler_api.h>

#include <assert.h>

#include <memory>
#include <optional>
#include <variant>
#include <vector>

struct alignas(16) Wide {
  float x;
};
template <class T>
struct Storage {
  alignas(T) unsigned char bytes[sizeof(T)];
  alignas(alignof(T)) unsigned char more[4];
};
static_assert(alignof(Wide) == 16 && alignof(Storage<double2>) == 16);

__global__ void names(uint32_t* p, int64_t* q, uint8_t b) {
  assert(p != nullptr);
  p[0] = b;
  q[0] = 1;
}

__host__ __device__ float both(float x) {
  float s, c;
  sincosf(x, &s, &c);
  return s + c + erff(x) + fmaf(x, x, x) + truncf(x) + log2f(x) + fmaxf(x, 1.0f) + sinpif(x) + cospif(x) + exp10f(x);
}
__host__ __device__ double both(double x) {
  double s, c;
  sincos(x, &s, &c);
  return s + c + erf(x) + fma(x, x, x) + sinpi(x) + cospi(x) + isnan(x) + isinf(x) + signbit(x) + std::isfinite(x);
}

__global__ void aligned(float* y) {
  extern __shared__ __align__(16) unsigned char raw[];
  __shared__ alignas(128) float tile[32];
  __shared__ alignas(float4) float other[4];
  tile[threadIdx.x] = raw[0];
  other[threadIdx.x % 4] = both(tile[threadIdx.x]);
  y[0] = other[0] + (float)both((double)y[0]);
}

// Pairs of halves from bits, and back; additions of vectors in the three scopes.
__global__ void pairs(__half2* h, __nv_bfloat162* b, float2* two, float4* four) {
  __half2_raw raw = h[1];
  raw.x ^= 0x8000;
  h[0] = __half2(raw);
  const __nv_bfloat162_raw other = b[1];
  b[0] = __nv_bfloat162(other);
  atomicAdd(two, make_float2(1, 2));
  atomicAdd_block(four, make_float4(1, 2, 3, 4));
  atomicAdd_system(four + 1, atomicAdd(four + 2, make_float4(1, 2, 3, 4)));
}

__global__ void hints(__half* h, __nv_bfloat16* b, __half2* h2, const char4* c, const uchar2* u, unsigned char* byte,
                      const short4* s) {
  h[0] = __ldcs(h + 1);
  b[0] = __ldcg(b + 1);
  h2[0] = __ldca(h2 + 1);
  __stcs(h + 2, h[1]);
  __stcg(b + 2, b[1]);
  __stwt(h2 + 2, h2[1]);
  __stcs(byte, (unsigned char)(__ldcs(c).x + __ldlu(u).y + __ldcv(byte + 1) + __ldcs(s).w));
}

struct Base {
  int a;
  __host__ __device__ Base() : a(1) {}
  __host__ __device__ virtual ~Base() {}
};
__global__ void arrays(int* p) {
  int* list = new int[10];
  list[threadIdx.x % 10] = 1;
  p[0] = list[0];
  delete[] list;
  Base* objects = new Base[3];
  p[1] = objects[1].a;
  delete[] objects;
}

__global__ void complex(cuFloatComplex* a, cuDoubleComplex* b) {
  a[0] = cuCdivf(cuCmulf(a[1], make_cuFloatComplex(1, 2)), cuConjf(a[2]));
  b[0] = cuCfma(b[0], b[1], cuComplexFloatToDouble(a[0]));
  a[3].x = cuCabsf(a[0]) + (float)cuCreal(b[0]);
}

extern "C" void solve(const float* x, float* y, int n) {
  cudaProfilerStart();
  std::vector<Wide> wide(3);
  std::optional<Storage<float4>> storage;
  names<<<1, 1>>>((uint32_t*)y, (int64_t*)y, 0);
  aligned<<<1, 32, 64>>>(y);
  cudaProfilerStop();
}
