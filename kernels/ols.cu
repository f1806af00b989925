// SPDX-License-Identifier: Apache-2.0
// task: ols
// rules: strict
// device: NVIDIA H200 (CUDA 13.0 driver)
// date: 2026-11-15
// commit: 8fecd3c
// made by: warpwright 0.1.0
// model: a fresh instance of a language model per prompt and round
// run: ols-1 r3.c3
// median us: n=2^14,p=10 7.20, n=2^16,p=10 8.40, n=2^18,p=10 12.48, n=2^20,p=10 22.59, n=2^22,p=10 58.50
// sha256: d1a42105e129c30447f5e6f4538e83dc3c0dda029a5211b6d29b2cd64f037aea

#include <cuda_runtime.h>
#include <stdint.h>

#define MAXB 132
#define NT 256
#define NW (NT / 32)
#define MAXVP 2146          // 65*66/2 = 2145, rounded up to even
#define TR 64               // rows per tile, generic path
#define TS 68               // row stride of the tile, generic path
#define STAGES 16
#define CH 256              // rows per stage, p = 10
#define XB (CH * 40)        // bytes of X per stage
#define YB (CH * 4)         // bytes of y per stage
#define STB (XB + YB)
#define RING_BYTES (STAGES * STB)
#define TILE_BYTES (TR * TS * 4)
#define SMALL_BYTES (TILE_BYTES + MAXVP * 8)
#define PS 68               // words of a block's partial sums, p = 10
#define RG 15               // groups of 17 threads that add the partial sums, p = 10
#define MAXS 131            // streaming blocks, p = 10

__device__ double2 g_part[MAXB * (MAXVP / 2)];   // generic p
__device__ uint4 g_word[MAXS * (PS / 4)];        // p = 10: all zero between calls

__device__ __forceinline__ uint32_t smem_addr(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }

__device__ __forceinline__ void mbar_init(uint32_t bar, uint32_t count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(bar), "r"(count) : "memory");
}
__device__ __forceinline__ void mbar_expect(uint32_t bar, uint32_t bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(bytes) : "memory");
}
__device__ __forceinline__ void mbar_wait(uint32_t bar, uint32_t parity) {
    uint32_t done = 0;
    while (!done) {
        asm volatile(
            "{\n\t"
            ".reg .pred p;\n\t"
            "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
            "selp.u32 %0, 1, 0, p;\n\t"
            "}"
            : "=r"(done)
            : "r"(bar), "r"(parity)
            : "memory");
    }
}
__device__ __forceinline__ void bulk_copy(uint32_t dst, const void* src, uint32_t bytes, uint32_t bar) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(dst),
        "l"(__cvta_generic_to_global(src)), "r"(bytes), "r"(bar)
        : "memory");
}
__device__ __forceinline__ void issue_stage(uint32_t st, uint32_t bar, const float* X, const float* y, long long c) {
    mbar_expect(bar, STB);
    bulk_copy(st, X + c * (CH * 10), XB, bar);
    bulk_copy(st + XB, y + c * CH, YB, bar);
}
__device__ __forceinline__ uint4 ld_words(const uint4* p) {
    uint4 v;
    asm volatile("ld.relaxed.gpu.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(__cvta_generic_to_global(p))
                 : "memory");
    return v;
}
__device__ __forceinline__ void st_word(unsigned int* p, unsigned int v) {
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(p)), "r"(v) : "memory");
}
__device__ __forceinline__ bool arrived(const uint4& v) {
    return v.x != 0u && v.y != 0u && v.z != 0u && v.w != 0u;
}
// loads one row now (volatile: not to be sunk to its use); zeros when there is none
__device__ __forceinline__ void load_row(float (&x)[11], const float* X, const float* y, long long row, bool have) {
#pragma unroll
    for (int i = 0; i < 11; ++i) x[i] = 0.f;
    if (have) {
        const size_t px = __cvta_generic_to_global(X + row * 10);
        const size_t py = __cvta_generic_to_global(y + row);
#pragma unroll
        for (int i = 0; i < 5; ++i)
            asm volatile("ld.global.nc.v2.f32 {%0, %1}, [%2];"
                         : "=f"(x[2 * i]), "=f"(x[2 * i + 1])
                         : "l"(px + 8 * i));
        asm volatile("ld.global.nc.f32 %0, [%1];" : "=f"(x[10]) : "l"(py));
    }
}
// a zero the compiler cannot see through
__device__ __forceinline__ int opaque_zero() {
    int z;
    asm volatile("mov.u32 %0, 0;" : "=r"(z));
    return z;
}

__device__ __forceinline__ int row_off(int i, int q) { return i * q - (i * (i - 1)) / 2; }

__device__ __forceinline__ void acc_row(float (&acc)[65], const float (&x)[11]) {
    int k = 0;
#pragma unroll
    for (int i = 0; i < 10; ++i) {
#pragma unroll
        for (int j = i; j < 11; ++j) {
            acc[k] = fmaf(x[i], x[j], acc[k]);
            ++k;
        }
    }
}

template <int H>
__device__ __forceinline__ void halve(float (&v)[65], int lane, int mask) {
    const bool up = (lane & mask) != 0;
#pragma unroll
    for (int i = 0; i < H; ++i) {
        float send = up ? v[i] : v[i + H];
        float keep = up ? v[i + H] : v[i];
        v[i] = keep + __shfl_xor_sync(0xffffffffu, send, mask);
    }
}

// symmetric elimination of the augmented 10 x 11 system, whole in the registers of every lane
__device__ __forceinline__ void solve10(const double* s, float* beta, int lane, bool store) {
    double a[65];
#pragma unroll
    for (int i = 0; i < 65; ++i) a[i] = s[i];
    double inv[10];
#pragma unroll
    for (int k = 0; k < 10; ++k) {
        const int ok = k * 11 - (k * (k - 1)) / 2 - k;         // a[ok + j] = A(k, j)
        const double piv = a[ok + k];
        double r;
        asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(piv));
        double e = fma(-piv, r, 1.0);
        r = fma(r, e, r);
        inv[k] = r;
#pragma unroll
        for (int i = k + 1; i < 10; ++i) {
            const int oi = i * 11 - (i * (i - 1)) / 2 - i;
            const double f = a[ok + i] * r;
#pragma unroll
            for (int j = i; j < 11; ++j) a[oi + j] = fma(-f, a[ok + j], a[oi + j]);
        }
    }
    double b[10];
#pragma unroll
    for (int k = 9; k >= 0; --k) {
        const int ok = k * 11 - (k * (k - 1)) / 2 - k;
        double t = a[ok + 10];
#pragma unroll
        for (int j = 9; j > k; --j) t = fma(-a[ok + j], b[j], t);
        b[k] = t * inv[k];
    }
    if (store && lane == 0) {
        float2* out = reinterpret_cast<float2*>(beta);
#pragma unroll
        for (int i = 0; i < 5; ++i) out[i] = make_float2((float)b[2 * i], (float)b[2 * i + 1]);
    }
}

__device__ __noinline__ void solve_any(double* s, float* beta, int p) {
    const int q = p + 1;
    const int tid = threadIdx.x, tx = tid & 31, ty = tid >> 5;
    for (int k = 0; k < p; ++k) {
        const double* rk = s + row_off(k, q) - k;      // rk[j] = A(k, j)
        double inv = 1.0 / rk[k];
        for (int i = k + 1 + ty; i < p; i += NW) {
            double f = rk[i] * inv;
            double* ri = s + row_off(i, q) - i;
            for (int j = i + tx; j <= p; j += 32) ri[j] -= f * rk[j];
        }
        __syncthreads();
    }
    if (ty == 0) {
        for (int k = p - 1; k >= 0; --k) {
            const double* rk = s + row_off(k, q) - k;
            double b = rk[p] / rk[k];
            __syncwarp();
            for (int i = tx; i < k; i += 32) {
                double* ri = s + row_off(i, q) - i;
                ri[p] -= ri[k] * b;
            }
            if (tx == 0) beta[k] = (float)b;
            __syncwarp();
        }
    }
}

// generic accumulation: leaves the block's packed sums in s_sum
__device__ __noinline__ void accumulate_any(const float* __restrict__ X, const float* __restrict__ y,
                                            long long n, int p, float* tile, double* s_sum, int nvp) {
    const int q = p + 1;
    const int tid = threadIdx.x;
    const int nt = (q + 3) >> 2;
    const int np = nt * (nt + 1) / 2;            // at most 153
    int G = NT / np;
    if (G > TR) G = TR;
    const int grp = tid / np;
    const int pr = tid - grp * np;
    const bool active = grp < G;
    int ti = 0, rem = pr;
    while (rem >= nt - ti) { rem -= nt - ti; ++ti; }
    const int tj = ti + rem;
    double acc[16];
#pragma unroll
    for (int i = 0; i < 16; ++i) acc[i] = 0.0;
    const int W = nt * 4;
    const long long ntiles = (n + TR - 1) / TR;
    for (long long t = blockIdx.x; t < ntiles; t += gridDim.x) {
        const long long r0 = t * TR;
        for (int idx = tid; idx < TR * W; idx += NT) {
            int r = idx / W, c = idx - r * W;
            long long row = r0 + r;
            float v = 0.f;
            if (row < n) {
                if (c < p) v = __ldg(X + row * p + c);
                else if (c == p) v = __ldg(y + row);
            }
            tile[r * TS + c] = v;
        }
        __syncthreads();
        if (active) {
            float f[16];
#pragma unroll
            for (int i = 0; i < 16; ++i) f[i] = 0.f;
            for (int r = grp; r < TR; r += G) {
                float4 a = *reinterpret_cast<const float4*>(tile + r * TS + ti * 4);
                float4 b = *reinterpret_cast<const float4*>(tile + r * TS + tj * 4);
                float av[4] = {a.x, a.y, a.z, a.w};
                float bv[4] = {b.x, b.y, b.z, b.w};
#pragma unroll
                for (int i = 0; i < 4; ++i)
#pragma unroll
                    for (int j = 0; j < 4; ++j) f[i * 4 + j] = fmaf(av[i], bv[j], f[i * 4 + j]);
            }
#pragma unroll
            for (int i = 0; i < 16; ++i) acc[i] += (double)f[i];
        }
        __syncthreads();
    }
    for (int i = tid; i < nvp; i += NT) s_sum[i] = 0.0;
    __syncthreads();
    if (active) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                int gi = ti * 4 + i, gj = tj * 4 + j;
                if (gi <= gj && gj < q) atomicAdd(&s_sum[row_off(gi, q) + gj - gi], acc[i * 4 + j]);
            }
        }
    }
    __syncthreads();
}

// adds the partial sums of all blocks and solves, generic p
__device__ __noinline__ void finish_any(unsigned char* dyn, float* beta, int p, int nb) {
    const int tid = threadIdx.x;
    const int q = p + 1;
    const int nvp = (q * (q + 1) / 2 + 1) & ~1;
    const int nv2 = nvp >> 1;
    double* s_sum = reinterpret_cast<double*>(dyn + TILE_BYTES);
    int G = NT / nv2;
    if (G > nb) G = nb;
    if (G > 1) {
        double2* red = reinterpret_cast<double2*>(dyn);
        const int g = tid / nv2, v = tid - g * nv2;
        if (g < G) {
            double2 a = make_double2(0.0, 0.0);
#pragma unroll 4
            for (int b = g; b < nb; b += G) {
                double2 t = __ldcg(&g_part[(size_t)b * nv2 + v]);
                a.x += t.x;
                a.y += t.y;
            }
            red[g * nv2 + v] = a;
        }
        __syncthreads();
        const double* rd = reinterpret_cast<const double*>(dyn);
        for (int i = tid; i < nvp; i += NT) {
            double t = 0.0;
            for (int k = 0; k < G; ++k) t += rd[k * nvp + i];
            s_sum[i] = t;
        }
    } else {
        for (int v = tid; v < nv2; v += NT) {
            double2 a = make_double2(0.0, 0.0);
#pragma unroll 4
            for (int b = 0; b < nb; ++b) {
                double2 t = __ldcg(&g_part[(size_t)b * nv2 + v]);
                a.x += t.x;
                a.y += t.y;
            }
            s_sum[2 * v] = a.x;
            s_sum[2 * v + 1] = a.y;
        }
    }
    __syncthreads();
    solve_any(s_sum, beta, p);
}

// mode 0 / 1: partial sums / finish for generic p.
// mode 2 / 3: everything for p = 10, straight to registers / through the ring; block 0 solves.
__global__ void __launch_bounds__(NT, 1)
ols_kernel(const float* __restrict__ X, const float* __restrict__ y, float* __restrict__ beta, int n, int p,
           int mode, int nb) {
    extern __shared__ __align__(128) unsigned char dyn[];
    __shared__ float s_w[NW * PS];
    __shared__ __align__(8) unsigned long long s_bar[STAGES];

    const int tid = threadIdx.x;
    const int lane = tid & 31, warp = tid >> 5;

    if (mode >= 2) {
        if (blockIdx.x != 0) {
            const int stride = nb;
            const int first = (int)blockIdx.x - 1;
            const int nfull = mode == 3 ? n / CH : 0;        // chunks that go through the ring
            unsigned int* part = reinterpret_cast<unsigned int*>(g_word) + first * PS;
            const uint32_t ring = smem_addr(dyn);
            const uint32_t bars = smem_addr(s_bar);
            float x0[11], x1[11];
            if (mode == 2) {
                // at most two rows per thread
                const long long ra = (long long)first * NT + tid;
                const long long rb = ra + (long long)stride * NT;
                load_row(x0, X, y, ra, ra < n);
                load_row(x1, X, y, rb, rb < n);
            } else {
                if (tid < STAGES) {
                    // every thread prepares and fills its own stage
                    mbar_init(bars + 8 * tid, 1);
                    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
                    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
                    long long c = first + (long long)tid * stride;
                    if (c < nfull) issue_stage(ring + tid * STB, bars + 8 * tid, X, y, c);
                }
                // the rows that do not fill a stage
                const long long row = (long long)nfull * CH + tid;
                load_row(x0, X, y, row, row < n && (nfull % stride) == first);
#pragma unroll
                for (int i = 0; i < 11; ++i) x1[i] = 0.f;
            }

            // pass 0 is a dry run on zeros that fetches the code while the data are in flight
#pragma unroll 1
            for (int pass = opaque_zero(); pass < 2; ++pass) {
                float acc[65];
#pragma unroll
                for (int i = 0; i < 65; ++i) acc[i] = 0.f;

                if (pass != 0) {
                    acc_row(acc, x0);
                    acc_row(acc, x1);
                    int s = 0;
                    uint32_t parity = 0;
#pragma unroll 1
                    for (long long c = first; c < nfull; c += stride) {
                        mbar_wait(bars + 8 * s, parity);
                        const unsigned char* st = dyn + s * STB;
                        const float2* px = reinterpret_cast<const float2*>(st + tid * 40);
                        float x[11];
#pragma unroll
                        for (int i = 0; i < 5; ++i) {
                            float2 v = px[i];
                            x[2 * i] = v.x;
                            x[2 * i + 1] = v.y;
                        }
                        x[10] = reinterpret_cast<const float*>(st + XB)[tid];
                        const long long cn = c + (long long)STAGES * stride;
                        if (cn < nfull) {                // uniform over the block
                            __syncthreads();
                            if (tid == 0) issue_stage(ring + s * STB, bars + 8 * s, X, y, cn);
                        }
                        acc_row(acc, x);
                        if (++s == STAGES) { s = 0; parity ^= 1; }
                    }
                }

                float last = acc[64];
                halve<32>(acc, lane, 16);
                halve<16>(acc, lane, 8);
                halve<8>(acc, lane, 4);
                halve<4>(acc, lane, 2);
                halve<2>(acc, lane, 1);
#pragma unroll
                for (int o = 16; o > 0; o >>= 1) last += __shfl_xor_sync(0xffffffffu, last, o);
                float* sw = s_w + warp * PS;
                sw[2 * lane] = acc[0];
                sw[2 * lane + 1] = acc[1];
                if (lane < 4) sw[64 + lane] = lane == 0 ? last : 0.f;
                __syncthreads();
                if (tid < PS) {
                    double t = 0.0;
#pragma unroll
                    for (int w = 0; w < NW; ++w) t += (double)s_w[w * PS + tid];
                    unsigned int u = __float_as_uint((float)t);
                    if ((u << 1) == 0u) u = 0x80000000u;     // a zero travels as -0.0
                    if (pass != 0) st_word(part + tid, u);
                }
                __syncthreads();
            }
            return;
        }

        // block 0: takes the partial sums as they arrive and solves
        double* red = reinterpret_cast<double*>(dyn);
        double* s_sum = red + RG * PS;
        const int g = tid / 17, v = tid - g * 17;
        // pass 0 is a dry run that fetches the code while the others are busy
#pragma unroll 1
        for (int pass = opaque_zero(); pass < 2; ++pass) {
            const int cnt = pass != 0 ? nb : 0;
            if (g < RG) {
                uint4 t[9];
#pragma unroll
                for (int k = 0; k < 9; ++k) t[k] = make_uint4(0u, 0u, 0u, 0u);
                bool all;
                do {
#pragma unroll
                    for (int k = 0; k < 9; ++k) {
                        int b = g + RG * k;
                        if (b < cnt && !arrived(t[k])) t[k] = ld_words(g_word + b * (PS / 4) + v);
                    }
                    all = true;
#pragma unroll
                    for (int k = 0; k < 9; ++k) {
                        int b = g + RG * k;
                        if (b < cnt && !arrived(t[k])) all = false;
                    }
                } while (!all);
                double d0 = 0.0, d1 = 0.0, d2 = 0.0, d3 = 0.0;
#pragma unroll
                for (int k = 0; k < 9; k += 3) {
                    d0 += (double)(__uint_as_float(t[k].x) + __uint_as_float(t[k + 1].x) + __uint_as_float(t[k + 2].x));
                    d1 += (double)(__uint_as_float(t[k].y) + __uint_as_float(t[k + 1].y) + __uint_as_float(t[k + 2].y));
                    d2 += (double)(__uint_as_float(t[k].z) + __uint_as_float(t[k + 1].z) + __uint_as_float(t[k + 2].z));
                    d3 += (double)(__uint_as_float(t[k].w) + __uint_as_float(t[k + 1].w) + __uint_as_float(t[k + 2].w));
                }
                double2* rd = reinterpret_cast<double2*>(red + g * PS + 4 * v);
                rd[0] = make_double2(d0, d1);
                rd[1] = make_double2(d2, d3);
            }
            __syncthreads();
            if (tid < PS) {
                double t0 = 0.0, t1 = 0.0, t2 = 0.0;
#pragma unroll
                for (int k = 0; k < RG; k += 3) {
                    t0 += red[k * PS + tid];
                    t1 += red[(k + 1) * PS + tid];
                    t2 += red[(k + 2) * PS + tid];
                }
                s_sum[tid] = t0 + t1 + t2;
            }
            __syncthreads();
            if (warp == 0) {
                solve10(s_sum, beta, lane, pass != 0);
            } else {
                // every word has been taken: back to zero
                for (int i = tid - 32; i < cnt * (PS / 4); i += NT - 32) g_word[i] = make_uint4(0u, 0u, 0u, 0u);
            }
        }
        return;
    }

    if (mode == 0) {
        asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
        const int q = p + 1;
        const int nvp = (q * (q + 1) / 2 + 1) & ~1;
        double* part = reinterpret_cast<double*>(g_part) + (size_t)blockIdx.x * nvp;
        double* s_sum = reinterpret_cast<double*>(dyn + TILE_BYTES);
        accumulate_any(X, y, n, p, reinterpret_cast<float*>(dyn), s_sum, nvp);
        for (int i = tid; i < nvp; i += NT) part[i] = s_sum[i];
        return;
    }
    asm volatile("griddepcontrol.wait;" ::: "memory");
    finish_any(dyn, beta, p, nb);
}

extern "C" void solve(const float* X, const float* y, float* beta, int n_samples, int n_features) {
    cudaFuncSetAttribute(ols_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, RING_BYTES);
    cudaFuncSetAttribute(ols_kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 100);

    if (n_features == 10) {
        long long b = ((long long)n_samples + NT - 1) / NT;
        const int nb = (int)(b < 1 ? 1 : (b > MAXS ? MAXS : b));
        const bool direct = (long long)n_samples <= 2LL * NT * nb;
        const size_t smem = direct ? (size_t)SMALL_BYTES : (size_t)RING_BYTES;
        ols_kernel<<<nb + 1, NT, smem>>>(X, y, beta, n_samples, n_features, direct ? 2 : 3, nb);
        return;
    }

    long long b = ((long long)n_samples + TR - 1) / TR;
    const int blocks = (int)(b < 1 ? 1 : (b > MAXB ? MAXB : b));
    ols_kernel<<<blocks, NT, SMALL_BYTES>>>(X, y, beta, n_samples, n_features, 0, blocks);

    cudaLaunchConfig_t cfg = {};
    cfg.gridDim = dim3(1, 1, 1);
    cfg.blockDim = dim3(NT, 1, 1);
    cfg.dynamicSmemBytes = SMALL_BYTES;
    cfg.stream = 0;
    cudaLaunchAttribute attr[1];
    attr[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attr[0].val.programmaticStreamSerializationAllowed = 1;
    cfg.attrs = attr;
    cfg.numAttrs = 1;
    cudaLaunchKernelEx(&cfg, ols_kernel, X, y, beta, n_samples, n_features, 1, blocks);
}
