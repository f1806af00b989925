// SPDX-License-Identifier: Apache-2.0
// task: decode_attention
// rules: free
// device: NVIDIA H200 (CUDA 13.0 driver)
// date: 2026-11-18
// commit: cbc509e
// made by: warpwright 0.2.0
// model: inbox
// run: decode_attention-1 given
// median us: B=1,ctx=4096 24.29, B=2,ctx=2048 26.48, B=4,ctx=4096 75.07, B=8,ctx=8192 260.82, B=16,ctx=4096 263.90
// sha256: 34f6ca10cc3e7b1e5a44421b9cbc1c6c5d81a0deeb12213ef7891eaa9d405f64

#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cstdint>
#include <math.h>

#define WARPS 8
#define ROWS 8
#define STAGES 1
#define CTAS 3
#define D 128
#define HALFROWS (ROWS / 2)

__device__ __forceinline__ uint32_t smem_addr(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }
__device__ __forceinline__ void bar_init(uint32_t bar) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar) : "memory");
}
__device__ __forceinline__ void bar_wait(uint32_t bar, uint32_t phase) {
  asm volatile(
      "{\n.reg .pred p;\nW: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@p bra E;\nbra W;\nE:\n}\n" ::"r"(bar), "r"(phase)
      : "memory");
}
__device__ __forceinline__ void bulk_load(uint32_t dst, const void* src, uint32_t bytes, uint32_t bar) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(bytes) : "memory");
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(dst), "l"(src),
               "r"(bytes), "r"(bar)
               : "memory");
}
__device__ __forceinline__ float ex2(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
__device__ __forceinline__ void unpack(const uint4& a, float (&f)[8]) {
  const float2 x = __half22float2(*reinterpret_cast<const __half2*>(&a.x));
  const float2 y = __half22float2(*reinterpret_cast<const __half2*>(&a.y));
  const float2 z = __half22float2(*reinterpret_cast<const __half2*>(&a.z));
  const float2 w = __half22float2(*reinterpret_cast<const __half2*>(&a.w));
  f[0] = x.x; f[1] = x.y; f[2] = y.x; f[3] = y.y; f[4] = z.x; f[5] = z.y; f[6] = w.x; f[7] = w.y;
}
__device__ __forceinline__ uint4 load_stream(const void* p) {
  uint4 r;
  asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(r.x), "=r"(r.y), "=r"(r.z), "=r"(r.w) : "l"(p));
  return r;
}
__device__ __forceinline__ float dot8(const uint4& a, const float (&qf)[8]) {
  float f[8];
  unpack(a, f);
  float s0 = f[0] * qf[0], s1 = f[1] * qf[1];
#pragma unroll
  for (int e = 2; e < 8; e += 2) { s0 = fmaf(f[e], qf[e], s0); s1 = fmaf(f[e + 1], qf[e + 1], s1); }
  return s0 + s1;
}

__global__ void __launch_bounds__(WARPS * 32, CTAS)
attend128(const __half* __restrict__ q, const __half* __restrict__ k, const __half* __restrict__ v,
          const int* __restrict__ seq_lens, __half* __restrict__ out, int heads, int l_max, float scale) {
  extern __shared__ __align__(128) unsigned char ring[];
  __shared__ float comb[WARPS][D];
  __shared__ float comb_m[WARPS], comb_l[WARPS];
  __shared__ float part[8][D];
  __shared__ float part_m[8], part_l[8];
  const int splits = gridDim.x, rank = blockIdx.x;
  const size_t row = blockIdx.y;
  const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31, sub = lane & 15, grp = lane >> 4;
  const __half* keys = k + row * l_max * D;
  const __half* values = v + row * l_max * D;
  const int t0 = rank * WARPS + warp, step = splits * WARPS;
  if (splits > 1) asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");

  uint4 kr[HALFROWS], vr[HALFROWS];
#pragma unroll
  for (int i = 0; i < HALFROWS; ++i) {
    const int p = t0 * ROWS + 2 * i + grp;
    kr[i] = p < l_max ? load_stream(keys + (size_t)p * D + sub * 8) : make_uint4(0, 0, 0, 0);
  }
#pragma unroll
  for (int i = 0; i < HALFROWS; ++i) {
    const int p = t0 * ROWS + 2 * i + grp;
    vr[i] = p < l_max ? load_stream(values + (size_t)p * D + sub * 8) : make_uint4(0, 0, 0, 0);
  }
  const int n = seq_lens[blockIdx.y / heads];
  float qf[8];
  unpack(*reinterpret_cast<const uint4*>(q + row * D + sub * 8), qf);
#pragma unroll
  for (int e = 0; e < 8; ++e) qf[e] *= scale;
  float m = -1e30f, l = 0.0f, acc[8];
#pragma unroll
  for (int e = 0; e < 8; ++e) acc[e] = 0.0f;
  const __half* kp = keys + (size_t)(t0 * ROWS + grp) * D + sub * 8;
  const __half* vp = values + (size_t)(t0 * ROWS + grp) * D + sub * 8;
  const size_t jump = (size_t)step * ROWS * D;
  for (int start = t0 * ROWS; start < n; start += step * ROWS) {
    const int next = start + step * ROWS;
    kp += jump;
    vp += jump;
    float sc[HALFROWS];
#pragma unroll
    for (int i = 0; i < HALFROWS; ++i) sc[i] = dot8(kr[i], qf);
    if (next + ROWS <= n) {
#pragma unroll
      for (int i = 0; i < HALFROWS; ++i) kr[i] = load_stream(kp + i * 2 * D);
    } else {
#pragma unroll
      for (int i = 0; i < HALFROWS; ++i)
        if (next + 2 * i + grp < n) kr[i] = load_stream(kp + i * 2 * D);
    }
#pragma unroll
    for (int off = 8; off; off >>= 1)
#pragma unroll
      for (int i = 0; i < HALFROWS; ++i) sc[i] += __shfl_xor_sync(~0u, sc[i], off);
    if (start + ROWS > n) {
#pragma unroll
      for (int i = 0; i < HALFROWS; ++i)
        if (start + 2 * i + grp >= n) { sc[i] = -INFINITY; vr[i] = make_uint4(0, 0, 0, 0); }
    }
    float mx = m;
#pragma unroll
    for (int i = 0; i < HALFROWS; ++i) mx = fmaxf(mx, sc[i]);
    const float corr = ex2(m - mx);
    m = mx;
    l *= corr;
#pragma unroll
    for (int e = 0; e < 8; ++e) acc[e] *= corr;
#pragma unroll
    for (int i = 0; i < HALFROWS; ++i) { sc[i] = ex2(sc[i] - mx); l += sc[i]; }
#pragma unroll
    for (int i = 0; i < HALFROWS; ++i) {
      float f[8];
      unpack(vr[i], f);
#pragma unroll
      for (int e = 0; e < 8; ++e) acc[e] = fmaf(sc[i], f[e], acc[e]);
    }
    if (next + ROWS <= n) {
#pragma unroll
      for (int i = 0; i < HALFROWS; ++i) vr[i] = load_stream(vp + i * 2 * D);
    } else {
#pragma unroll
      for (int i = 0; i < HALFROWS; ++i)
        if (next + 2 * i + grp < n) vr[i] = load_stream(vp + i * 2 * D);
    }
  }

  // two half-warps to one
  {
    const float mo = __shfl_xor_sync(~0u, m, 16), lo = __shfl_xor_sync(~0u, l, 16);
    const float mx = fmaxf(m, mo), a = ex2(m - mx), b = ex2(mo - mx);
    l = l * a + lo * b;
#pragma unroll
    for (int e = 0; e < 8; ++e) {
      acc[e] *= a;
      acc[e] += __shfl_xor_sync(~0u, acc[e], 16);
    }
    m = mx;
  }
  if (grp == 0) {
#pragma unroll
    for (int e = 0; e < 8; e += 4)
      *reinterpret_cast<float4*>(&comb[warp][sub * 8 + e]) = make_float4(acc[e], acc[e + 1], acc[e + 2], acc[e + 3]);
    if (lane == 0) { comb_m[warp] = m; comb_l[warp] = l; }
  }
  __syncthreads();
  const int j = threadIdx.x;
  float bm = -1e30f, bl = 0.0f, ba = 0.0f;
  if (j < D) {
#pragma unroll
    for (int w = 0; w < WARPS; ++w) bm = fmaxf(bm, comb_m[w]);
#pragma unroll
    for (int w = 0; w < WARPS; ++w) {
      const float f = ex2(comb_m[w] - bm);
      bl = fmaf(comb_l[w], f, bl);
      ba = fmaf(comb[w][j], f, ba);
    }
  }
  if (splits == 1) {
    if (j < D) out[row * D + j] = __float2half(bl > 0.0f ? ba / bl : 0.0f);
    return;
  }
  asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
  if (j < D) {
    uint32_t a;
    asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(a) : "r"(smem_addr(&part[rank][j])));
    asm volatile("st.shared::cluster.f32 [%0], %1;" ::"r"(a), "f"(ba) : "memory");
    if (j == 0) {
      asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(a) : "r"(smem_addr(&part_m[rank])));
      asm volatile("st.shared::cluster.f32 [%0], %1;" ::"r"(a), "f"(bm) : "memory");
      asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(a) : "r"(smem_addr(&part_l[rank])));
      asm volatile("st.shared::cluster.f32 [%0], %1;" ::"r"(a), "f"(bl) : "memory");
    }
  }
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
  if (rank == 0 && j < D) {
    float tm = -1e30f, tl = 0.0f, ta = 0.0f;
    for (int r = 0; r < splits; ++r) tm = fmaxf(tm, part_m[r]);
    for (int r = 0; r < splits; ++r) {
      const float f = ex2(part_m[r] - tm);
      tl = fmaf(part_l[r], f, tl);
      ta = fmaf(part[r][j], f, ta);
    }
    out[row * D + j] = __float2half(tl > 0.0f ? ta / tl : 0.0f);
  }
}

// any width up to 256
__global__ void __launch_bounds__(256)
attend_any(const __half* __restrict__ q, const __half* __restrict__ k, const __half* __restrict__ v,
           const int* __restrict__ seq_lens, __half* __restrict__ out, int heads, int dh, int l_max, float scale) {
  __shared__ float comb[8][256];
  __shared__ float comb_m[8], comb_l[8];
  const size_t row = blockIdx.x;
  const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
  const __half* keys = k + row * l_max * dh;
  const __half* values = v + row * l_max * dh;
  const int n = seq_lens[blockIdx.x / heads];
  float qf[8], acc[8], m = -1e30f, l = 0.0f;
#pragma unroll
  for (int e = 0; e < 8; ++e) {
    const int j = lane + 32 * e;
    qf[e] = j < dh ? __half2float(q[row * dh + j]) * scale : 0.0f;
    acc[e] = 0.0f;
  }
  for (int p = warp; p < n; p += 8) {
    float s = 0.0f, f[8];
#pragma unroll
    for (int e = 0; e < 8; ++e) {
      const int j = lane + 32 * e;
      f[e] = 0.0f;
      if (j < dh) {
        s = fmaf(qf[e], __half2float(keys[(size_t)p * dh + j]), s);
        f[e] = __half2float(values[(size_t)p * dh + j]);
      }
    }
#pragma unroll
    for (int off = 16; off; off >>= 1) s += __shfl_xor_sync(~0u, s, off);
    const float mx = fmaxf(m, s), corr = ex2(m - mx), w = ex2(s - mx);
    m = mx;
    l = fmaf(l, corr, w);
#pragma unroll
    for (int e = 0; e < 8; ++e) acc[e] = fmaf(acc[e], corr, w * f[e]);
  }
#pragma unroll
  for (int e = 0; e < 8; ++e) comb[warp][lane + 32 * e] = acc[e];
  if (lane == 0) { comb_m[warp] = m; comb_l[warp] = l; }
  __syncthreads();
  const int j = threadIdx.x;
  if (j < dh) {
    float tm = -1e30f, tl = 0.0f, ta = 0.0f;
    for (int r = 0; r < 8; ++r) tm = fmaxf(tm, comb_m[r]);
    for (int r = 0; r < 8; ++r) {
      const float f = ex2(comb_m[r] - tm);
      tl = fmaf(comb_l[r], f, tl);
      ta = fmaf(comb[r][j], f, ta);
    }
    out[row * dh + j] = __float2half(tl > 0.0f ? ta / tl : 0.0f);
  }
}

extern "C" void solve(const __half* q, const __half* k_cache, const __half* v_cache, const int* seq_lens, __half* out, int B, int H, int Dh, int L_max) {
  const float scale = 1.4426950408889634f / sqrtf((float)Dh);
  const int rows = B * H;
  if (Dh != D) {
    attend_any<<<rows, 256>>>(q, k_cache, v_cache, seq_lens, out, H, Dh, L_max, scale);
    return;
  }
  int splits = 1;
  while (splits < 8 && rows * splits < 1024 && L_max > splits * WARPS * ROWS) splits *= 2;
  const size_t bytes = 0;
  cudaFuncSetAttribute(attend128, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(splits, rows);
  config.blockDim = dim3(WARPS * 32);
  config.dynamicSmemBytes = bytes;
  cudaLaunchAttribute attribute[1];
  attribute[0].id = cudaLaunchAttributeClusterDimension;
  attribute[0].val.clusterDim.x = splits;
  attribute[0].val.clusterDim.y = 1;
  attribute[0].val.clusterDim.z = 1;
  config.attrs = attribute;
  config.numAttrs = splits > 1 ? 1 : 0;
  cudaLaunchKernelEx(&config, attend128, q, k_cache, v_cache, seq_lens, out, H, L_max, scale);
}
