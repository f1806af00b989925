// SPDX-License-Identifier: Apache-2.0
// task: conv2d
// rules: strict
// device: NVIDIA H200 (CUDA 13.0 driver)
// date: 2026-11-16
// commit: efa77e5
// made by: warpwright 0.1.0
// model: Claude, a fresh instance per prompt and round
// run: conv2d-1 r4.c3
// median us: 128x128 5.22, 256x256 6.95, 512x512 12.91, 1024x1024 31.33, 2048x2048 81.56
// sha256: 435a999d1faf23d5911eac2d8acaa6a7f6e348ef6bb892be64380b05da91866e

#include <cuda_runtime.h>
#include <stdint.h>

#define KS 24
#define MAXT 384

// ---------------------------------------------------------------- small sizes: FFMA
// Each thread: RPT rows x 16 columns; LX x LY threads per tile; (kernel row, half) units over SPLIT groups.
template <int RPT_, int LX_, int LY_, int SPLIT_, int PITCH_>
struct Cfg {
    static constexpr int RPT = RPT_, LX = LX_, LY = LY_, SPLIT = SPLIT_, PITCH = PITCH_;
    static constexpr int NT = LX * LY * SPLIT;
    static constexpr int TR = RPT * LY, TC = 16 * LX;
    static constexpr int IR = TR + KS - 1, ICH = TC / 4 + 6, N4 = IR * ICH;
    static constexpr int NU = 2 * KS / SPLIT;
    static constexpr bool FOLD = (RPT == 1 && LX == 1 && LY == 8);
    static constexpr int NRED = FOLD ? NT / 32 : SPLIT;
    static constexpr int OP = 5 * LX;
    static constexpr int A = IR * PITCH, B = NRED * TR * OP;
    static constexpr int MAIN = A > B ? A : B;
    static constexpr int SMEM = (MAIN + KS * KS / 4) * 16;
    static_assert(PITCH >= ICH + (ICH - 1) / 4, "pitch");
    static_assert(NT <= MAXT && NT % 32 == 0 && (2 * KS) % SPLIT == 0, "threads");
};

__device__ __forceinline__ void cp16(uint32_t dst, const float* src, int bytes) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(dst), "l"(src), "r"(bytes) : "memory");
}
__device__ __forceinline__ void cp4(uint32_t dst, const float* src, int bytes) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(dst), "l"(src), "r"(bytes) : "memory");
}
__device__ __forceinline__ void window(float (&x)[28], const float4* pA, const float4* pB) {
#pragma unroll
    for (int q = 0; q < 7; ++q) {
        const float4 v = (q == 0 || q == 4) ? pA[q + q / 4] : pB[q + q / 4];
        x[4 * q] = v.x; x[4 * q + 1] = v.y; x[4 * q + 2] = v.z; x[4 * q + 3] = v.w;
    }
}
__device__ __forceinline__ void taps4(float (&acc)[16], const float (&x)[28], int q, const float4 k) {
#pragma unroll
    for (int c = 0; c < 16; ++c) acc[c] = fmaf(x[4 * q + 0 + c], k.x, acc[c]);
#pragma unroll
    for (int c = 0; c < 16; ++c) acc[c] = fmaf(x[4 * q + 1 + c], k.y, acc[c]);
#pragma unroll
    for (int c = 0; c < 16; ++c) acc[c] = fmaf(x[4 * q + 2 + c], k.z, acc[c]);
#pragma unroll
    for (int c = 0; c < 16; ++c) acc[c] = fmaf(x[4 * q + 3 + c], k.w, acc[c]);
}

template <class C>
__device__ __forceinline__ void small_tile(const float* __restrict__ in, const float* __restrict__ ker,
                                           float* __restrict__ out, int rows, int cols,
                                           int orows, int ocols, int ntc, float4* sm) {
    constexpr int NT = C::NT, RPT = C::RPT, PITCH = C::PITCH;
    const int tid = threadIdx.x;
    const int tr = blockIdx.x / ntc, tc = blockIdx.x - tr * ntc;
    const int r0 = tr * C::TR, c0 = tc * C::TC;
    float4* wsm = sm + C::MAIN;
    const uint32_t sb = (uint32_t)__cvta_generic_to_shared(sm);

    for (int idx = tid; idx < KS * KS / 4; idx += NT) cp16(sb + (C::MAIN + idx) * 16, ker + 4 * idx, 16);
    if ((cols & 3) == 0) {
#pragma unroll 2
        for (int idx = tid; idx < C::N4; idx += NT) {
            const int rr = idx / C::ICH, c4 = idx - rr * C::ICH;
            const int gr = r0 + rr, gc = c0 + 4 * c4;
            const bool ok = gr < rows && gc < cols;
            const float* src = ok ? in + (size_t)gr * cols + gc : in;
            cp16(sb + (rr * PITCH + c4 + c4 / 4) * 16, src, ok ? 16 : 0);
        }
    } else {
#pragma unroll 1
        for (int idx = tid; idx < C::N4 * 4; idx += NT) {
            const int rr = idx / (C::ICH * 4), c = idx - rr * (C::ICH * 4), c4 = c >> 2;
            const int gr = r0 + rr, gc = c0 + c;
            const bool ok = gr < rows && gc < cols;
            const float* src = ok ? in + (size_t)gr * cols + gc : in;
            cp4(sb + (rr * PITCH + c4 + c4 / 4) * 16 + (c & 3) * 4, src, ok ? 4 : 0);
        }
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();

    const int lx = tid % C::LX, ly = (tid / C::LX) % C::LY, sp = tid / (C::LX * C::LY);
    float acc[RPT][16];
#pragma unroll
    for (int r = 0; r < RPT; ++r)
#pragma unroll
        for (int c = 0; c < 16; ++c) acc[r][c] = 0.f;

    const float4* base = sm + (ly * RPT) * PITCH + 5 * lx;
#pragma unroll 1
    for (int n = 0; n < C::NU; ++n) {
        const int u = sp * C::NU + n, i = u >> 1, h = u & 1;
        const float4* w = wsm + i * 6 + 3 * h;
        const float4 k0 = w[0], k1 = w[1], k2 = w[2];
        const float4* pA = base + i * PITCH + 3 * h;
        const float4* pB = base + i * PITCH + 4 * h;
#pragma unroll
        for (int r = 0; r < RPT; ++r) {
            float x[28];
            window(x, pA + r * PITCH, pB + r * PITCH);
            taps4(acc[r], x, 0, k0);
            taps4(acc[r], x, 1, k1);
            taps4(acc[r], x, 2, k2);
        }
    }

    float4 folded = make_float4(0.f, 0.f, 0.f, 0.f);
    int fold_at = 0;
    if (C::FOLD) {
        // a warp holds 4 groups x 8 rows: add the 4 groups, each lane keeps 4 columns of its row
        const int lane = tid & 31;
        const bool b1 = (lane & 8) != 0, b2 = (lane & 16) != 0;
        float v[8], u[4];
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            const float keep = b1 ? acc[0][8 + k] : acc[0][k];
            const float send = b1 ? acc[0][k] : acc[0][8 + k];
            v[k] = keep + __shfl_xor_sync(0xffffffffu, send, 8);
        }
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const float keep = b2 ? v[4 + k] : v[k];
            const float send = b2 ? v[k] : v[4 + k];
            u[k] = keep + __shfl_xor_sync(0xffffffffu, send, 16);
        }
        folded = make_float4(u[0], u[1], u[2], u[3]);
        fold_at = ((tid >> 5) * C::TR + ly) * C::OP + (b1 ? 2 : 0) + (b2 ? 1 : 0);
    }

    __syncthreads();                       // everybody is done with the tile
    if (C::FOLD) {
        sm[fold_at] = folded;
    } else {
        float4* st = sm + (sp * C::TR + ly * RPT) * C::OP + 5 * lx;
#pragma unroll
        for (int r = 0; r < RPT; ++r)
#pragma unroll
            for (int e = 0; e < 4; ++e)
                st[r * C::OP + e] = make_float4(acc[r][4 * e], acc[r][4 * e + 1], acc[r][4 * e + 2], acc[r][4 * e + 3]);
    }
    __syncthreads();
    const float* sf = reinterpret_cast<const float*>(sm);
#pragma unroll 2
    for (int idx = tid; idx < C::TR * C::TC; idx += NT) {
        const int rr = idx / C::TC, cc = idx % C::TC;
        const float* s0 = sf + rr * (C::OP * 4) + cc + 4 * (cc / 16);
        float s = s0[0];
#pragma unroll
        for (int q = 1; q < C::NRED; ++q) s += s0[q * (C::TR * C::OP * 4)];
        const int row = r0 + rr, col = c0 + cc;
        if (row < orows && col < ocols) out[(size_t)row * ocols + col] = s;
    }
}

__device__ __forceinline__ void any_kernel(const float* __restrict__ in, const float* __restrict__ ker,
                                           float* __restrict__ out, int cols, int kh, int kw,
                                           int orows, int ocols) {
    const long long n = (long long)orows * ocols;
    for (long long idx = (long long)blockIdx.x * blockDim.x + threadIdx.x; idx < n;
         idx += (long long)gridDim.x * blockDim.x) {
        const int r = (int)(idx / ocols), c = (int)(idx - (long long)r * ocols);
        float s = 0.f;
        for (int i = 0; i < kh; ++i) {
            const float* p = in + (size_t)(r + i) * cols + c;
            const float* q = ker + (size_t)i * kw;
            float t = 0.f;
            for (int j = 0; j < kw; ++j) t = fmaf(__ldg(p + j), __ldg(q + j), t);
            s += t;
        }
        out[idx] = s;
    }
}

// ---------------------------------------------------------------- helpers of the tensor-core path
__device__ __forceinline__ uint32_t pack_bf16(float lo, float hi) {
    uint32_t r;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(hi), "f"(lo));
    return r;
}
// a, b -> three words of two bf16 parts each; the parts add up exactly
__device__ __forceinline__ void split2(float a, float b, uint32_t& w0, uint32_t& w1, uint32_t& w2) {
    w0 = pack_bf16(a, b);
    a -= __uint_as_float(w0 << 16);
    b -= __uint_as_float(w0 & 0xffff0000u);
    w1 = pack_bf16(a, b);
    a -= __uint_as_float(w1 << 16);
    b -= __uint_as_float(w1 & 0xffff0000u);
    w2 = pack_bf16(a, b);
}
// four floats of the input, zeros outside
__device__ __forceinline__ float4 load4(const float* __restrict__ in, int gr, int gc, int rows, int cols, bool vec) {
    float4 v = make_float4(0.f, 0.f, 0.f, 0.f);
    if (gr < rows && gc < cols) {
        const float* q = in + (size_t)gr * cols + gc;
        if (vec) {
            v = __ldg(reinterpret_cast<const float4*>(q));
        } else {
            v.x = __ldg(q);
            if (gc + 1 < cols) v.y = __ldg(q + 1);
            if (gc + 2 < cols) v.z = __ldg(q + 2);
            if (gc + 3 < cols) v.w = __ldg(q + 3);
        }
    }
    return v;
}
// split and store at d (8 bytes in each of the three parts)
__device__ __forceinline__ void put4(unsigned char* d, const float4 v, int part_bytes) {
    uint2 p0, p1, p2;
    split2(v.x, v.y, p0.x, p1.x, p2.x);
    split2(v.z, v.w, p0.y, p1.y, p2.y);
    *reinterpret_cast<uint2*>(d) = p0;
    *reinterpret_cast<uint2*>(d + part_bytes) = p1;
    *reinterpret_cast<uint2*>(d + 2 * part_bytes) = p2;
}

// ---------------------------------------------------------------- large sizes: wgmma, A in registers
#define NTL 384                    // three warpgroups, 8 kernel rows each
#define TCOLS 512                  // output columns of a tile: 64 groups of 8 = M
#define RC4 134                    // float4s of an input row (536 columns)
#define PARTB 1072                 // bytes of one row of one bf16 part
#define ROWB (3 * PARTB)
#define RING 32                    // input rows in the ring
#define OFF_B (RING * ROWB)
#define BPART (8 * 512)            // bytes of one part of 8 kernel rows
#define OFF_P (OFF_B + 9 * BPART)
#define SMEM_L (OFF_P + 2 * 8 * 128 * 16)
// middle sizes: 4 output rows a tile, all 27 input rows resident
#define MROWS 27
#define MOFF_B (MROWS * ROWB)
#define MBPART (30 * 512)          // 24 kernel rows in descending order, 3 zero rows at either end
#define MOFF_P (MOFF_B + 3 * MBPART)
#define SMEM_M (MOFF_P + 2 * 4 * 128 * 16)
#define WP 40                      // padded weight row: 8 zeros, 24 weights, 8 zeros

#define F4(d, i) "+f"(d[i]), "+f"(d[(i) + 1]), "+f"(d[(i) + 2]), "+f"(d[(i) + 3])
#define F16(d, i) F4(d, i), F4(d, (i) + 4), F4(d, (i) + 8), F4(d, (i) + 12)

__device__ __forceinline__ void wg64(float (&d)[32], const uint32_t (&a)[4], uint64_t b, int acc) {
    asm volatile(
        "{\n\t"
        ".reg .pred p;\n\t"
        "setp.ne.b32 p, %37, 0;\n\t"
        "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
        "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
        "{%32, %33, %34, %35}, %36, p, 1, 1, 0;\n\t"
        "}"
        : F16(d, 0), F16(d, 16)
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(acc));
}
template <int O, int ND>
__device__ __forceinline__ void wg32(float (&d)[ND], const uint32_t (&a)[4], uint64_t b, int acc) {
    asm volatile(
        "{\n\t"
        ".reg .pred p;\n\t"
        "setp.ne.b32 p, %21, 0;\n\t"
        "wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16 "
        "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}, "
        "{%16, %17, %18, %19}, %20, p, 1, 1, 0;\n\t"
        "}"
        : F16(d, O)
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(acc));
}
__device__ __forceinline__ void wg_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ __forceinline__ void wg_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int N>
__device__ __forceinline__ void wg_wait() { asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory"); }
template <int ND>
__device__ __forceinline__ void pin(float (&d)[ND]) {
#pragma unroll
    for (int i = 0; i < ND; ++i) asm volatile("" : "+f"(d[i])::"memory");
}
__device__ __forceinline__ void pin_a(uint32_t (&A)[3][2][4]) {
#pragma unroll
    for (int s = 0; s < 3; ++s)
#pragma unroll
        for (int k = 0; k < 2; ++k)
#pragma unroll
            for (int e = 0; e < 4; ++e) asm volatile("" : "+r"(A[s][k][e])::"memory");
}
__device__ __forceinline__ void ldsm(uint32_t (&a)[4], uint32_t addr) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3]) : "r"(addr) : "memory");
}
__device__ __forceinline__ void load_a(uint32_t (&A)[3][2][4], uint32_t addr) {
#pragma unroll
    for (int s = 0; s < 3; ++s)
#pragma unroll
        for (int k = 0; k < 2; ++k) ldsm(A[s][k], addr + s * PARTB + k * 32);
}

template <int LO, int HI>
__device__ __forceinline__ void product(float (&d)[32], const uint32_t (&a)[2][4], uint64_t b, int acc) {
    if (HI - LO == 7) {
        wg64(d, a[0], b, acc);
        wg64(d, a[1], b + 16, 1);
    } else {
        wg32<4 * LO, 32>(d, a[0], b + 32 * LO, acc);
        wg32<4 * LO, 32>(d, a[1], b + 32 * LO + 16, 1);
    }
}

struct Ctx {
    const float* in;
    float* out;
    int rows, cols, orows, ocols, r0, c0, need, kg, tid;
    bool vec;
    unsigned char* sm;
    uint32_t abase;
    uint64_t b;
};

// steps t0 .. t1-1; step t: input row t + 8*kg of the tile against kernel rows 8*kg + (LO..HI).
// m[j] is the sum so far of output row t - j; it moves to m[j+1] while row j is added.
template <int LO, int HI>
__device__ __forceinline__ void phase(int t0, int t1, float (&m)[36], float (&h)[32], float (&l)[32],
                                      uint32_t (&A)[3][2][4], const Ctx& c) {
    constexpr int PB = BPART / 16;
#pragma unroll 1
    for (int t = t0; t < t1; ++t) {
        // one vector of the rows of the next chunk
        const int idx = (t & 7) * NTL + c.tid, rr = idx / RC4, c4 = idx - rr * RC4;
        const int lr = (t & ~7) + 24 + rr;
        const bool ld = idx < 8 * RC4 && lr < c.need;
        float4 v = make_float4(0.f, 0.f, 0.f, 0.f);
        if (ld) v = load4(c.in, c.r0 + lr, c.c0 + 4 * c4, c.rows, c.cols, c.vec);
        __syncwarp();

        pin(h);
        pin(l);
        wg_fence();
        product<LO, HI>(h, A[0], c.b, 0);            // the large product, alone
        wg_commit();
        product<LO, HI>(l, A[2], c.b, 0);            // the five small ones, smallest first
        product<LO, HI>(l, A[1], c.b + PB, 1);
        product<LO, HI>(l, A[0], c.b + 2 * PB, 1);
        product<LO, HI>(l, A[1], c.b, 1);
        product<LO, HI>(l, A[0], c.b + PB, 1);
        wg_commit();
        wg_wait<1>();
        pin(h);
#pragma unroll
        for (int j = HI; j >= LO; --j)
#pragma unroll
            for (int e = 0; e < 4; ++e)
                m[4 * j + 4 + e] = (j == 0) ? h[e] : m[4 * j + e] + h[4 * j + e];
        if (ld) put4(c.sm + (lr & (RING - 1)) * ROWB + c4 * 8, v, PARTB);
        __syncwarp();
        wg_wait<0>();
        pin(l);
        pin_a(A);
        if ((t & 7) == 7) __syncthreads();           // the next chunk's rows become visible
        load_a(A, c.abase + ((t + 1 + 8 * c.kg) & (RING - 1)) * ROWB);
#pragma unroll
        for (int j = HI; j >= LO; --j)
#pragma unroll
            for (int e = 0; e < 4; ++e) m[4 * j + 4 + e] += l[4 * j + e];

        if (HI == 7 && t >= 7) {                     // output row t - 7: join the three groups
            float4* part = reinterpret_cast<float4*>(c.sm + OFF_P) + (t & 7) * 256 + (c.tid & 127);
            const int id = 1 + (t & 7);
            if (c.kg != 0) {
                part[(c.kg - 1) * 128] = make_float4(m[32], m[33], m[34], m[35]);
                __threadfence_block();
                asm volatile("bar.arrive %0, 384;" ::"r"(id) : "memory");
            } else {
                asm volatile("bar.sync %0, 384;" ::"r"(id) : "memory");
                const float4 p = part[0], q = part[128];
                const int row = c.r0 + t - 7;
                const int lane = c.tid & 31;
                const int col = c.c0 + 8 * ((c.tid >> 5) * 16 + (lane >> 2)) + 2 * (lane & 3);
                if (row < c.orows) {
                    float* o = c.out + (size_t)row * c.ocols + col;
                    if (col < c.ocols) o[0] = m[32] + (p.x + q.x);
                    if (col + 1 < c.ocols) o[1] = m[33] + (p.y + q.y);
                    if (col + 64 < c.ocols) o[64] = m[34] + (p.z + q.z);
                    if (col + 65 < c.ocols) o[65] = m[35] + (p.w + q.w);
                }
            }
            __syncwarp();
        }
    }
}

__device__ __forceinline__ void large_tile(const float* __restrict__ in, const float* __restrict__ ker,
                                           float* __restrict__ out, int rows, int cols,
                                           int orows, int ocols, int ntc, int TR, unsigned char* sm) {
    const int tid = threadIdx.x;
    const int tr = blockIdx.x / ntc, tc = blockIdx.x - tr * ntc;
    Ctx c;
    c.in = in; c.out = out; c.rows = rows; c.cols = cols; c.orows = orows; c.ocols = ocols;
    c.r0 = tr * TR; c.c0 = tc * TCOLS; c.need = TR + KS - 1; c.tid = tid; c.sm = sm;
    c.kg = __shfl_sync(0xffffffffu, tid >> 7, 0);
    c.vec = (cols & 3) == 0;

    // weights, padded with zeros (this region later takes the partial sums)
    float* w = reinterpret_cast<float*>(sm + OFF_P);
    for (int idx = tid; idx < KS * WP; idx += NTL) {
        const int i = idx / WP, j = idx - i * WP - 8;
        w[idx] = (j >= 0 && j < KS) ? __ldg(ker + i * KS + j) : 0.f;
    }
    // the first 24 rows: 3216 vectors
    {
        float4 v[9];
#pragma unroll
        for (int u = 0; u < 9; ++u) {
            const int idx = u * NTL + tid, rr = idx / RC4, c4 = idx - rr * RC4;
            v[u] = make_float4(0.f, 0.f, 0.f, 0.f);
            if (rr < 24) v[u] = load4(in, c.r0 + rr, c.c0 + 4 * c4, rows, cols, c.vec);
        }
#pragma unroll
        for (int u = 0; u < 9; ++u) {
            const int idx = u * NTL + tid, rr = idx / RC4, c4 = idx - rr * RC4;
            if (rr < 24) put4(sm + rr * ROWB + c4 * 8, v[u], PARTB);
        }
    }
    __syncthreads();
    // Toeplitz matrices: element (k, n) of kernel row i is weight k - n
    for (int idx = tid; idx < KS * 32; idx += NTL) {
        const int i = idx >> 5, kc = (idx >> 3) & 3, n = idx & 7;
        const float* p = w + i * WP + 8 + 8 * kc - n;
        uint4 q0, q1, q2;
        split2(p[0], p[1], q0.x, q1.x, q2.x);
        split2(p[2], p[3], q0.y, q1.y, q2.y);
        split2(p[4], p[5], q0.z, q1.z, q2.z);
        split2(p[6], p[7], q0.w, q1.w, q2.w);
        unsigned char* d = sm + OFF_B + (i >> 3) * 3 * BPART + (i & 7) * 512 + kc * 128 + n * 16;
        *reinterpret_cast<uint4*>(d) = q0;
        *reinterpret_cast<uint4*>(d + BPART) = q1;
        *reinterpret_cast<uint4*>(d + 2 * BPART) = q2;
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();

    const uint32_t sb = (uint32_t)__cvta_generic_to_shared(sm);
    const int lane = tid & 31, mi = lane >> 3;
    // row of A = group of 8 columns: 16 bytes apart, windows overlap
    c.abase = sb + 16 * (((tid >> 5) & 3) * 16 + (mi & 1) * 8 + (mi >> 1) + (lane & 7));
    // B: no swizzle, 128 bytes between core matrices along K, 512 along N
    c.b = (uint64_t)((sb + OFF_B + c.kg * 3 * BPART) >> 4) | ((uint64_t)8 << 16) | ((uint64_t)32 << 32);

    float m[36], h[32], l[32];
    uint32_t A[3][2][4];
#pragma unroll
    for (int i = 0; i < 36; ++i) m[i] = 0.f;
#pragma unroll
    for (int i = 0; i < 32; ++i) { h[i] = 0.f; l[i] = 0.f; }
    load_a(A, c.abase + 8 * c.kg * ROWB);
    phase<0, 3>(0, 4, m, h, l, A, c);               // kernel rows above 3 meet no output row yet
    phase<0, 7>(4, TR + 3, m, h, l, A, c);
    phase<4, 7>(TR + 3, TR + 7, m, h, l, A, c);     // kernel rows below 4 meet none any more
}

// 4 output rows x 512 columns; the slots of N are the output rows and stay where they are. For input row y
// slot s needs kernel row y - s: the descriptor of B slides over the kernel rows stored in descending order.
__device__ __forceinline__ void product_m(float (&d)[16], const uint32_t (&a)[2][4], uint64_t b, int acc) {
    wg32<0, 16>(d, a[0], b, acc);
    wg32<0, 16>(d, a[1], b + 16, 1);
}
__device__ __forceinline__ void mid_tile(const float* __restrict__ in, const float* __restrict__ ker,
                                         float* __restrict__ out, int rows, int cols,
                                         int orows, int ocols, int ntc, unsigned char* sm) {
    constexpr int PB = MBPART / 16;
    const int tid = threadIdx.x, lane = tid & 31;
    const int tr = blockIdx.x / ntc, tc = blockIdx.x - tr * ntc;
    const int r0 = tr * 4, c0 = tc * TCOLS;
    const int kg = __shfl_sync(0xffffffffu, tid >> 7, 0);
    const bool vec = (cols & 3) == 0;

    float* w = reinterpret_cast<float*>(sm + MOFF_P);      // later the partial sums
    for (int idx = tid; idx < KS * WP; idx += NTL) {
        const int i = idx / WP, j = idx - i * WP - 8;
        w[idx] = (j >= 0 && j < KS) ? __ldg(ker + i * KS + j) : 0.f;
    }
    {
        float4 v[10];                                       // 27 * 134 = 3618 vectors
#pragma unroll
        for (int u = 0; u < 10; ++u) {
            const int idx = u * NTL + tid, rr = idx / RC4, c4 = idx - rr * RC4;
            v[u] = make_float4(0.f, 0.f, 0.f, 0.f);
            if (rr < MROWS) v[u] = load4(in, r0 + rr, c0 + 4 * c4, rows, cols, vec);
        }
        __syncthreads();                                    // weights are there; the loads are under way
        for (int idx = tid; idx < 30 * 32; idx += NTL) {
            const int t = idx >> 5, i = 26 - t, kc = (idx >> 3) & 3, n = idx & 7;
            uint4 q0 = make_uint4(0u, 0u, 0u, 0u), q1 = q0, q2 = q0;
            if (i >= 0 && i < KS) {
                const float* p = w + i * WP + 8 + 8 * kc - n;
                split2(p[0], p[1], q0.x, q1.x, q2.x);
                split2(p[2], p[3], q0.y, q1.y, q2.y);
                split2(p[4], p[5], q0.z, q1.z, q2.z);
                split2(p[6], p[7], q0.w, q1.w, q2.w);
            }
            unsigned char* d = sm + MOFF_B + t * 512 + kc * 128 + n * 16;
            *reinterpret_cast<uint4*>(d) = q0;
            *reinterpret_cast<uint4*>(d + MBPART) = q1;
            *reinterpret_cast<uint4*>(d + 2 * MBPART) = q2;
        }
#pragma unroll
        for (int u = 0; u < 10; ++u) {
            const int idx = u * NTL + tid, rr = idx / RC4, c4 = idx - rr * RC4;
            if (rr < MROWS) put4(sm + rr * ROWB + c4 * 8, v[u], PARTB);
        }
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();

    const uint32_t sb = (uint32_t)__cvta_generic_to_shared(sm);
    const int mi = lane >> 3;
    uint32_t addr = sb + 16 * (((tid >> 5) & 3) * 16 + (mi & 1) * 8 + (mi >> 1) + (lane & 7)) + 9 * kg * ROWB;
    uint64_t b = (uint64_t)((sb + MOFF_B) >> 4) | ((uint64_t)8 << 16) | ((uint64_t)32 << 32);
    b += (uint64_t)(32 * (26 - 9 * kg));

    float m[16], h[16], l[16];
    uint32_t A[3][2][4];
#pragma unroll
    for (int i = 0; i < 16; ++i) { m[i] = 0.f; h[i] = 0.f; l[i] = 0.f; }
#pragma unroll 1
    for (int i = 0; i < 9; ++i) {                           // input rows 9*kg .. 9*kg + 8
        load_a(A, addr);
        pin(h);
        pin(l);
        wg_fence();
        product_m(h, A[0], b, 0);
        wg_commit();
        product_m(l, A[2], b, 1);
        product_m(l, A[1], b + PB, 1);
        product_m(l, A[0], b + 2 * PB, 1);
        product_m(l, A[1], b, 1);
        product_m(l, A[0], b + PB, 1);
        wg_commit();
        wg_wait<1>();
        pin(h);
#pragma unroll
        for (int e = 0; e < 16; ++e) m[e] += h[e];
        wg_wait<0>();
        pin(l);
        pin_a(A);
        addr += ROWB;
        b -= 32;
    }

    float4* part = reinterpret_cast<float4*>(sm + MOFF_P) + (tid & 127);
    if (kg != 0) {
#pragma unroll
        for (int s = 0; s < 4; ++s)
            part[((kg - 1) * 4 + s) * 128] = make_float4(m[4 * s] + l[4 * s], m[4 * s + 1] + l[4 * s + 1],
                                                         m[4 * s + 2] + l[4 * s + 2], m[4 * s + 3] + l[4 * s + 3]);
    }
    __syncthreads();
    if (kg == 0) {
        const int col = c0 + 8 * ((tid >> 5) * 16 + (lane >> 2)) + 2 * (lane & 3);
#pragma unroll
        for (int s = 0; s < 4; ++s) {
            const float4 p = part[s * 128], q = part[(4 + s) * 128];
            if (r0 + s < orows) {
                float* o = out + (size_t)(r0 + s) * ocols + col;
                if (col < ocols) o[0] = (m[4 * s] + l[4 * s]) + (p.x + q.x);
                if (col + 1 < ocols) o[1] = (m[4 * s + 1] + l[4 * s + 1]) + (p.y + q.y);
                if (col + 64 < ocols) o[64] = (m[4 * s + 2] + l[4 * s + 2]) + (p.z + q.z);
                if (col + 65 < ocols) o[65] = (m[4 * s + 3] + l[4 * s + 3]) + (p.w + q.w);
            }
        }
    }
}

//           RPT LX LY SPLIT PITCH
typedef Cfg<  1, 1,  8, 48,  13> CfgXS;   //  8 x 16 outputs, 384 threads
typedef Cfg<  1, 2, 16, 12,  18> CfgS;    // 16 x 32 outputs, 384 threads

__global__ void __launch_bounds__(384, 1)
conv_kernel(const float* __restrict__ in, const float* __restrict__ ker, float* __restrict__ out,
            int rows, int cols, int kh, int kw, int orows, int ocols, int ntc, int TR, int mode) {
    extern __shared__ __align__(128) float4 sm[];
    if (mode == 0)      small_tile<CfgXS>(in, ker, out, rows, cols, orows, ocols, ntc, sm);
    else if (mode == 1) small_tile<CfgS>(in, ker, out, rows, cols, orows, ocols, ntc, sm);
    else if (mode == 2) large_tile(in, ker, out, rows, cols, orows, ocols, ntc, TR, reinterpret_cast<unsigned char*>(sm));
    else if (mode == 3) mid_tile(in, ker, out, rows, cols, orows, ocols, ntc, reinterpret_cast<unsigned char*>(sm));
    else                any_kernel(in, ker, out, cols, kh, kw, orows, ocols);
}

template <class C>
static long long tiles(int orows, int ocols) {
    return (long long)((orows + C::TR - 1) / C::TR) * ((ocols + C::TC - 1) / C::TC);
}

static_assert(SMEM_M <= SMEM_L && SMEM_L <= 232448, "shared memory");

extern "C" void solve(const float* input, const float* kernel, float* output,
                      int input_rows, int input_cols, int kernel_rows, int kernel_cols) {
    const int orows = input_rows - kernel_rows + 1, ocols = input_cols - kernel_cols + 1;
    if (orows <= 0 || ocols <= 0) return;
    if (kernel_rows == KS && kernel_cols == KS) {
        if (tiles<CfgXS>(orows, ocols) <= 132) {
            conv_kernel<<<(unsigned)tiles<CfgXS>(orows, ocols), CfgXS::NT, CfgXS::SMEM>>>(
                input, kernel, output, input_rows, input_cols, KS, KS, orows, ocols,
                (ocols + CfgXS::TC - 1) / CfgXS::TC, 0, 0);
        } else if (tiles<CfgS>(orows, ocols) <= 132) {
            conv_kernel<<<(unsigned)tiles<CfgS>(orows, ocols), CfgS::NT, CfgS::SMEM>>>(
                input, kernel, output, input_rows, input_cols, KS, KS, orows, ocols,
                (ocols + CfgS::TC - 1) / CfgS::TC, 0, 1);
        } else if ((long long)((orows + 3) / 4) * ((ocols + TCOLS - 1) / TCOLS) <= 132) {
            const int ntc = (ocols + TCOLS - 1) / TCOLS;
            cudaFuncSetAttribute((const void*)conv_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SMEM_L);
            conv_kernel<<<(unsigned)(((orows + 3) / 4) * ntc), NTL, SMEM_M>>>(
                input, kernel, output, input_rows, input_cols, KS, KS, orows, ocols, ntc, 4, 3);
        } else {
            const int ntc = (ocols + TCOLS - 1) / TCOLS;
            // strips so that whole waves of 132 blocks result, none higher than 128 rows
            long long waves = 1, TR;
            for (;;) {
                long long ns = 132 * waves / ntc;
                if (ns < 1) ns = 1;
                TR = (orows + ns - 1) / ns;
                if (TR <= 128) break;
                ++waves;
            }
            const long long ns = (orows + TR - 1) / TR;
            cudaFuncSetAttribute((const void*)conv_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SMEM_L);
            conv_kernel<<<(unsigned)(ns * ntc), NTL, SMEM_L>>>(
                input, kernel, output, input_rows, input_cols, KS, KS, orows, ocols, ntc, (int)TR, 2);
        }
    } else {
        const long long n = (long long)orows * ocols;
        long long b = (n + 127) / 128;
        if (b > 1000000) b = 1000000;
        conv_kernel<<<(unsigned)b, 128, 0>>>(input, kernel, output, input_rows, input_cols,
                                             kernel_rows, kernel_cols, orows, ocols, 1, 0, 9);
    }
}
