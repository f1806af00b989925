// SPDX-License-Identifier: Apache-2.0
// task: ols
// rules: free
// device: NVIDIA H200 (CUDA 13.0 driver)
// date: 2026-11-15
// commit: 0ac3ea9
// made by: warpwright 0.1.0
// model: Claude, a fresh instance per prompt and round
// run: ols-1 r4.c3
// median us: n=2^14,p=10 7.02, n=2^16,p=10 8.41, n=2^18,p=10 11.34, n=2^20,p=10 23.21, n=2^22,p=10 57.54
// sha256: c119e19d3b4a08fc1cc38387af7b882d5280fc4905b3635bd11651bb866aa973

#include <cuda_runtime.h>
#include <stdint.h>
#include <stddef.h>

constexpr int MAXB   = 132;     // blocks of the fast path, one per SM
constexpr int PAD    = 68;      // 65 sums, padded to 17 vectors of 16 bytes
constexpr int SLICES = 15;      // 15 * 17 = 255 threads add the partials
constexpr int PER    = 9;       // 15 * 9 >= 132

// Block partials, as the complement of the float's bits. 0 means "not there yet" (it would be the
// NaN 0xffffffff, which no arithmetic produces). All zero before and after every call.
__device__ __align__(16) unsigned int g_part[MAXB * PAD];

__device__ __forceinline__ uint32_t smem_u32(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }
__device__ __forceinline__ uint4 ld_vol4(const uint4* p)
{
    uint4 v;
    asm volatile("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p) : "memory");
    return v;
}
__device__ __forceinline__ void st_vol(unsigned int* p, unsigned int v)
{
    asm volatile("st.volatile.global.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
}
__device__ __forceinline__ int opaque_zero()
{
    int z;
    asm volatile("mov.u32 %0, 0;" : "=r"(z));
    return z;
}

__device__ __forceinline__ void accum(float (&acc)[65], const float (&r)[11])
{
    int idx = 0;
#pragma unroll
    for (int i = 0; i < 10; i++)
#pragma unroll
        for (int j = i; j < 11; j++) { acc[idx] = fmaf(r[i], r[j], acc[idx]); idx++; }
}

// two consecutive rows (20 floats in 5 vectors) and their two y
__device__ __forceinline__ void accum2(float (&acc)[65], const float4 (&q)[5], const float2 yy)
{
    const float r0[11] = {q[0].x, q[0].y, q[0].z, q[0].w, q[1].x, q[1].y, q[1].z, q[1].w, q[2].x, q[2].y, yy.x};
    const float r1[11] = {q[2].z, q[2].w, q[3].x, q[3].y, q[3].z, q[3].w, q[4].x, q[4].y, q[4].z, q[4].w, yy.y};
    accum(acc, r0);
    accum(acc, r1);
}

// transposing butterfly: 2H values -> H values per lane
template <int H>
__device__ __forceinline__ void fold(float (&v)[65], int lane)
{
    const bool up = (lane & (H / 2)) != 0;
#pragma unroll
    for (int i = 0; i < H; i++) {
        const float keep = up ? v[i + H] : v[i];
        const float send = up ? v[i] : v[i + H];
        v[i] = keep + __shfl_xor_sync(0xffffffffu, send, H / 2);
    }
}

// all 65 sums of the warp into out[0..64]
__device__ __forceinline__ void warp_sums(float (&acc)[65], float* out, int lane)
{
    fold<32>(acc, lane);
    fold<16>(acc, lane);
    fold<8>(acc, lane);
    fold<4>(acc, lane);
    fold<2>(acc, lane);
    float e = acc[64];
#pragma unroll
    for (int m = 16; m > 0; m >>= 1) e += __shfl_xor_sync(0xffffffffu, e, m);
    *reinterpret_cast<float2*>(out + 2 * lane) = make_float2(acc[0], acc[1]);
    if (lane == 0) out[64] = e;
}

// index of a sum -> (i, j), i <= j <= 10, column 10 being y
__device__ __forceinline__ void tri_index(int v, int& i, int& j)
{
    int a = 0, rem = v;
    while (rem >= 11 - a) { rem -= 11 - a; a++; }
    i = a; j = a + rem;
}

// Gauss-Jordan on the 10 x 11 system (padded to 12 columns) by one warp: lane = 3*row + c holds the
// columns c, c+3, c+6, c+9 of its row. No division inside: the other rows become s*row - m*pivot_row
// with s the mantissa of the pivot and m = a_ik * 2^-exponent, a row scaling by a number in [1,2).
// Not inlined, so that a call on garbage can bring its instructions in ahead of time.
__device__ __noinline__ void solve10(const double* A, float* out, int lane)
{
    const int row = min(lane / 3, 9), c = lane % 3;
    double a[4];
#pragma unroll
    for (int q = 0; q < 4; q++) a[q] = A[row * 12 + 3 * q + c];
    double diag = 1.0;
#pragma unroll
    for (int k = 0; k < 10; k++) {
        const int kq = k / 3, kc = k % 3;
        const double pivot = __shfl_sync(0xffffffffu, a[kq], 3 * k + kc);
        const double mult = __shfl_sync(0xffffffffu, a[kq], 3 * row + kc);
        const int hi = __double2hiint(pivot), lo = __double2loint(pivot);
        double s = __hiloint2double((hi & 0x000fffff) | 0x3ff00000, lo);
        const double r = __hiloint2double(0x7fe00000 - (hi & 0x7ff00000), 0);
        const bool piv = row == k;
        double m = mult * r;
        if (piv) { m = 0.0; s = 1.0; }
        diag = piv ? pivot : diag * s;
#pragma unroll
        for (int q = (k + 1) / 3; q < 4; q++) {
            const double akj = __shfl_sync(0xffffffffu, a[q], 3 * k + c);
            a[q] = fma(-m, akj, a[q] * s);
        }
    }
    double inv;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(inv) : "d"(diag));
    inv = fma(inv, fma(-diag, inv, 1.0), inv);
    inv = fma(inv, fma(-diag, inv, 1.0), inv);
    if (c == 1 && lane < 30) out[row] = (float)(a[3] * inv);
}

// the block's 65 sums go out, each word its own flag: no fence, no ticket
template <int NW>
__device__ __forceinline__ void publish(const float (*red)[PAD], int b, int t)
{
    if (t < PAD) {
        float v = 0.0f;
        if (t < 65) {
#pragma unroll
            for (int w = 0; w < NW; w++) v += red[w][t];
        }
        st_vol(g_part + b * PAD + t, ~__float_as_uint(v));
    }
}

// block 0, all its threads (at least 288): wait for the partials, add them, solve, clear the partials.
// Rows n_done .. n-1 (at most three) are added here.
__device__ __forceinline__ void finish(const float* X, const float* y, float* beta, int n, int n_done, int B, int t,
                                       int nthreads, float (*fin)[PAD], double* A)
{
    int ti = 0, tj = 0;
    double extra = 0.0;
    if (t < 65) {
        tri_index(t, ti, tj);
        for (int r = n_done; r < n; r++)
            extra += (double)X[(size_t)r * 10 + ti] * (double)(tj < 10 ? X[(size_t)r * 10 + tj] : y[r]);
    }
    if (t < SLICES * 17) {
        const int c = t % 17, s = t / 17;
        const uint4* src = reinterpret_cast<const uint4*>(g_part) + c;
        uint4 v[PER];
        unsigned int low;
        do {
#pragma unroll
            for (int i = 0; i < PER; i++) v[i] = ld_vol4(src + min(s + SLICES * i, B - 1) * 17);
            low = 0xffffffffu;
#pragma unroll
            for (int i = 0; i < PER; i++) low = min(low, min(min(v[i].x, v[i].y), min(v[i].z, v[i].w)));
        } while (low == 0u);
        float4 a = make_float4(0.f, 0.f, 0.f, 0.f);
#pragma unroll
        for (int i = 0; i < PER; i++) {
            if (s + SLICES * i < B) {
                a.x += __uint_as_float(~v[i].x);
                a.y += __uint_as_float(~v[i].y);
                a.z += __uint_as_float(~v[i].z);
                a.w += __uint_as_float(~v[i].w);
            }
        }
        *reinterpret_cast<float4*>(&fin[s][4 * c]) = a;
    }
    __syncthreads();
    if (t < 65) {
        double s0 = extra, s1 = 0.0, s2 = 0.0;
#pragma unroll
        for (int i = 0; i < 5; i++) {
            s0 += (double)fin[i][t];
            s1 += (double)fin[i + 5][t];
            s2 += (double)fin[i + 10][t];
        }
        const double v = s0 + s1 + s2;
        A[ti * 12 + tj] = v;
        if (tj < 10) A[tj * 12 + ti] = v;
    } else if (t < 75) {
        A[(t - 65) * 12 + 11] = 0.0;
    }
    __syncthreads();
    if (t < 32) {
        solve10(A, beta, t);
    } else {
        const uint4 z = make_uint4(0u, 0u, 0u, 0u);
        for (int e = t - 32; e < B * 17; e += nthreads - 32) reinterpret_cast<uint4*>(g_part)[e] = z;
    }
}

__device__ __forceinline__ void cp16(uint32_t d, const void* s, int sz)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(d), "l"(s), "r"(sz) : "memory");
}
__device__ __forceinline__ void cp8(uint32_t d, const void* s, int sz)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(d), "l"(s), "r"(sz) : "memory");
}
__device__ __forceinline__ void cp_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int N>
__device__ __forceinline__ void cp_wait() { asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory"); }

constexpr int STAGEF = 704;     // floats per stage: 64 rows of 10, and 64 of y

// one warp fetches group g (64 rows of X and y) into its stage; rows past the end become zero
__device__ __forceinline__ void fetch_group(float* stage, const float* X, const float* y, int n, int g, int lane)
{
    const size_t row0 = (size_t)g * 64;
    const int rows = (int)(((size_t)n - row0) < 64 ? ((size_t)n - row0) : 64);
    const int bytes = rows * 40;
    const char* src = reinterpret_cast<const char*>(X + row0 * 10);
    const uint32_t d = smem_u32(stage);
#pragma unroll
    for (int q = 0; q < 5; q++) {
        const int off = q * 512 + lane * 16;
        const int sz = min(max(bytes - off, 0), 16);
        cp16(d + off, src + (sz > 0 ? off : 0), sz);
    }
    const int ysz = min(max((rows - 2 * lane) * 4, 0), 8);
    cp8(d + 2560 + lane * 8, y + row0 + (ysz > 0 ? 2 * lane : 0), ysz);
}

constexpr int NWARP = 8;
constexpr int NT    = (NWARP + 1) * 32;   // the last warp only warms the solver up, in block 0

template <int S>
__global__ void __launch_bounds__(NT, 1) ols10(const float* __restrict__ X, const float* __restrict__ y,
                                               float* __restrict__ beta, int n, int groups)
{
    extern __shared__ __align__(16) float ring[];
    __shared__ __align__(16) float red[NWARP][PAD];
    __shared__ __align__(16) float fin[SLICES][PAD];
    __shared__ double A[10 * 12];
    __shared__ float junk[10];

    const int t = threadIdx.x, lane = t & 31, warp = t >> 5;
    const int B = gridDim.x, b = blockIdx.x;

    if (warp < NWARP) {
        // few chunks per warp: spread evenly over the blocks; many: neighbouring chunks in one block
        const int stride = B * NWARP;
        const int g0 = (S == 1 || groups / 8 < stride) ? warp * B + b : b * NWARP + warp;
        float* mine = ring + (size_t)warp * S * STAGEF;

#pragma unroll
        for (int s = 0; s < S; s++) {
            const int g = g0 + s * stride;
            if (g < groups) fetch_group(mine + s * STAGEF, X, y, n, g, lane);
            cp_commit();
        }

        float acc[65];
#pragma unroll
        for (int i = 0; i < 65; i++) acc[i] = 0.0f;

        // pass 0 reduces zeros while the loads are in flight, to have the instructions at hand
#pragma unroll 1
        for (int pass = opaque_zero(); pass < 2; pass++) {
            if (pass == 1) {
                if (g0 >= groups) break;
                int st = 0;
#pragma unroll 1
                for (int g = g0; g < groups; g += stride) {
                    cp_wait<S - 1>();
                    __syncwarp();
                    float* stage = mine + st * STAGEF;
                    float4 q[5];
#pragma unroll
                    for (int i = 0; i < 5; i++) q[i] = reinterpret_cast<const float4*>(stage)[lane * 5 + i];
                    const float2 yy = reinterpret_cast<const float2*>(stage + 640)[lane];
                    __syncwarp();
                    const int gn = g + S * stride;
                    if (gn < groups) fetch_group(stage, X, y, n, gn, lane);
                    cp_commit();
                    accum2(acc, q, yy);
                    st = (st + 1 == S) ? 0 : st + 1;
                }
            }
            warp_sums(acc, red[warp], lane);
        }
    } else if (b == 0) {
        solve10(A, junk, lane);
    }
    __syncthreads();
    publish<NWARP>(red, b, t);
    if (b != 0) return;
    finish(X, y, beta, n, n, B, t, NT, fin, A);
}

// ------------------------------------------------------------------------------------------
// Long streams: 16 warps per SM. Each warp holds its next chunk of 64 rows in registers (plain,
// coalesced 16-byte loads), passes it through its own piece of shared memory to transpose it, asks for
// the chunk after it, and then adds up the rows: lane l takes the rows l and l + 32.
// ------------------------------------------------------------------------------------------
constexpr int LW = 16;

__device__ __forceinline__ float4 ld_stream4(const float4* p)
{
    float4 v;
    asm volatile("ld.global.L1::no_allocate.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(p));
    return v;
}
__device__ __forceinline__ float2 ld_stream2(const float2* p)
{
    float2 v;
    asm volatile("ld.global.L1::no_allocate.v2.f32 {%0, %1}, [%2];" : "=f"(v.x), "=f"(v.y) : "l"(p));
    return v;
}

// chunk g of 64 whole rows
__device__ __forceinline__ void load_chunk(float4 (&q)[5], float2& yy, const float* X, const float* y, int g, int lane)
{
    const float4* src = reinterpret_cast<const float4*>(X) + (size_t)g * 160 + lane;
#pragma unroll
    for (int i = 0; i < 5; i++) q[i] = ld_stream4(src + 32 * i);
    yy = ld_stream2(reinterpret_cast<const float2*>(y) + (size_t)g * 32 + lane);
}

// one row from shared memory (8-byte loads at a stride of 40 bytes: no bank conflicts)
__device__ __forceinline__ void accum_row(float (&acc)[65], const float* stage, int row)
{
    const float2* s = reinterpret_cast<const float2*>(stage + row * 10);
    float r[11];
#pragma unroll
    for (int i = 0; i < 5; i++) {
        const float2 v = s[i];
        r[2 * i] = v.x;
        r[2 * i + 1] = v.y;
    }
    r[10] = stage[640 + row];
    accum(acc, r);
}

__global__ void __launch_bounds__(LW * 32, 1) ols10_long(const float* __restrict__ X, const float* __restrict__ y,
                                                         float* __restrict__ beta, int n, int whole)
{
    __shared__ __align__(16) float stages[LW][STAGEF];   // 45056 bytes; the final sums reuse it
    __shared__ double A[10 * 12];

    const int t = threadIdx.x, lane = t & 31, warp = t >> 5;
    const int B = gridDim.x, b = blockIdx.x;
    const int stride = B * LW;
    float* stage = stages[warp];

    float acc[65];
#pragma unroll
    for (int i = 0; i < 65; i++) acc[i] = 0.0f;

    int g = b * LW + warp;
    float4 q[5];
    float2 yy = make_float2(0.f, 0.f);
#pragma unroll
    for (int i = 0; i < 5; i++) q[i] = make_float4(0.f, 0.f, 0.f, 0.f);
    if (g < whole) load_chunk(q, yy, X, y, g, lane);
#pragma unroll 1
    while (g < whole) {
        __syncwarp();                      // the rows of the chunk before have been read
#pragma unroll
        for (int i = 0; i < 5; i++) reinterpret_cast<float4*>(stage)[32 * i + lane] = q[i];
        reinterpret_cast<float2*>(stage + 640)[lane] = yy;
        g += stride;
        if (g < whole) load_chunk(q, yy, X, y, g, lane);
        __syncwarp();
        accum_row(acc, stage, lane);
        accum_row(acc, stage, lane + 32);
    }

    // the rows behind the last whole chunk (fewer than 64): the last warp of the last block
    if (b == B - 1 && warp == LW - 1) {
        for (long long row = (long long)whole * 64 + lane; row < n; row += 32) {
            float r[11];
#pragma unroll
            for (int i = 0; i < 10; i++) r[i] = X[row * 10 + i];
            r[10] = y[row];
            accum(acc, r);
        }
    }

    __syncthreads();                       // all stages are free
    float (*red)[PAD] = reinterpret_cast<float (*)[PAD]>(&stages[0][0]);
    float (*fin)[PAD] = red + LW;          // 31 rows of 68 floats in all
    warp_sums(acc, red[warp], lane);
    __syncthreads();
    publish<LW>(red, b, t);
    if (b != 0) return;
    finish(X, y, beta, n, n, B, t, LW * 32, fin, A);
}

// ------------------------------------------------------------------------------------------
// General path (any n_features <= 64): exact products, sums in double.
// ------------------------------------------------------------------------------------------
constexpr int GEN_MAXB = 264;
constexpr int GEN_ROWS = 32;
__device__ double g_gen_part[GEN_MAXB * 4096];
__device__ double g_gen_sum[153 * 16];

__global__ void __launch_bounds__(256) gen_partial(const float* __restrict__ X, const float* __restrict__ y,
                                                   int n, int p, int T, int TP, int S)
{
    __shared__ double z[GEN_ROWS * 68];
    const int t = threadIdx.x;
    const int pair = t % TP, slice = t / TP;
    const bool act = slice < S;
    int ti = 0, rem = pair;
    while (rem >= T - ti) { rem -= T - ti; ti++; }
    const int tj = ti + rem;
    const int C = 4 * T;
    double acc[16];
#pragma unroll
    for (int e = 0; e < 16; e++) acc[e] = 0.0;
    for (long long r0 = (long long)blockIdx.x * GEN_ROWS; r0 < n; r0 += (long long)gridDim.x * GEN_ROWS) {
        const int rows = (int)((n - r0) < GEN_ROWS ? (n - r0) : GEN_ROWS);
        __syncthreads();
        for (int e = t; e < GEN_ROWS * C; e += 256) {
            const int r = e / C, c = e - r * C;
            double v = 0.0;
            if (r < rows) {
                if (c < p) v = (double)X[(size_t)(r0 + r) * p + c];
                else if (c == p) v = (double)y[r0 + r];
            }
            z[e] = v;
        }
        __syncthreads();
        if (act) {
            for (int r = slice; r < rows; r += S) {
                const double* zr = z + r * C;
                double a[4], b[4];
#pragma unroll
                for (int q = 0; q < 4; q++) { a[q] = zr[4 * ti + q]; b[q] = zr[4 * tj + q]; }
#pragma unroll
                for (int q = 0; q < 4; q++)
#pragma unroll
                    for (int w = 0; w < 4; w++) acc[q * 4 + w] = fma(a[q], b[w], acc[q * 4 + w]);
            }
        }
    }
    if (act) {
        double* o = g_gen_part + ((size_t)blockIdx.x * S + slice) * (size_t)(TP * 16) + pair * 16;
#pragma unroll
        for (int e = 0; e < 16; e++) o[e] = acc[e];
    }
}

__global__ void __launch_bounds__(128) gen_reduce(int count, int width)
{
    __shared__ double s[128];
    double v = 0.0;
    for (int q = threadIdx.x; q < count; q += 128) v += g_gen_part[(size_t)q * width + blockIdx.x];
    s[threadIdx.x] = v;
    __syncthreads();
    for (int h = 64; h > 0; h >>= 1) {
        if (threadIdx.x < h) s[threadIdx.x] += s[threadIdx.x + h];
        __syncthreads();
    }
    if (threadIdx.x == 0) g_gen_sum[blockIdx.x] = s[0];
}

__global__ void __launch_bounds__(1024) gen_solve(float* __restrict__ beta, int p, int T)
{
    __shared__ double A[64 * 65];
    const int t = threadIdx.x;
    for (int e = t; e < p * (p + 1); e += 1024) {
        const int r = e / (p + 1), c = e - r * (p + 1);
        const int i = r < c ? r : c, j = r < c ? c : r;
        const int ti = i >> 2, tj = j >> 2;
        const int pair = ti * T - ti * (ti - 1) / 2 + (tj - ti);
        A[r * 65 + c] = g_gen_sum[pair * 16 + (i & 3) * 4 + (j & 3)];
    }
    __syncthreads();
    for (int k = 0; k < p; k++) {
        const double inv = 1.0 / A[k * 65 + k];
        const int w = p - k;                       // columns k+1 .. p
        for (int e = t; e < p * w; e += 1024) {
            const int i = e / w, j = k + 1 + (e - i * w);
            if (i != k) A[i * 65 + j] -= A[i * 65 + k] * inv * A[k * 65 + j];
        }
        __syncthreads();
    }
    if (t < p) beta[t] = (float)(A[t * 65 + p] / A[t * 65 + t]);
}

static void solve_general(const float* X, const float* y, float* beta, int n, int p)
{
    const int T = (p + 1 + 3) / 4;
    const int TP = T * (T + 1) / 2;
    int S = 256 / TP;
    if (S > GEN_ROWS) S = GEN_ROWS;
    long long nb = ((long long)n + GEN_ROWS - 1) / GEN_ROWS;
    if (nb > GEN_MAXB) nb = GEN_MAXB;
    gen_partial<<<(int)nb, 256>>>(X, y, n, p, T, TP, S);
    gen_reduce<<<TP * 16, 128>>>((int)nb * S, TP * 16);
    gen_solve<<<1, 1024>>>(beta, p, T);
}

template <int S>
static void launch10(const float* X, const float* y, float* beta, int n, int groups, int B)
{
    const int bytes = NWARP * S * STAGEF * (int)sizeof(float);
    if (bytes > 36 * 1024)
        cudaFuncSetAttribute(ols10<S>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    ols10<S><<<B, NT, bytes>>>(X, y, beta, n, groups);
}

extern "C" void solve(const float* X, const float* y, float* beta, int n_samples, int n_features)
{
    if (n_features == 10) {
        const int groups = (int)(((long long)n_samples + 63) / 64);
        int B = (groups + 3) / 4;
        if (B > MAXB) B = MAXB;
        const int per = (groups + B * NWARP - 1) / (B * NWARP);
        if (per <= 1) launch10<1>(X, y, beta, n_samples, groups, B);
        else if (per <= 6) launch10<4>(X, y, beta, n_samples, groups, B);
        else ols10_long<<<MAXB, LW * 32>>>(X, y, beta, n_samples, n_samples / 64);
    } else {
        solve_general(X, y, beta, n_samples, n_features);
    }
}
