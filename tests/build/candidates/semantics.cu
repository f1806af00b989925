// SPDX-License-Identifier: Apache-2.0
// Checks the device headers against plain code: every y[i] becomes 1, or 0 where something is
// wrong. Layout: 32 results per kernel, in the order of solve. Needs n >= 32 * 8.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <curand_kernel.h>
#include <cub/cub.cuh>

namespace cg = cooperative_groups;

__device__ float verdict(bool good) { return good ? 1.0f : 0.0f; }

__global__ void bits(float* y) {
  const int i = threadIdx.x;
  const int v = (int)(i * 2654435761u) >> (i & 7);
  bool good = true;
  int leading = 0, ones = 0;
  for (int b = 31; b >= 0 && !((v >> b) & 1); --b) ++leading;
  for (int b = 0; b < 32; ++b) ones += (v >> b) & 1;
  good &= __clz(v) == leading && __popc(v) == ones && __clz(0) == 32 && __ffs(0) == 0;
  good &= __ffs(8) == 4 && __brev(1u) == 0x80000000u && __clzll(1LL) == 63 && __ffsll(16LL) == 5;
  good &= __byte_perm(0x33221100u, 0x77665544u, 0x7610u) == 0x77661100u;
  good &= __mulhi(v, 77) == (int)(((long long)v * 77) >> 32) && __umulhi(~0u, ~0u) == 0xFFFFFFFEu;
  good &=
      __sad(5, -3, 10) == 18 && __usad(3u, 5u, 1u) == 3u && __hadd(7, 8) == 7 && __rhadd(7, 8) == 8;
  good &= roundf(2.5f) == 3.0f && roundf(-2.5f) == -3.0f && rintf(2.5f) == 2.0f &&
          truncf(-1.5f) == -1.0f && floorf(-1.5f) == -2.0f && ceilf(1.2f) == 2.0f;
  good &= __float2int_rn(2.5f) == 2 && __float2int_rz(-2.9f) == -2 && __float2int_rd(-2.1f) == -3 &&
          __float2int_ru(2.1f) == 3 && __double2int_rn(3.5) == 4;
  good &= __float_as_int(1.0f) == 0x3f800000 && __hiloint2double(0x3ff00000, 0) == 1.0;
  good &= isnan(__int_as_float(0x7fc00000)) && isinf(__int_as_float(0x7f800000)) && !isnan(1.0f);
  good &= fmaxf(1.0f, __int_as_float(0x7fc00000)) == 1.0f && max(3, 4u) == 4u &&
          min(2.0f, 1.0f) == 1.0f;
  good &=
      __fadd_rd(1.0f, 1e-9f) == 1.0f && __fadd_ru(1.0f, 1e-9f) > 1.0f && __saturatef(3.0f) == 1.0f;
  good &= __dp4a(0x01020304, 0x01010101, 5) == 15 && __funnelshift_l(1u, 2u, 4) == 32u;
  float whole, sine, cosine;
  double whole2;
  int e, q;
  good &= modff(-2.75f, &whole) == -0.75f && whole == -2.0f && modf(5.0, &whole2) == 0.0 &&
          whole2 == 5.0 && modff(-__int_as_float(0x7f800000), &whole) == 0.0f && isinf(whole);
  good &= frexpf(-6.0f, &e) == -0.75f && e == 3 && frexp(4.9406564584124654e-324, &e) == 0.5 &&
          e == -1073 && frexpf(0.0f, &e) == 0.0f && e == 0;
  good &= remquof(29.0f, 3.0f, &q) == -1.0f && (q & 7) == 2 && remquo(-7.5, 5.0, &q) == 2.5 &&
          (-q & 7) == 2 && remquof(2.0f, 3.0f, &q) == -1.0f && q == 1;
  sincospif(0.5f, &sine, &cosine);
  good &= sine == 1.0f && cosine == 0.0f && norm3df(2.0f, 3.0f, 6.0f) == 7.0f &&
          norm4d(2.0, 4.0, 5.0, 6.0) == 9.0 && rhypotf(3.0f, 4.0f) == 0.2f &&
          rnorm3df(2.0f, 3.0f, 6.0f) == 1.0f / 7.0f;
  good &= cyl_bessel_i0f(0.0f) == 1.0f && cyl_bessel_i1f(0.0f) == 0.0f && jnf(0, 0.0f) == 1.0f;
  y[i] = verdict(good);
}

__global__ void halves(float* y) {
  const int i = threadIdx.x;
  const float f = 0.37f * (float)(i - 13);
  bool good = true;
  good &= __half_as_ushort(__float2half(1.0f)) == 0x3C00 &&
          __half_as_ushort(__float2half(-2.0f)) == 0xC000;
  good &= __half2float(__ushort_as_half(0x0001)) == 5.9604644775390625e-8f;
  good &= __half_as_ushort(__float2half(65520.0f)) == 0x7C00;
  good &= fabsf(__half2float(__float2half(f)) - f) <= fabsf(f) * 0.0005f;
  const half a = __float2half(f), b = __float2half(1.5f);
  good &= __half2float(__hadd(a, b)) == __half2float(__float2half(__half2float(a) + 1.5f));
  good &= __half2float(__hfma(a, b, a)) ==
          __half2float(__float2half(fmaf(__half2float(a), 1.5f, __half2float(a))));
  good &= __hlt(a, b) == (__half2float(a) < 1.5f) && (float)__hmax(a, b) == fmaxf((float)a, 1.5f);
  const half2 p =
      __hfma2(__floats2half2_rn(2.0f, 3.0f), __float2half2_rn(4.0f), __halves2half2(b, b));
  good &= __low2float(p) == 9.5f && __high2float(p) == 13.5f && __half22float2(p).y == 13.5f;
  good &= (float)__habs(-b) == 1.5f && (float)(-b) == -1.5f && (float)(b / b) == 1.0f;
  const half s = __shfl_xor_sync(0xFFFFFFFFu, a, 1);
  good &= __half2float(s) == __half2float(__float2half(0.37f * (float)((i ^ 1) - 13)));
  good &= __bfloat16_as_ushort(__float2bfloat16(1.0f)) == 0x3F80;
  good &= __bfloat162float(__float2bfloat16(1.00390625f)) == 1.0f;  // a tie goes to even
  good &= (float)(__float2bfloat16(2.0f) * __float2bfloat16(3.0f)) == 6.0f;
  const __nv_bfloat162 q = __hadd2(__floats2bfloat162_rn(1.0f, 2.0f), __float2bfloat162_rn(0.5f));
  good &= __low2float(q) == 1.5f && __high2float(q) == 2.5f;
  y[i] = verdict(good);
}

__global__ void half_nans(float* y) {
  const int i = threadIdx.x;
  const half nan = __ushort_as_half((unsigned short)(0x7E00 + i)), one = __float2half(1.0f);
  const half two = __float2half((float)(i + 2));
  bool good = !__hne(nan, one) && !__hne(one, nan) && __hneu(nan, one) && nan != one;
  good &= __hne(two, one) && !__hne(one, one) && !__hneu(one, one);
  good &= __half_as_ushort(__hfma_relu(nan, one, one)) == 0x7FFF;
  good &= (float)__hfma_relu(two, one, one) == (float)(i + 3);
  good &= __half_as_ushort(__hfma_relu(two, -one, one)) == 0;
  const __nv_bfloat16 wide = __float2bfloat16((float)i + 1.0f), least = __float2bfloat16(-1.0f);
  good &= (float)__hfma_relu(wide, least, wide) == 0.0f && __hne(wide, least);
  y[i] = verdict(good);
}

__global__ void groups(float* y) {
  const cg::thread_block block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  const auto tile = cg::tiled_partition<8>(warp);
  const int i = (int)block.thread_rank();
  bool good = i == (int)threadIdx.x && block.size() == 32 && tile.size() == 8;
  good &= (int)tile.thread_rank() == i % 8 && (int)tile.meta_group_rank() == i / 8;
  const int first = i / 8 * 8;
  good &= cg::reduce(tile, i, cg::plus<int>()) == 8 * first + 28;
  good &= cg::reduce(warp, (double)i, cg::greater<double>()) == 31.0;
  good &=
      cg::inclusive_scan(tile, 1) == i % 8 + 1 && cg::exclusive_scan(warp, i) == i * (i - 1) / 2;
  good &= tile.shfl(i, 3) == first + 3 && tile.shfl_xor(i, 1) == (i ^ 1) &&
          tile.shfl_up(i, 1) == (i % 8 ? i - 1 : i);
  good &= tile.ballot(i % 2) == 0xAA && tile.any(i == 9) == (first == 8) && warp.all(i < 32);
  good &= (int)warp.match_any(i / 4) == (0xF << (i / 4 * 4));
  if (i % 3 == 0) {
    const cg::coalesced_group some = cg::coalesced_threads();
    good &= some.size() == 11 && (int)some.thread_rank() == i / 3 && some.shfl(i, 2) == 6;
    good &= cg::reduce(some, i, cg::plus<int>()) == 165 && some.ballot(i == 3) == 2;
  }
  warp.sync();
  const auto part = cg::binary_partition(warp, i < 5);
  good &= part.size() == (i < 5 ? 5u : 27u);
  y[i] = verdict(good);
}

struct Larger {
  __device__ int operator()(int a, int b) const { return a < b ? b : a; }
};

template <int Threads>
__device__ bool block_primitives(int valid) {
  typedef cub::BlockReduce<int, Threads> Reduce;
  typedef cub::BlockScan<int, Threads> Scan;
  __shared__ union {
    typename Reduce::TempStorage reduce;
    typename Scan::TempStorage scan;
  } storage;
  const int i = threadIdx.x;
  bool good = true;
  const int sum = Reduce(storage.reduce).Sum(i);
  good &= i != 0 || sum == Threads * (Threads - 1) / 2;
  __syncthreads();
  const int some = Reduce(storage.reduce).Sum(i, valid);
  good &= i != 0 || some == valid * (valid - 1) / 2;
  __syncthreads();
  const int most = Reduce(storage.reduce).Reduce((i * 37) % Threads, Larger());
  good &= i != 0 || most == Threads - 1;
  __syncthreads();
  int before, upto, total;
  Scan(storage.scan).ExclusiveSum(i, before, total);
  good &= before == i * (i - 1) / 2 && total == Threads * (Threads - 1) / 2;
  __syncthreads();
  Scan(storage.scan).InclusiveSum(i, upto);
  good &= upto == i * (i + 1) / 2;
  __syncthreads();
  int in[2] = {2 * i, 2 * i + 1}, out[2];
  Scan(storage.scan).InclusiveSum(in, out);
  good &= out[0] == 2 * i * (2 * i + 1) / 2 && out[1] == (2 * i + 1) * (2 * i + 2) / 2;
  __syncthreads();
  return good;
}

__global__ void cub_full(float* y) {
  const bool good = block_primitives<128>(77);
  const int all = __syncthreads_and(good);
  __shared__ typename cub::WarpReduce<float>::TempStorage warp_storage[4];
  const float sum = cub::WarpReduce<float>(warp_storage[threadIdx.x / 32]).Sum(1.0f);
  __shared__ typename cub::WarpScan<int>::TempStorage scan_storage[4];
  int before;
  cub::WarpScan<int>(scan_storage[threadIdx.x / 32]).ExclusiveSum(1, before);
  const bool lanes = (threadIdx.x % 32 != 0 || sum == 32.0f) && before == (int)threadIdx.x % 32;
  if (threadIdx.x < 32) y[threadIdx.x] = verdict(all && lanes);
}

__global__ void cub_ragged(float* y) {
  const bool good = block_primitives<100>(33);
  const int all = __syncthreads_and(good);
  if (threadIdx.x < 32) y[threadIdx.x] = verdict(all);
}

/// Logical warps of 16: each half of the warp is one of its own, and may walk alone.
__global__ void cub_logical(float* y) {
  typedef cub::WarpReduce<int, 16> Reduce;
  typedef cub::WarpScan<int, 16> Scan;
  __shared__ typename Reduce::TempStorage reduce[2];
  __shared__ typename Scan::TempStorage scan[2];
  const int i = threadIdx.x, half = i / 16, lane = i % 16;
  bool good = true;
  if (half == 1) {
    const int sum = Reduce(reduce[half]).Sum(i);
    int before, upto;
    Scan(scan[half]).ExclusiveSum(1, before);
    Scan(scan[half]).InclusiveSum(2, upto);
    good = (lane != 0 || sum == 16 * 16 + 120) && before == lane && upto == 2 * lane + 2;
  }
  y[i] = verdict(good);
}

__global__ void random_and_pipeline(float* y, const float* x) {
  __shared__ float4 tile[32];
  const int i = threadIdx.x;
  // The published known answer for counter 0, key 0.
  curandStatePhilox4_32_10_t philox;
  curand_init(0, 0, 0, &philox);
  const uint4 r = curand4(&philox);
  bool good = r.x == 0x6627e8d5u && r.y == 0xe169c58du && r.z == 0xbc57ac4cu && r.w == 0x9b00dbd8u;
  curandState state;
  curand_init(7, i, 0, &state);
  float mean = 0;
  for (int k = 0; k < 256; ++k) {
    const float u = curand_uniform(&state);
    good &= u > 0.0f && u <= 1.0f;
    mean += u / 256;
  }
  good &= mean > 0.35f && mean < 0.65f;
  __pipeline_memcpy_async(&tile[i], x + 4 * i, 16);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  const float4 v = tile[31 - i];
  good &= v.x == x[4 * (31 - i)] && v.w == __ldg(x + 4 * (31 - i) + 3) &&
          v.y == __ldcs(x + 4 * (31 - i) + 1);
  y[i] = verdict(good);
}

extern "C" void solve(const float* x, float* y, int n) {
  if (n < 32 * 8) return;
  bits<<<1, 32>>>(y);
  halves<<<1, 32>>>(y + 32);
  groups<<<1, 32>>>(y + 64);
  cub_full<<<1, 128>>>(y + 96);
  cub_ragged<<<1, 100>>>(y + 128);
  random_and_pipeline<<<1, 32>>>(y + 160, x);
  cub_logical<<<1, 32>>>(y + 192);
  half_nans<<<1, 32>>>(y + 224);
}
