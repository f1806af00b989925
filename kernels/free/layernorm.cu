// SPDX-License-Identifier: Apache-2.0
// task: layernorm
// rules: free
// device: NVIDIA H200 (CUDA 13.0 driver)
// date: 2026-11-15
// commit: 0ac3ea9
// made by: warpwright 0.1.0
// model: Claude, a fresh instance per prompt and round
// run: layernorm-1 r3.c1
// median us: 16x4x64x64 5.84, 16x4x128x128 8.54, 16x4x256x256 19.75, 16x4x512x512 53.04, 16x4x1024x1024 246.11
// sha256: 5cb45f36a71d9cbebc899fd90d7dedb4498fb2bb75af078e2b8b72443ac53431

#include <cuda_runtime.h>
typedef unsigned long long u64;

#define MAX_ROWS 64      // rows per launch of the kernels that exchange packets
#define MAX_BLK 160      // blocks of these kernels
#define FULL 0xffffffffu

// Packets of one block and row; all-zero bits = "not yet there". Every launch leaves them zero again.
__device__ __align__(16) u64 g_pkt[2 * MAX_ROWS * MAX_BLK];
__device__ unsigned g_exit;
__device__ double2 g_part[65536];

__device__ __forceinline__ void cluster_arrive() { asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory"); }
__device__ __forceinline__ void cluster_wait() { asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory"); }
__device__ __forceinline__ unsigned s_addr(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ __forceinline__ unsigned map_rank(unsigned a, unsigned rank) {
    unsigned r;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(rank));
    return r;
}
__device__ __forceinline__ void cp16(float4* s, const float4* g) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(s_addr(s)), "l"(g) : "memory");
}
__device__ __forceinline__ void cp_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
__device__ __forceinline__ void cp_wait_all() { asm volatile("cp.async.wait_group 0;" ::: "memory"); }
// Touch one line of the output early, so that its address translation is known when the stores come.
__device__ __forceinline__ void touch(const void* p) { asm volatile("prefetch.global.L2 [%0];" :: "l"(p) : "memory"); }
__device__ __forceinline__ void bar_sync(int id, int threads) { asm volatile("bar.sync %0, %1;" :: "r"(id), "r"(threads) : "memory"); }
__device__ __forceinline__ void mbar_init(u64* m) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(s_addr(m)) : "memory");
}
__device__ __forceinline__ void mbar_init_fence() {
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
__device__ __forceinline__ void mbar_wait(u64* m, unsigned phase) {
    unsigned ok = 0;
    do {
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(ok) : "r"(s_addr(m)), "r"(phase) : "memory");
    } while (!ok);
}
// One thread starts a bulk copy of `vecs` vectors into shared memory.
__device__ __forceinline__ void bulk_load(float4* dst, const float4* src, int vecs, u64* m) {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("{ .reg .b64 t; mbarrier.arrive.expect_tx.shared::cta.b64 t, [%0], %1; }" :: "r"(s_addr(m)), "r"(vecs * 16) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 :: "r"(s_addr(dst)), "l"(src), "r"(vecs * 16), "r"(s_addr(m)) : "memory");
}
__device__ __forceinline__ void acc4(const float4& x, float k, float& s, float& q) {
    float a = x.x - k, b = x.y - k, c = x.z - k, d = x.w - k;
    s += (a + b) + (c + d);
    q = fmaf(a, a, q); q = fmaf(b, b, q); q = fmaf(c, c, q); q = fmaf(d, d, q);
}
// Sums s, q of n values about the shift k, as plain sums in double precision.
__device__ __forceinline__ double2 unshift(float s, float q, float k, int n) {
    double kd = (double)k, sd = (double)s, nd = (double)n;
    return make_double2(sd + nd * kd, (double)q + kd * (2.0 * sd + nd * kd));
}
__device__ __forceinline__ double2 warp_stats(float s, float q, float k, int n) {
#pragma unroll
    for (int o = 16; o; o >>= 1) {
        s += __shfl_xor_sync(FULL, s, o);
        q += __shfl_xor_sync(FULL, q, o);
    }
    return unshift(s, q, k, n);
}
template <int O>
__device__ __forceinline__ double2 lane_sum2(double2 v) {
#pragma unroll
    for (int o = O; o; o >>= 1) {
        v.x += __shfl_xor_sync(FULL, v.x, o);
        v.y += __shfl_xor_sync(FULL, v.y, o);
    }
    return v;
}
// Reduces R sums and R sums of squares (R = 4 or 8) over the warp with few shuffles: afterwards lane l holds the
// total of kind l >> 4 (0: sum, 1: squares) of row (l & 15) / (16 / R).
template <int R>
__device__ __forceinline__ float reduce_rows(float (&a)[2 * R], int lane) {
#pragma unroll
    for (int h = R, o = 16; h; h >>= 1, o >>= 1) {
        const bool up = (lane & o) != 0;
#pragma unroll
        for (int j = 0; j < h; j++) {
            float send = up ? a[j] : a[j + h];
            float keep = up ? a[j + h] : a[j];
            a[j] = keep + __shfl_xor_sync(FULL, send, o);
        }
    }
    float v = a[0];
#pragma unroll
    for (int o = 8 / R; o; o >>= 1) v += __shfl_xor_sync(FULL, v, o);
    return v;
}
// (mean, 1/sd, correction); the mean is the correctly rounded quotient (exact for rows of equal values)
__device__ __forceinline__ float4 finish(double s, double q, double invC, double C, float eps) {
    double mean = s * invC;
    mean = fma(fma(-mean, C, s), invC, mean);
    double var = q * invC - mean * mean;
    if (var < 0.0) var = 0.0;
    float mh = (float)mean;
    float ml = (float)(mean - (double)mh);
    float rs = 1.0f / sqrtf((float)var + eps);
    return make_float4(mh, rs, -ml * rs, 0.0f);
}
__device__ __forceinline__ float4 norm4(const float4& x, const float4& st, const float4& w, const float4& b) {
    float4 o;
    o.x = fmaf(fmaf(x.x - st.x, st.y, st.z), w.x, b.x);
    o.y = fmaf(fmaf(x.y - st.x, st.y, st.z), w.y, b.y);
    o.z = fmaf(fmaf(x.z - st.x, st.y, st.z), w.z, b.z);
    o.w = fmaf(fmaf(x.w - st.x, st.y, st.z), w.w, b.w);
    return o;
}
// Counts those that have read all their packets. The loads have returned before this is issued.
__device__ __forceinline__ unsigned take_exit() {
    unsigned t;
    asm volatile("atom.relaxed.gpu.global.add.u32 %0, [%1], 1;" : "=r"(t) : "l"(&g_exit) : "memory");
    return t;
}
// The last one out (one warp) clears n 64-bit words.
__device__ __forceinline__ void clear_pkts(int n, int lane) {
    ulonglong2* p = reinterpret_cast<ulonglong2*>(g_pkt);
    for (int i = lane; i < (n + 1) / 2; i += 32) p[i] = make_ulonglong2(0ull, 0ull);
    if (lane == 0) g_exit = 0u;
}
// Packet: (mean, M2) of one block's slice of a row as two floats in one self-flagging 64-bit word; the receiver
// knows the counts and merges in double precision.
__device__ __forceinline__ void send_pkt(int slot, double2 v, double n, double inv_n) {
    double mean = v.x * inv_n;
    mean = fma(fma(-mean, n, v.x), inv_n, mean);
    double m2 = v.y - v.x * mean;
    if (m2 < 0.0) m2 = 0.0;
    unsigned a = __float_as_uint((float)mean), b = __float_as_uint((float)m2);
    if ((a | b) == 0u) a = 0x80000000u;
    u64 p = ((u64)b << 32) | a;
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" :: "l"(g_pkt + slot), "l"(p) : "memory");
}
// One warp collects the nb <= 32*NI packets of a row: (sum, sum of squares).
template <int NI>
__device__ __forceinline__ double2 get_pkts(int slot0, int nb, int S, int C4, int lane) {
    u64 a[NI];
    bool ok;
    do {
        ok = true;
#pragma unroll
        for (int i = 0; i < NI; i++) {
            int j = lane + 32 * i;
            a[i] = 0ull;
            if (j < nb) asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(a[i]) : "l"(g_pkt + slot0 + j) : "memory");
        }
#pragma unroll
        for (int i = 0; i < NI; i++)
            if (lane + 32 * i < nb) ok = ok && (a[i] != 0ull);
    } while (!__all_sync(FULL, ok));
    double2 v = make_double2(0.0, 0.0);
#pragma unroll
    for (int i = 0; i < NI; i++) {
        int j = lane + 32 * i;
        if (j < nb) {
            int l = C4 - j * S;
            if (l > S) l = S;
            double n = 4.0 * (double)l;
            double m = (double)__uint_as_float((unsigned)a[i]);
            v.x += n * m;
            v.y += (double)__uint_as_float((unsigned)(a[i] >> 32)) + (n * m) * m;
        }
    }
    return lane_sum2<16>(v);
}

// ---------------------------------------------------------------- any size, not the fast path
__global__ void __launch_bounds__(256) fb_stats(const float* __restrict__ in, int C, long long row0, int NB) {
    __shared__ double2 wp[8];
    const float* x = in + (row0 + blockIdx.y) * (long long)C;
    double k = (double)x[0], s = 0.0, q = 0.0;
    long long per = ((long long)C + NB - 1) / NB;
    long long lo = per * blockIdx.x, hi = lo + per;
    if (hi > C) hi = C;
    for (long long i = lo + threadIdx.x; i < hi; i += 256) {
        double d = (double)x[i] - k;
        s += d;
        q += d * d;
    }
    double2 v = lane_sum2<16>(make_double2(s, q));
    if ((threadIdx.x & 31) == 0) wp[threadIdx.x >> 5] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
        double2 t = wp[0];
        for (int i = 1; i < 8; i++) { t.x += wp[i].x; t.y += wp[i].y; }
        g_part[(long long)blockIdx.y * NB + blockIdx.x] = t;
    }
}
__global__ void __launch_bounds__(256) fb_norm(const float* __restrict__ in, const float* __restrict__ w, const float* __restrict__ b,
                                               float* __restrict__ out, int C, long long row0, int NB, float eps) {
    __shared__ float4 sst;
    long long base = (row0 + blockIdx.y) * (long long)C;
    const float* x = in + base;
    float* y = out + base;
    if (threadIdx.x == 0) {
        double s = 0.0, q = 0.0;
        for (int i = 0; i < NB; i++) {
            double2 t = g_part[(long long)blockIdx.y * NB + i];
            s += t.x; q += t.y;
        }
        double m = s / (double)C;
        double var = q / (double)C - m * m;
        if (var < 0.0) var = 0.0;
        double mean = (double)x[0] + m;
        float mh = (float)mean;
        float rs = 1.0f / sqrtf((float)var + eps);
        sst = make_float4(mh, rs, -(float)(mean - (double)mh) * rs, 0.0f);
    }
    __syncthreads();
    float4 st = sst;
    long long per = ((long long)C + NB - 1) / NB;
    long long lo = per * blockIdx.x, hi = lo + per;
    if (hi > C) hi = C;
    for (long long i = lo + threadIdx.x; i < hi; i += 256)
        y[i] = fmaf(fmaf(x[i] - st.x, st.y, st.z), w[i], b[i]);
}
static void run_fallback(const float* in, const float* w, const float* b, float* out, int N, int C, float eps) {
    int NB = C <= 8192 ? 1 : 64;
    int batch = NB == 1 ? 32768 : 1024;
    for (long long r = 0; r < N; r += batch) {
        int n = (int)((long long)N - r < batch ? (long long)N - r : batch);
        dim3 g(NB, n);
        fb_stats<<<g, 256>>>(in, C, r, NB);
        fb_norm<<<g, 256>>>(in, w, b, out, C, r, NB, eps);
    }
}

// ---------------------------------------------------------------- a cluster of 8 blocks per row, the row in registers
// The blocks send their sums to each other with st.async; the arrival itself completes the receiver's mbarrier.
// SM: weight and bias wait in (thread-private) shared memory, so that two blocks fit on an SM.
template <int T, int V, bool SM>
__global__ void __cluster_dims__(8, 1, 1) __launch_bounds__(T, SM ? 2 : 1)
ln_cluster(const float4* __restrict__ in, const float4* __restrict__ w, const float4* __restrict__ b,
           float4* __restrict__ out, int C4, int S, double invC, double Cd, float eps) {
    constexpr int W = T / 32;
    constexpr int VR = SM ? 1 : V;
    extern __shared__ __align__(128) float4 dyn[];
    __shared__ double2 wp[W];
    __shared__ __align__(16) double2 cpart[8];
    __shared__ __align__(8) u64 mbar;
    const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
    const int rank = blockIdx.x & 7, row = blockIdx.x >> 3;
    const int start = rank * S;
    int len = C4 - start;
    if (len > S) len = S;
    if (len < 0) len = 0;
    const long long base = (long long)row * C4 + start;
    const float4* xi = in + base;
    const float4* wi = w + start;
    const float4* bi = b + start;

    float4 x[V], wr[VR], br[VR];
#pragma unroll
    for (int v = 0; v < V; v++) {
        int i = v * T + tid;
        x[v] = make_float4(0.f, 0.f, 0.f, 0.f);
        if (i < len) x[v] = __ldg(xi + i);
    }
    if (tid == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(s_addr(&mbar)) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("{ .reg .b64 t; mbarrier.arrive.expect_tx.shared::cta.b64 t, [%0], 128; }" :: "r"(s_addr(&mbar)) : "memory");
        if (len > 0) touch(out + base);
    }
    __syncwarp();
    cluster_arrive();
    if (SM) {
#pragma unroll
        for (int v = 0; v < V; v++) {
            int i = v * T + tid;
            if (i < len) {
                cp16(dyn + i, wi + i);
                cp16(dyn + V * T + i, bi + i);
            }
        }
        cp_commit();
    } else {
#pragma unroll
        for (int v = 0; v < VR; v++) {
            int i = v * T + tid;
            wr[v] = make_float4(0.f, 0.f, 0.f, 0.f);
            br[v] = wr[v];
            if (i < len) { wr[v] = __ldg(wi + i); br[v] = __ldg(bi + i); }
        }
    }
    int n = 0;
#pragma unroll
    for (int v = 0; v < V; v++) {
        int m = len - v * T - warp * 32;
        n += m < 0 ? 0 : (m > 32 ? 32 : m);
    }
    n *= 4;
    float k = __shfl_sync(FULL, x[0].x, 0), s = 0.f, q = 0.f;
#pragma unroll
    for (int v = 0; v < V; v++)
        if (v * T + tid < len) acc4(x[v], k, s, q);
    double2 t = warp_stats(s, q, k, n);
    if (lane == 0) wp[warp] = t;
    __syncthreads();
    cluster_wait();                      // every block of the cluster runs and its mbarrier is set up
    if (warp == 0) {
        double2 u = make_double2(0.0, 0.0);
        if (lane < W) u = wp[lane];
        u = lane_sum2<16>(u);
        if (lane < 8) {
            unsigned dst = map_rank(s_addr(&cpart[rank]), lane);
            unsigned mb = map_rank(s_addr(&mbar), lane);
            asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b64 [%0], {%1, %2}, [%3];"
                         :: "r"(dst), "l"(__double_as_longlong(u.x)), "l"(__double_as_longlong(u.y)), "r"(mb) : "memory");
        }
        __syncwarp();
    }
    if (SM) cp_wait_all();
    {
        unsigned ok = 0;
        do {
            asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                         : "=r"(ok) : "r"(s_addr(&mbar)) : "memory");
        } while (!ok);
        __syncwarp();
    }
    double2 u = lane_sum2<4>(cpart[lane & 7]);
    const float4 st = finish(u.x, u.y, invC, Cd, eps);
    float4* yo = out + base;
#pragma unroll
    for (int v = 0; v < V; v++) {
        int i = v * T + tid;
        if (i < len) {
            float4 ww, bb;
            if (SM) { ww = dyn[i]; bb = dyn[V * T + i]; }
            else { ww = wr[v < VR ? v : 0]; bb = br[v < VR ? v : 0]; }
            yo[i] = norm4(x[v], st, ww, bb);
        }
    }
}

// ---------------------------------------------------------------- up to 16 rows, one vector of each per thread: everything in registers
// One block per SM owns a column slice. The sums of rows 0-7 travel while rows 8-15 still arrive, those of rows 8-15
// while rows 0-7 are stored.
__global__ void __launch_bounds__(512, 1)
ln_mid(const float4* __restrict__ in, const float4* __restrict__ w, const float4* __restrict__ b,
       float4* __restrict__ out, int rows, int C4, int S, double invC, double Cd, float eps) {
    constexpr int W = 16;
    __shared__ float ws[16][2][W];
    __shared__ float wk[16][W];
    __shared__ float4 stat[16];
    const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
    const int nb = gridDim.x;
    const int start = blockIdx.x * S;
    int len = C4 - start;
    if (len > S) len = S;
    const bool act = tid < len;
    const float4* xi = in + start + tid;
    float4* yo = out + start + tid;
    float4 x[16];
#pragma unroll
    for (int r = 0; r < 16; r++) {
        x[r] = make_float4(0.f, 0.f, 0.f, 0.f);
        if (act && r < rows) x[r] = __ldg(xi + (long long)r * C4);
    }
    float4 ww = make_float4(0.f, 0.f, 0.f, 0.f), bb = ww;
    if (act) { ww = __ldg(w + start + tid); bb = __ldg(b + start + tid); }
    if (tid < rows) touch(out + start + (long long)tid * C4);
    const double nblk = 4.0 * (double)len, inv_n = 1.0 / nblk;
    int nw = len - lane * 32;            // lane as a warp number
    nw = 4 * (nw < 0 ? 0 : (nw > 32 ? 32 : nw));

#pragma unroll
    for (int h = 0; h < 2; h++) {
        if (8 * h < rows) {
            float a[16];
#pragma unroll
            for (int r = 0; r < 8; r++) {
                float k = __shfl_sync(FULL, x[8 * h + r].x, 0), s = 0.f, q = 0.f;
                if (act) acc4(x[8 * h + r], k, s, q);
                a[r] = s;
                a[8 + r] = q;
                if (lane == 0) wk[8 * h + r][warp] = k;
            }
            float v = reduce_rows<8>(a, lane);
            if ((lane & 1) == 0) ws[8 * h + ((lane & 15) >> 1)][lane >> 4][warp] = v;
            __syncthreads();
            if ((warp >> 3) == h && warp < rows) {
                double2 u = make_double2(0.0, 0.0);
                if (lane < W) u = unshift(ws[warp][0][lane], ws[warp][1][lane], wk[warp][lane], nw);
                u = lane_sum2<8>(u);
                if (lane == 0) send_pkt(warp * nb + blockIdx.x, u, nblk, inv_n);
                __syncwarp();
            }
        }
    }
    unsigned tk = 0;
#pragma unroll
    for (int h = 0; h < 2; h++) {
        if (8 * h < rows) {
            if ((warp >> 3) == h && warp < rows) {
                double2 u = get_pkts<MAX_BLK / 32>(warp * nb, nb, S, C4, lane);
                if (lane == 0) stat[warp] = finish(u.x, u.y, invC, Cd, eps);
                __syncwarp();
            }
            __syncthreads();
            if (8 * h + 8 >= rows && tid == 480) tk = take_exit();      // looked at after the stores
            if (act) {
#pragma unroll
                for (int r = 8 * h; r < 8 * h + 8; r++)
                    if (r < rows) yo[(long long)r * C4] = norm4(x[r], stat[r], ww, bb);
            }
        }
    }
    if (warp == 15) {
        __syncwarp();
        tk = __shfl_sync(FULL, tk, 0);
        if (tk == (unsigned)nb - 1u) clear_pkts(rows * nb, lane);
    }
}
static void run_mid(const float4* in, const float4* w, const float4* b, float4* out, int N, int C4, int S, int grid, double C, float eps) {
    for (long long r = 0; r < N; r += 16) {
        int n = (int)(N - r < 16 ? N - r : 16);
        ln_mid<<<grid, 512>>>(in + r * C4, w, b, out + r * C4, n, C4, S, 1.0 / C, C, eps);
    }
}

// ---------------------------------------------------------------- four independent groups of 256 threads, each with a row of its own
// One block per SM owns a column slice (at most 2048 vectors) of all rows; group g handles rows g, g+4, ... with its own
// barrier and exchange. Its row is in registers; its next row is brought into shared memory by a bulk copy meanwhile.
__global__ void __launch_bounds__(1024, 1)
ln_rows4(const float4* __restrict__ in, const float4* __restrict__ w, const float4* __restrict__ b,
         float4* __restrict__ out, int rows, int C4, int S, double invC, double Cd, float eps) {
    constexpr int TG = 256, V = 8, VS = 2048;
    extern __shared__ __align__(128) float4 dyn[];   // weight, bias, four row buffers
    __shared__ double2 wp[4][8];
    __shared__ float4 stat[4];
    __shared__ __align__(8) u64 mbar[4];
    const int tid = threadIdx.x, lane = tid & 31;
    const int g = tid >> 8, t = tid & 255, gw = t >> 5;
    const int nb = gridDim.x;
    const int start = blockIdx.x * S;
    int len = C4 - start;
    if (len > S) len = S;
    const float4* xi = in + start;
    float4* yo = out + start;
    float4* const sb = dyn + (2 + g) * VS;

    float4 x[V];
#pragma unroll
    for (int v = 0; v < V; v++) {
        int i = v * TG + t;
        x[v] = make_float4(0.f, 0.f, 0.f, 0.f);
        if (i < len && g < rows) x[v] = __ldg(xi + (long long)g * C4 + i);
    }
    for (int i = tid; i < len; i += 1024) {
        cp16(dyn + i, w + start + i);
        cp16(dyn + VS + i, b + start + i);
    }
    cp_commit();
    if (t == 0) {
        mbar_init(&mbar[g]);
        mbar_init_fence();
        if (g + 4 < rows) bulk_load(sb, xi + (long long)(g + 4) * C4, len, &mbar[g]);
        if (g < rows) touch(yo + (long long)g * C4);
    }
    __syncwarp();
    int n = 0;
#pragma unroll
    for (int v = 0; v < V; v++) {
        int m = len - v * TG - gw * 32;
        n += m < 0 ? 0 : (m > 32 ? 32 : m);
    }
    n *= 4;
    const double nblk = 4.0 * (double)len, inv_n = 1.0 / nblk;

    for (int it = 0; it * 4 < rows; it++) {
        const int row = it * 4 + g;
        const bool act = row < rows;
        if (act) {
            if (it > 0) {
                mbar_wait(&mbar[g], (unsigned)(it - 1) & 1u);
#pragma unroll
                for (int v = 0; v < V; v++) {
                    int i = v * TG + t;
                    if (i < len) x[v] = sb[i];
                }
            }
            float k = __shfl_sync(FULL, x[0].x, 0), s = 0.f, q = 0.f;
#pragma unroll
            for (int v = 0; v < V; v++)
                if (v * TG + t < len) acc4(x[v], k, s, q);
            double2 u = warp_stats(s, q, k, n);
            if (lane == 0) wp[g][gw] = u;
            bar_sync(1 + g, TG);                     // sums are there, the buffer has been read
            if (it > 0 && t == 32 && row + 4 < rows) bulk_load(sb, xi + (long long)(row + 4) * C4, len, &mbar[g]);
            if (gw == 0) {
                u = make_double2(0.0, 0.0);
                if (lane < 8) u = wp[g][lane];
                u = lane_sum2<4>(u);
                if (lane == 0) send_pkt(row * nb + blockIdx.x, u, nblk, inv_n);
            }
            __syncwarp();
        }
        if (it == 0) {
            cp_wait_all();
            __syncthreads();                         // weight and bias are there
        }
        unsigned tk = 0;
        const bool last = (it + 1) * 4 >= rows && gw == 0;
        if (act) {
            if (gw == 0) {
                double2 u = get_pkts<MAX_BLK / 32>(row * nb, nb, S, C4, lane);
                if (lane == 0) stat[g] = finish(u.x, u.y, invC, Cd, eps);
                __syncwarp();
            }
            bar_sync(1 + g, TG);
        }
        if (last && lane == 0) tk = take_exit();     // looked at after the stores
        if (act) {
            const float4 st = stat[g];
            float4* yr = yo + (long long)row * C4;
#pragma unroll
            for (int v = 0; v < V; v++) {
                int i = v * TG + t;
                if (i < len) yr[i] = norm4(x[v], st, dyn[i], dyn[VS + i]);
            }
        }
        if (last) {
            __syncwarp();
            tk = __shfl_sync(FULL, tk, 0);
            if (tk == 4u * (unsigned)nb - 1u) clear_pkts(rows * nb, lane);
        }
    }
}
static void run_rows4(const float4* in, const float4* w, const float4* b, float4* out, int N, int C4, int S, int grid, double C, float eps) {
    int sm = 6 * 2048 * 16;
    cudaFuncSetAttribute(ln_rows4, cudaFuncAttributeMaxDynamicSharedMemorySize, sm);
    for (long long r = 0; r < N; r += MAX_ROWS) {
        int n = (int)(N - r < MAX_ROWS ? N - r : MAX_ROWS);
        ln_rows4<<<grid, 1024, sm>>>(in + r * C4, w, b, out + r * C4, n, C4, S, 1.0 / C, C, eps);
    }
}

// ---------------------------------------------------------------- long rows: two groups of 512 threads in antiphase
// One block per SM owns a column slice (at most 8192 vectors). Group 0 has the even rows, group 1 the odd ones, half a
// period later: while one exchanges its sums and stores, the other loads. A thread has eight vectors in flight all the
// time: chunks 0-7 of a row are only summed, chunks 8-15 are kept; after the exchange 8-15 are stored and 0-7 come from L2.
__global__ void __launch_bounds__(1024, 1)
ln_pair(const float4* __restrict__ in, const float4* __restrict__ w, const float4* __restrict__ b,
        float4* __restrict__ out, int rows, int C4, int S, double invC, double Cd, float eps) {
    constexpr int TG = 512, H = 8, NBS = 12;
    extern __shared__ __align__(128) float4 dyn[];   // 16 chunks of weight, 12 of bias
    __shared__ double2 wp[2][16];
    __shared__ float4 stat[2];
    const int tid = threadIdx.x, lane = tid & 31;
    const int g = tid >> 9, t = tid & 511, gw = t >> 5;
    const int nb = gridDim.x;
    const int start = blockIdx.x * S;
    int len = C4 - start;
    if (len > S) len = S;
    const float4* bi = b + start;

    float4 x[H];
#pragma unroll
    for (int j = 0; j < H; j++) x[j] = make_float4(0.f, 0.f, 0.f, 0.f);
    const float4* xr = in + (long long)g * C4 + start;   // this group's row
    float4* yr = out + (long long)g * C4 + start;
    if (g == 0) {
#pragma unroll
        for (int j = 0; j < H; j++) {
            int i = j * TG + t;
            if (i < len) x[j] = __ldg(xr + i);
        }
    }
    for (int i = tid; i < len; i += 1024) {
        cp16(dyn + i, w + start + i);
        if (i < NBS * TG) cp16(dyn + 16 * TG + i, bi + i);
    }
    cp_commit();
    int n = 0;
#pragma unroll
    for (int v = 0; v < 2 * H; v++) {
        int m = len - v * TG - gw * 32;
        n += m < 0 ? 0 : (m > 32 ? 32 : m);
    }
    n *= 4;
    unsigned tk = 0;
    if (g == 1) {                                    // starts when group 0 has summed its first row
        cp_wait_all();
        bar_sync(0, 1024);
        if (1 < rows) {
#pragma unroll
            for (int j = 0; j < H; j++) {
                int i = j * TG + t;
                if (i < len) x[j] = __ldg(xr + i);
            }
        } else if (t == 0) tk = take_exit();
    }

    for (int row = g; row < rows; row += 2) {
        float k = __shfl_sync(FULL, x[0].x, 0), s = 0.f, q = 0.f;
#pragma unroll
        for (int j = 0; j < H; j++) {
            int i = j * TG + t;
            if (i < len) acc4(x[j], k, s, q);
            if (i + H * TG < len) x[j] = __ldg(xr + i + H * TG);
        }
#pragma unroll
        for (int j = 0; j < H; j++)
            if (j * TG + t + H * TG < len) acc4(x[j], k, s, q);
        double2 u = warp_stats(s, q, k, n);
        if (lane == 0) wp[g][gw] = u;
        bar_sync(1 + g, TG);
        if (gw == 0) {
            u = make_double2(0.0, 0.0);
            if (lane < 16) u = wp[g][lane];
            u = lane_sum2<8>(u);
            double nblk = 4.0 * (double)len;
            if (lane == 0) send_pkt(row * nb + blockIdx.x, u, nblk, 1.0 / nblk);
        }
        __syncwarp();
        if (row == 0) {
            cp_wait_all();
            bar_sync(0, 1024);                       // weight and bias are there; group 1 may start
        }
        if (gw == 0) {
            u = get_pkts<MAX_BLK / 32>(row * nb, nb, S, C4, lane);
            if (lane == 0) {
                stat[g] = finish(u.x, u.y, invC, Cd, eps);
                if (row + 2 >= rows) tk = take_exit();
            }
            __syncwarp();
        }
        bar_sync(1 + g, TG);
        const float4 st = stat[g];
#pragma unroll
        for (int j = 0; j < H; j++) {
            int i = j * TG + t, i2 = i + H * TG;
            if (i2 < len) {
                float4 bb = j + H < NBS ? dyn[16 * TG + i2] : __ldg(bi + i2);
                __stcs(yr + i2, norm4(x[j], st, dyn[i2], bb));
            }
            if (i < len) x[j] = __ldcs(xr + i);      // from L2
        }
        const float4* xn = xr + 2 * (long long)C4;
#pragma unroll
        for (int j = 0; j < H; j++) {
            int i = j * TG + t;
            if (i < len) {
                __stcs(yr + i, norm4(x[j], st, dyn[i], dyn[16 * TG + i]));
                if (row + 2 < rows) x[j] = __ldg(xn + i);
            }
        }
        xr = xn;
        yr += 2 * (long long)C4;
    }
    if (gw == 0) {                                   // the last group out clears the packets
        __syncwarp();
        tk = __shfl_sync(FULL, tk, 0);
        if (tk == 2u * (unsigned)nb - 1u) clear_pkts(rows * nb, lane);
    }
}
static void run_long(const float4* in, const float4* w, const float4* b, float4* out, int N, int C4, int S, int grid, double C, float eps) {
    int sm = 28 * 512 * 16;
    cudaFuncSetAttribute(ln_pair, cudaFuncAttributeMaxDynamicSharedMemorySize, sm);
    for (long long r = 0; r < N; r += MAX_ROWS) {
        int n = (int)(N - r < MAX_ROWS ? N - r : MAX_ROWS);
        ln_pair<<<grid, 1024, sm>>>(in + r * C4, w, b, out + r * C4, n, C4, S, 1.0 / C, C, eps);
    }
}

extern "C" void solve(const float* input, const float* weight, const float* bias, float* output, int N, int C, float eps) {
    if (N <= 0 || C <= 0) return;
    const float4* in = (const float4*)input;
    const float4* w = (const float4*)weight;
    const float4* b = (const float4*)bias;
    float4* out = (float4*)output;
    const double Cd = (double)C;
    if (C % 4 == 0 && C >= 4096 && N <= 100000000) {
        int C4 = C / 4;
        int dev = 0, sms = 132;
        cudaGetDevice(&dev);
        cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev);
        if (sms > MAX_BLK) sms = MAX_BLK;
        if (sms < 1) sms = 1;
        if (C4 <= 16384) {
            int S = (C4 + 7) / 8;
            if (S <= 512) {
                ln_cluster<256, 2, false><<<8 * N, 256>>>(in, w, b, out, C4, S, 1.0 / Cd, Cd, eps);
            } else {
                int sm = 8 * 512 * 16;
                cudaFuncSetAttribute(ln_cluster<512, 4, true>, cudaFuncAttributeMaxDynamicSharedMemorySize, sm);
                ln_cluster<512, 4, true><<<8 * N, 512, sm>>>(in, w, b, out, C4, S, 1.0 / Cd, Cd, eps);
            }
            return;
        }
        int S = (C4 + sms - 1) / sms;
        S = (S + 7) & ~7;
        int grid = (C4 + S - 1) / S;
        if (S <= 512) { run_mid(in, w, b, out, N, C4, S, grid, Cd, eps); return; }
        if (S <= 2048) { run_rows4(in, w, b, out, N, C4, S, grid, Cd, eps); return; }
        if (S <= 8192) { run_long(in, w, b, out, N, C4, S, grid, Cd, eps); return; }
    }
    run_fallback(input, weight, bias, output, N, C, eps);
}
