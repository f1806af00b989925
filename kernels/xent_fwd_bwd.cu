// SPDX-License-Identifier: Apache-2.0
// task: xent_fwd_bwd
// rules: strict
// device: NVIDIA H200 (CUDA 13.0 driver)
// date: 2026-11-19
// commit: 1747a62
// made by: warpwright 0.2.0
// model: Claude, one conversation, four answers
// run: xent_fwd_bwd-1 r2.c1
// median us: 16x128256 9.18, 64x128256 16.46, 256x128256 42.03, 512x128256 77.66, 1024x128256 147.49
// sha256: a3c3fafe17a31133ba1ca7c2e4dba5bae9b60d8fd17f6c61699916aa46807e83

#include <cuda_runtime.h>
#include <cuda_fp16.h>

#define THREADS 256  // tune: THREADS = 256, 512
#define UNR 8        // tune: UNR = 4, 8
#define OCC 4        // tune: OCC = 2, 3, 4
#define CL 8         // tune: CL = 4, 8
#define SPEC_ROWS 128 // tune: SPEC_ROWS = 128, 4096
// tune: require THREADS * OCC <= 2048
// tune: require THREADS * OCC * (UNR * 4 + 16) <= 65536
// tune: require THREADS * UNR * CL >= 16384

#define NWARP (THREADS / 32)
#define ENT (CL * NWARP)
#define FILL2 0xFBFFFBFFu   // two halves of -65504
#define LOG2E 1.4426950408889634f
#define LN2 0.6931471805599453f
#define SLACK 60.0f

__device__ unsigned long long g_loss_state = 0ull;

__device__ __forceinline__ float ex2(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
__device__ __forceinline__ uint4 ldstream(const uint4* p) {
    uint4 v;
    asm("ld.global.nc.L1::no_allocate.v4.u32 {%0,%1,%2,%3}, [%4];"
        : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p));
    return v;
}
__device__ __forceinline__ __half2 h2(const unsigned& u) { return *reinterpret_cast<const __half2*>(&u); }
__device__ __forceinline__ __half2 vmax2(const uint4& v) {
    return __hmax2(__hmax2(h2(v.x), h2(v.y)), __hmax2(h2(v.z), h2(v.w)));
}
__device__ __forceinline__ float hmaxf(__half2 m) {
    float2 f = __half22float2(m);
    return fmaxf(f.x, f.y);
}
__device__ __forceinline__ float e2sum(unsigned u, float c) {
    float2 f = __half22float2(h2(u));
    return ex2(fmaf(f.x, LOG2E, -c)) + ex2(fmaf(f.y, LOG2E, -c));
}
__device__ __forceinline__ float vsum(const uint4& v, float c) {
    return (e2sum(v.x, c) + e2sum(v.y, c)) + (e2sum(v.z, c) + e2sum(v.w, c));
}
__device__ __forceinline__ unsigned out2(unsigned u, float cf) {
    float2 f = __half22float2(h2(u));
    __half2 r = __floats2half2_rn(ex2(fmaf(f.x, LOG2E, -cf)), ex2(fmaf(f.y, LOG2E, -cf)));
    return *reinterpret_cast<unsigned*>(&r);
}
__device__ __forceinline__ uint4 vout(const uint4& v, float cf) {
    return make_uint4(out2(v.x, cf), out2(v.y, cf), out2(v.z, cf), out2(v.w, cf));
}
__device__ __forceinline__ float warp_max(float c) {
    int k = __float_as_int(c);
    k ^= (k >> 31) & 0x7fffffff;
    k = __reduce_max_sync(0xffffffffu, k);
    k ^= (k >> 31) & 0x7fffffff;
    return __int_as_float(k);
}
__device__ __forceinline__ void warp_combine(float& c, float& s) {
    const float C = warp_max(c);
    s *= ex2(c - C);
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
    c = C;
}
__device__ __forceinline__ void cluster_arrive() { asm volatile("barrier.cluster.arrive.aligned;" ::: "memory"); }
__device__ __forceinline__ void cluster_wait() { asm volatile("barrier.cluster.wait.aligned;" ::: "memory"); }

__global__ void __cluster_dims__(CL, 1, 1) __launch_bounds__(THREADS, OCC)
xent_kernel(const __half* __restrict__ logits, const int* __restrict__ labels, float* __restrict__ loss,
            __half* __restrict__ dlogits, int N, int V, float grad_scale)
{
    __shared__ __align__(16) float2 peers[ENT];
    __shared__ int redT[32];

    const int tid = threadIdx.x;
    const int lane = tid & 31, warp = tid >> 5;
    const unsigned rank = blockIdx.x % CL;
    const unsigned row = blockIdx.x / CL;

    cluster_arrive();

    const unsigned rs = row * (unsigned)V, re = rs + (unsigned)V;
    const unsigned a = min((rs + 7u) & ~7u, re);
    const unsigned b = max(re & ~7u, a);
    const unsigned head = a - rs, tail = re - b;
    const unsigned nv = (b - a) >> 3;
    const unsigned chunk = ((nv + CL - 1) / CL + 7u) & ~7u;
    const unsigned lo = rank * chunk;
    const unsigned cnt = lo < nv ? min(chunk, nv - lo) : 0u;

    bool skip = false;
    if (N > SPEC_ROWS) skip = __ldg(labels + row) < 0;

    const uint4* src = reinterpret_cast<const uint4*>(logits + a) + lo;
    uint4* dst = reinterpret_cast<uint4*>(dlogits + a) + lo;

    const unsigned lim = skip ? 0u : cnt;
    uint4 d[UNR];
#pragma unroll
    for (int i = 0; i < UNR; i++) {
        const unsigned idx = tid + i * THREADS;
        d[i] = make_uint4(FILL2, FILL2, FILL2, FILL2);
        if (idx < lim) d[i] = ldstream(src + idx);
    }

    // edge elements (rows that do not begin or end at 16 bytes)
    bool has_e = false;
    unsigned epos = 0;
    float xe = -65504.f;
    if (rank == 0 && tid < 16) {
        if (tid < 8) {
            if ((unsigned)tid < head) { has_e = true; epos = rs + tid; }
        } else {
            if ((unsigned)(tid - 8) < tail) { has_e = true; epos = b + (tid - 8); }
        }
        if (has_e) xe = __half2float(logits[epos]);
    }

    // the label and who owns its element
    const int lab = __ldg(labels + row);
    bool owner = false;
    unsigned lpos = 0;
    float xl = 0.f;
    if (lab >= 0) {
        lpos = rs + (unsigned)lab;
        unsigned orank = 0, otid;
        if (lpos < a) otid = lpos - rs;
        else if (lpos >= b) otid = 8 + lpos - b;
        else {
            const unsigned vi = (lpos - a) >> 3;
            orank = vi / chunk;
            otid = (vi - orank * chunk) % THREADS;
        }
        owner = (orank == rank) && (otid == (unsigned)tid);
        if (owner) xl = __half2float(logits[lpos]);
    }

    // number of tokens that count
    int t = 0;
    for (int j = tid * 4; j < N; j += THREADS * 4) {
        if (j + 3 < N) {
            const int4 q = __ldg(reinterpret_cast<const int4*>(labels + j));
            t += (q.x >= 0) + (q.y >= 0) + (q.z >= 0) + (q.w >= 0);
        } else {
            for (int q = j; q < N; q++) t += (__ldg(labels + q) >= 0);
        }
    }
    t = __reduce_add_sync(0xffffffffu, t);
    if (lane == 0) redT[warp] = t;

    // sum against a lazy reference, in the order in which the loads arrive
    float c = fmaxf(hmaxf(__hmax2(vmax2(d[0]), vmax2(d[1]))), xe) * LOG2E;
    float s = has_e ? ex2(fmaf(xe, LOG2E, -c)) : 0.f;
    s += vsum(d[0], c);
    s += vsum(d[1], c);
#pragma unroll
    for (int i = 2; i < UNR; i += 2) {
        const float m = hmaxf(__hmax2(vmax2(d[i]), vmax2(d[i + 1]))) * LOG2E;
        if (m > c + SLACK) { s *= ex2(c - m); c = m; }
        s += vsum(d[i], c);
        s += vsum(d[i + 1], c);
    }
    for (unsigned idx = tid + UNR * THREADS; idx < lim; idx += THREADS) {
        const uint4 v = ldstream(src + idx);
        const float m = hmaxf(vmax2(v)) * LOG2E;
        if (m > c + SLACK) { s *= ex2(c - m); c = m; }
        s += vsum(v, c);
    }
    __syncwarp();
    warp_combine(c, s);

    cluster_wait();      // all blocks of the cluster have begun
    if (lane < CL) {
        const unsigned la = (unsigned)__cvta_generic_to_shared(&peers[rank * NWARP + warp]);
        unsigned ra;
        asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(ra) : "r"(la), "r"(lane));
        asm volatile("st.shared::cluster.v2.f32 [%0], {%1, %2};" :: "r"(ra), "f"(c), "f"(s) : "memory");
    }
    __syncwarp();
    cluster_arrive();
    cluster_wait();

    float C = -2.0e5f, S = 0.f;
    {
        float2 e[(ENT + 31) / 32];
#pragma unroll
        for (int i = 0; i < (ENT + 31) / 32; i++) {
            e[i] = make_float2(-2.0e5f, 0.f);
            if (lane + i * 32 < ENT) e[i] = peers[lane + i * 32];
            C = fmaxf(C, e[i].x);
        }
#pragma unroll
        for (int i = 0; i < (ENT + 31) / 32; i++) S += e[i].y * ex2(e[i].x - C);
    }
    warp_combine(C, S);
    int T = lane < NWARP ? redT[lane] : 0;
    T = __reduce_add_sync(0xffffffffu, T);

    const float g = lab >= 0 ? grad_scale / (float)T : 0.f;
    const float k = g / S;
    const float cf = C - log2f(k);     // +inf (all outputs 0) where g = 0

    unsigned long long mine = 0, old = 0;
    if (owner) {
        const float l = (fmaf(-xl, LOG2E, C) + log2f(S)) * LN2;
        mine = (1ull << 51) + (unsigned long long)((double)fmaxf(l, 0.f) * 268435456.0 + 0.5);
        old = atomicAdd(&g_loss_state, mine);
    }

#pragma unroll
    for (int i = 0; i < UNR; i++) {
        const unsigned idx = tid + i * THREADS;
        if (idx < cnt) dst[idx] = vout(d[i], cf);
    }
    for (unsigned idx = tid + UNR * THREADS; idx < cnt; idx += THREADS) {
        uint4 o = make_uint4(0u, 0u, 0u, 0u);
        if (!skip) o = vout(ldstream(src + idx), cf);
        dst[idx] = o;
    }
    if (has_e) dlogits[epos] = __float2half_rn(ex2(fmaf(xe, LOG2E, -cf)));

    if (owner) {
        dlogits[lpos] = __float2half_rn(fmaf(ex2(fmaf(xl, LOG2E, -C)), k, -g));
        if ((old >> 51) == (unsigned long long)(T - 1)) {
            const unsigned long long tot = (old + mine) & ((1ull << 51) - 1ull);
            *loss = (float)((double)tot * (1.0 / 268435456.0) / (double)T);
            atomicExch(&g_loss_state, 0ull);
        }
    }
    if (T == 0 && blockIdx.x == 0 && tid == 0) *loss = 0.f;
}

extern "C" void solve(const __half* logits, const int* labels, float* loss, __half* dlogits, int N, int V, float grad_scale)
{
    xent_kernel<<<N * CL, THREADS>>>(logits, labels, loss, dlogits, N, V, grad_scale);
}
