// SPDX-License-Identifier: Apache-2.0
// task: decode_attention
// rules: free
// device: NVIDIA H200 (CUDA 13.0 driver)
// date: 2026-11-18
// commit: 77b9da8
// made by: warpwright 0.2.0
// model: merge
// run: decode_attention-1 m1
// median us: B=1,ctx=4096 24.58, B=2,ctx=2048 25.47, B=4,ctx=4096 76.10, B=8,ctx=8192 264.21, B=16,ctx=4096 262.35
// sha256: 6c5ccd752661cc755b1c542d9394c7c77668444201d8a961a3c58b6e5efb5058

#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cstdint>
#include <math.h>

namespace part0 {
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

           void solve(const __half* q, const __half* k_cache, const __half* v_cache, const int* seq_lens, __half* out, int B, int H, int Dh, int L_max) {
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
}  // namespace part0
#undef CTAS
#undef D
#undef HALFROWS
#undef ROWS
#undef STAGES
#undef WARPS

namespace part1 {
// SPDX-License-Identifier: Apache-2.0
// task: decode_attention
// rules: free
// device: NVIDIA H200 (CUDA 13.0 driver)
// date: 2026-11-18
// commit: 77b9da8
// made by: warpwright 0.2.0
// model: Claude, a conversation of its own
// run: decode_attention-1 r2.c1
// median us: B=1,ctx=4096 25.60, B=2,ctx=2048 25.38, B=4,ctx=4096 75.23, B=8,ctx=8192 259.15, B=16,ctx=4096 258.66
// sha256: 1bd3602675929386a90e2a57f79c2b74c266f402a19e15b2f82e7d6efb779ffc




#define WARPS 4      // tune: WARPS = 2, 4, 8
#define TARGET 512   // tune: TARGET = 512, 1024, 2048, 4096
#define MINT 4       // tune: MINT = 2, 4, 8
#define OCCW 16

#define NEG (-1e30f)
#define MAXSPLIT 128

__device__ float  g_part[4224 * 128];
__device__ float2 g_ml[4224];
__device__ unsigned int g_cnt[32768];

__device__ __forceinline__ float ex2(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

__device__ __forceinline__ uint4 ldg_stream(const __half* p) {
    uint4 r;
    asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r.x), "=r"(r.y), "=r"(r.z), "=r"(r.w) : "l"(p));
    return r;
}

__device__ __forceinline__ float2 h2f(unsigned int u) {
    __half2 h = *reinterpret_cast<__half2*>(&u);
    return __half22float2(h);
}

__device__ __forceinline__ void unpack8(const uint4& u, float* f) {
    float2 a = h2f(u.x), b = h2f(u.y), c = h2f(u.z), d = h2f(u.w);
    f[0] = a.x; f[1] = a.y; f[2] = b.x; f[3] = b.y;
    f[4] = c.x; f[5] = c.y; f[6] = d.x; f[7] = d.y;
}

// rows tile*16 + 2*i + hf; every row below L is readable, whatever seq_lens says
__device__ __forceinline__ void load_tile(uint4 (&r)[8], const __half* base, int tile, int hf, int L) {
    const int row0 = tile * 16 + hf;
    if (tile * 16 + 16 <= L) {
        const __half* p = base + (size_t)row0 * 128;
#pragma unroll
        for (int i = 0; i < 8; i++) r[i] = ldg_stream(p + i * 256);
    } else {
#pragma unroll
        for (int i = 0; i < 8; i++) {
            int row = min(row0 + 2 * i, L - 1);
            r[i] = ldg_stream(base + (size_t)row * 128);
        }
    }
}

__global__ void __launch_bounds__(WARPS * 32, OCCW / WARPS)
attn128(const __half* __restrict__ q, const __half* __restrict__ k, const __half* __restrict__ v,
        const int* __restrict__ seq_lens, __half* __restrict__ out, int H, int L, float c) {
    __shared__ __align__(16) float sAcc[WARPS][128];
    __shared__ float sM[WARPS], sL[WARPS];
    __shared__ float sw[MAXSPLIT];
    __shared__ int sLast;

    const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
    const int bh = blockIdx.y, split = blockIdx.x, splits = gridDim.x;
    const int n = __ldg(seq_lens + bh / H);
    const int hf = lane >> 4;
    const int col = (lane & 15) * 8;
    const int step = splits * WARPS;

    const __half* kb = k + (size_t)bh * L * 128 + col;
    const __half* vb = v + (size_t)bh * L * 128 + col;
    const uint4 qu = __ldg(reinterpret_cast<const uint4*>(q + (size_t)bh * 128 + col));

    uint4 kr[8], vr[8];
    int t = warp * splits + split;
    if (t * 16 < L) {              // does not wait for n
        load_tile(kr, kb, t, hf, L);
        load_tile(vr, vb, t, hf, L);
    }
    float qf[8];
    unpack8(qu, qf);
    float m = NEG, l = 0.f, acc[8];
#pragma unroll
    for (int e = 0; e < 8; e++) acc[e] = 0.f;
    const int nt = (n + 15) >> 4;

    for (; t < nt; t += step) {
        float s[8];
#pragma unroll
        for (int i = 0; i < 8; i++) {
            float f[8];
            unpack8(kr[i], f);
            float d0 = qf[0] * f[0], d1 = qf[1] * f[1];
            d0 = fmaf(qf[2], f[2], d0); d1 = fmaf(qf[3], f[3], d1);
            d0 = fmaf(qf[4], f[4], d0); d1 = fmaf(qf[5], f[5], d1);
            d0 = fmaf(qf[6], f[6], d0); d1 = fmaf(qf[7], f[7], d1);
            s[i] = d0 + d1;
        }
        if (t + step < nt) load_tile(kr, kb, t + step, hf, L);

        {
            const bool u8 = lane & 8;
#pragma unroll
            for (int i = 0; i < 4; i++) {
                float send = u8 ? s[i] : s[i + 4];
                float keep = u8 ? s[i + 4] : s[i];
                s[i] = keep + __shfl_xor_sync(0xffffffffu, send, 8);
            }
            const bool u4 = lane & 4;
#pragma unroll
            for (int i = 0; i < 2; i++) {
                float send = u4 ? s[i] : s[i + 2];
                float keep = u4 ? s[i + 2] : s[i];
                s[i] = keep + __shfl_xor_sync(0xffffffffu, send, 4);
            }
            const bool u2 = lane & 2;
            float send = u2 ? s[0] : s[1];
            float keep = u2 ? s[1] : s[0];
            s[0] = keep + __shfl_xor_sync(0xffffffffu, send, 2);
            s[0] += __shfl_xor_sync(0xffffffffu, s[0], 1);
        }
        const bool valid = t * 16 + ((lane >> 1) & 7) * 2 + hf < n;
        const float sv = valid ? s[0] : NEG;
        float mt = sv;
#pragma unroll
        for (int o = 2; o <= 16; o <<= 1) mt = fmaxf(mt, __shfl_xor_sync(0xffffffffu, mt, o));
        if (mt > m) {
            const float sc = ex2((m - mt) * c);
            l *= sc;
#pragma unroll
            for (int e = 0; e < 8; e++) acc[e] *= sc;
            m = mt;
        }
        const float p = valid ? ex2((sv - m) * c) : 0.f;
        l += p;
        if (t * 16 + 16 > n) {     // what lies behind n may be anything
#pragma unroll
            for (int i = 0; i < 8; i++)
                if (t * 16 + 2 * i + hf >= n) vr[i] = make_uint4(0u, 0u, 0u, 0u);
        }
#pragma unroll
        for (int i = 0; i < 8; i++) {
            const float pi = __shfl_sync(0xffffffffu, p, (lane & 16) | (i << 1));
            float f[8];
            unpack8(vr[i], f);
#pragma unroll
            for (int e = 0; e < 8; e++) acc[e] = fmaf(pi, f[e], acc[e]);
        }
        if (t + step < nt) load_tile(vr, vb, t + step, hf, L);
    }
#pragma unroll
    for (int o = 2; o <= 16; o <<= 1) l += __shfl_xor_sync(0xffffffffu, l, o);
#pragma unroll
    for (int e = 0; e < 8; e++) acc[e] += __shfl_xor_sync(0xffffffffu, acc[e], 16);

    if (lane < 16) {
        float4* d = reinterpret_cast<float4*>(&sAcc[warp][col]);
        d[0] = make_float4(acc[0], acc[1], acc[2], acc[3]);
        d[1] = make_float4(acc[4], acc[5], acc[6], acc[7]);
    }
    if (lane == 0) { sM[warp] = m; sL[warp] = l; }
    __syncthreads();

    float M = NEG, Ls = 0.f, wgt[WARPS];
#pragma unroll
    for (int w = 0; w < WARPS; w++) M = fmaxf(M, sM[w]);
#pragma unroll
    for (int w = 0; w < WARPS; w++) { wgt[w] = ex2((sM[w] - M) * c); Ls += wgt[w] * sL[w]; }

    const int slot = bh * splits + split;
    for (int j = tid; j < 128; j += WARPS * 32) {
        float a = 0.f;
#pragma unroll
        for (int w = 0; w < WARPS; w++) a = fmaf(wgt[w], sAcc[w][j], a);
        if (splits == 1) out[(size_t)bh * 128 + j] = __float2half(Ls > 0.f ? a / Ls : 0.f);
        else __stcg(&g_part[(size_t)slot * 128 + j], a);
    }
    if (splits == 1) return;
    if (tid == 0) __stcg(&g_ml[slot], make_float2(M, Ls));
    __threadfence();
    __syncthreads();
    if (tid == 0) sLast = (atomicAdd(&g_cnt[bh], 1u) == (unsigned)(splits - 1));
    __syncthreads();
    if (!sLast) return;
    __threadfence();

    // first batch of partial sums and all maxima in flight together
    const float4* pp = reinterpret_cast<const float4*>(g_part) + (size_t)bh * splits * 32 + lane;
    float2 ml[MAXSPLIT / 32];
#pragma unroll
    for (int r = 0; r < MAXSPLIT / 32; r++) {
        const int i = lane + 32 * r;
        ml[r] = i < splits ? __ldcg(&g_ml[bh * splits + i]) : make_float2(NEG, 0.f);
    }
    float4 x[8];
#pragma unroll
    for (int r = 0; r < 8; r++) {
        const int i = warp + r * WARPS;
        x[r] = i < splits ? __ldcg(pp + i * 32) : make_float4(0.f, 0.f, 0.f, 0.f);
    }
    float MM = NEG, LL = 0.f;
#pragma unroll
    for (int r = 0; r < MAXSPLIT / 32; r++) MM = fmaxf(MM, ml[r].x);
#pragma unroll
    for (int o = 16; o; o >>= 1) MM = fmaxf(MM, __shfl_xor_sync(0xffffffffu, MM, o));
#pragma unroll
    for (int r = 0; r < MAXSPLIT / 32; r++) {
        const float w = ex2((ml[r].x - MM) * c);
        LL = fmaf(w, ml[r].y, LL);
        if (warp == 0) sw[lane + 32 * r] = w;
    }
#pragma unroll
    for (int o = 16; o; o >>= 1) LL += __shfl_xor_sync(0xffffffffu, LL, o);
    __syncthreads();
    float4 a4 = make_float4(0.f, 0.f, 0.f, 0.f);
#pragma unroll
    for (int r = 0; r < 8; r++) {
        const int i = warp + r * WARPS;
        const float w = i < splits ? sw[i] : 0.f;
        a4.x = fmaf(w, x[r].x, a4.x); a4.y = fmaf(w, x[r].y, a4.y);
        a4.z = fmaf(w, x[r].z, a4.z); a4.w = fmaf(w, x[r].w, a4.w);
    }
#pragma unroll 4
    for (int i = warp + 8 * WARPS; i < splits; i += WARPS) {
        const float4 y = __ldcg(pp + i * 32);
        const float w = sw[i];
        a4.x = fmaf(w, y.x, a4.x); a4.y = fmaf(w, y.y, a4.y);
        a4.z = fmaf(w, y.z, a4.z); a4.w = fmaf(w, y.w, a4.w);
    }
    *reinterpret_cast<float4*>(&sAcc[warp][lane * 4]) = a4;
    __syncthreads();
    for (int j = tid; j < 128; j += WARPS * 32) {
        float a = 0.f;
#pragma unroll
        for (int w = 0; w < WARPS; w++) a += sAcc[w][j];
        out[(size_t)bh * 128 + j] = __float2half(LL > 0.f ? a / LL : 0.f);
    }
    if (tid == 0) atomicExch(&g_cnt[bh], 0u);
}

// any Dh <= 256
__global__ void __launch_bounds__(512)
attn_any(const __half* __restrict__ q, const __half* __restrict__ k, const __half* __restrict__ v,
         const int* __restrict__ seq_lens, __half* __restrict__ out, int H, int Dh, int L, float c) {
    __shared__ float sA[16][256];
    __shared__ float sM[16], sL[16];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int bh = blockIdx.x;
    const int n = seq_lens[bh / H];
    const __half* kp = k + (size_t)bh * L * Dh;
    const __half* vp = v + (size_t)bh * L * Dh;
    float qf[8], acc[8];
#pragma unroll
    for (int e = 0; e < 8; e++) {
        const int j = lane + 32 * e;
        qf[e] = j < Dh ? __half2float(q[(size_t)bh * Dh + j]) : 0.f;
        acc[e] = 0.f;
    }
    float m = NEG, l = 0.f;
    for (int p0 = warp * 4; p0 < n; p0 += 64) {
        float s[4];
#pragma unroll
        for (int r = 0; r < 4; r++) {
            const __half* row = kp + (size_t)min(p0 + r, n - 1) * Dh;
            float d = 0.f;
#pragma unroll
            for (int e = 0; e < 8; e++) {
                const int j = lane + 32 * e;
                if (j < Dh) d = fmaf(qf[e], __half2float(row[j]), d);
            }
            s[r] = d;
        }
#pragma unroll
        for (int o = 16; o; o >>= 1)
#pragma unroll
            for (int r = 0; r < 4; r++) s[r] += __shfl_xor_sync(0xffffffffu, s[r], o);
        float mt = s[0];
#pragma unroll
        for (int r = 1; r < 4; r++) if (p0 + r < n) mt = fmaxf(mt, s[r]);
        if (mt > m) {
            const float sc = exp2f((m - mt) * c);
            l *= sc;
#pragma unroll
            for (int e = 0; e < 8; e++) acc[e] *= sc;
            m = mt;
        }
#pragma unroll
        for (int r = 0; r < 4; r++) {
            if (p0 + r < n) {
                const float p = exp2f((s[r] - m) * c);
                l += p;
                const __half* row = vp + (size_t)(p0 + r) * Dh;
#pragma unroll
                for (int e = 0; e < 8; e++) {
                    const int j = lane + 32 * e;
                    if (j < Dh) acc[e] = fmaf(p, __half2float(row[j]), acc[e]);
                }
            }
        }
    }
#pragma unroll
    for (int e = 0; e < 8; e++) sA[warp][lane + 32 * e] = acc[e];
    if (lane == 0) { sM[warp] = m; sL[warp] = l; }
    __syncthreads();
    const int j = threadIdx.x;
    if (j < Dh) {
        float M = NEG, Ls = 0.f, a = 0.f;
        for (int w = 0; w < 16; w++) M = fmaxf(M, sM[w]);
        for (int w = 0; w < 16; w++) {
            const float x = exp2f((sM[w] - M) * c);
            Ls = fmaf(x, sL[w], Ls);
            a = fmaf(x, sA[w][j], a);
        }
        out[(size_t)bh * Dh + j] = __float2half(Ls > 0.f ? a / Ls : 0.f);
    }
}

           void solve(const __half* q, const __half* k_cache, const __half* v_cache, const int* seq_lens,
                      __half* out, int B, int H, int Dh, int L_max) {
    const int BH = B * H;
    double x = (double)Dh, r = x > 1.0 ? x : 1.0;
    for (int i = 0; i < 60; i++) r = 0.5 * (r + x / r);
    const float c = (float)(1.4426950408889634 / r);
    if (Dh != 128) {
        attn_any<<<BH, 512>>>(q, k_cache, v_cache, seq_lens, out, H, Dh, L_max, c);
        return;
    }
    int splits = TARGET / BH;
    const int cap = (L_max + 16 * WARPS * MINT - 1) / (16 * WARPS * MINT);
    if (splits > cap) splits = cap;
    if (splits > MAXSPLIT) splits = MAXSPLIT;
    if (splits < 1) splits = 1;
    attn128<<<dim3(splits, BH), WARPS * 32>>>(q, k_cache, v_cache, seq_lens, out, H, L_max, c);
}
}  // namespace part1
#undef MAXSPLIT
#undef MINT
#undef NEG
#undef OCCW
#undef TARGET
#undef WARPS

extern "C" void solve(const __half* q, const __half* k_cache, const __half* v_cache, const int* seq_lens, __half* out, int B, int H, int Dh, int L_max) {
  const double size = (double)(B > 1 ? B : 1) * (double)(L_max > 1 ? L_max : 1);
  if (size > 5792.5) {
    part1::solve(q, k_cache, v_cache, seq_lens, out, B, H, Dh, L_max);
    return;
  }
  part0::solve(q, k_cache, v_cache, seq_lens, out, B, H, Dh, L_max);
}
