// SPDX-License-Identifier: Apache-2.0
// task: xent_fwd_bwd
// rules: strict
// device: NVIDIA H200 (CUDA 13.0 driver)
// date: 2026-11-19
// commit: b38bdfb
// made by: warpwright 0.2.0
// model: Claude, a conversation of its own
// run: evolve/xent_fwd_bwd g4.c3
// median us: 16x128256 9.63, 64x128256 16.17, 256x128256 39.90, 512x128256 70.53, 1024x128256 132.26
// sha256: d0a4aac70627e51bd398d6a6cb4b843ae4f58e4b60816d9fce79a03bf7f7ac86

#include <cuda_runtime.h>
#include <cuda_fp16.h>

#define BIG_T 256      // tune: BIG_T = 128, 256, 512
#define SMALL_T 512    // tune: SMALL_T = 256, 512
#define SEG 4          // tune: SEG = 1, 2, 4
#define SPEC_ROWS 128  // tune: SPEC_ROWS = 128, 4096
#define MINB 4         // tune: MINB = 3, 4
#define SMALL_ROWS 32
#define CL 8
#define MAXT 512
#define CNT_T 256u       // threads that count the labels

#define LOG2E 1.4426950408889634f
#define LN2 0.6931471805599453f

__device__ unsigned long long g_loss_state = 0ull;

__device__ __forceinline__ float ex2(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
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
__device__ __forceinline__ unsigned out2(unsigned u, float c, float k) {
    float2 f = __half22float2(h2(u));
    __half2 r = __floats2half2_rn(ex2(fmaf(f.x, LOG2E, -c)) * k, ex2(fmaf(f.y, LOG2E, -c)) * k);
    return *reinterpret_cast<unsigned*>(&r);
}
__device__ __forceinline__ uint4 vout(const uint4& v, float c, float k) {
    return make_uint4(out2(v.x, c, k), out2(v.y, c, k), out2(v.z, c, k), out2(v.w, c, k));
}
// combine (c, s) over groups of G neighbouring lanes
template <int G>
__device__ __forceinline__ void group_combine(float& c, float& s) {
    float C = c;
#pragma unroll
    for (int o = G / 2; o > 0; o >>= 1) C = fmaxf(C, __shfl_xor_sync(0xffffffffu, C, o));
    s *= ex2(c - C);
#pragma unroll
    for (int o = G / 2; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
    c = C;
}
__device__ __forceinline__ void cluster_arrive_relaxed() { asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory"); }
__device__ __forceinline__ void cluster_wait() { asm volatile("barrier.cluster.wait.aligned;" ::: "memory"); }

__device__ __forceinline__ void mbar_wait(unsigned bar, unsigned phase) {
    unsigned ok = 0;
    while (!ok) {
        asm volatile("{\n\t.reg .pred p;\n\t"
                     "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
                     "selp.u32 %0, 1, 0, p;\n\t}"
                     : "=r"(ok) : "r"(bar), "r"(phase) : "memory");
    }
}

__global__ void __cluster_dims__(CL, 1, 1) __launch_bounds__(MAXT, MINB)
xent_kernel(const __half* __restrict__ logits, const int* __restrict__ labels, float* __restrict__ loss,
            __half* __restrict__ dlogits, int N, int V, float grad_scale)
{
    extern __shared__ __align__(128) uint4 buf[];
    // at most 128 bytes of static shared memory, so that seven blocks fit into an SM
    __shared__ __align__(8) unsigned long long bars[SEG + 1];   // the copies, then the exchange
    __shared__ __align__(8) float2 peers[CL];
    __shared__ unsigned short redT[CNT_T / 32u];

    const unsigned tid = threadIdx.x;
    const unsigned nt = blockDim.x;          // a power of two, at most MAXT
    const unsigned nw = nt >> 5;             // at most 16
    const unsigned ct = min(nt, CNT_T);
    const unsigned lane = tid & 31u, warp = tid >> 5;
    const unsigned rank = blockIdx.x % CL;
    const unsigned row = blockIdx.x / CL;
    const unsigned bar0 = (unsigned)__cvta_generic_to_shared(&bars[0]);
    const unsigned buf0 = (unsigned)__cvta_generic_to_shared(buf);
    const unsigned xbar = bar0 + 8u * SEG;

    const int lab = __ldg(labels + row);

    // geometry of the row and of this block's piece of it
    const unsigned rs = row * (unsigned)V;
    const unsigned re = rs + (unsigned)V;
    const unsigned a = min((rs + 7u) & ~7u, re);
    const unsigned b = max(re & ~7u, a);
    const unsigned nv = (b - a) >> 3;
    const unsigned chunk = ((nv + CL - 1) / CL + 7u) & ~7u;
    const unsigned lo = rank * chunk;
    const unsigned cnt = lo < nv ? min(chunk, nv - lo) : 0u;
    // at least nt, so that vector i < nt is read by thread i alone
    const unsigned seglen = max(((cnt + SEG - 1) / SEG + 7u) & ~7u, nt);

    if (tid == 0) {
#pragma unroll
        for (int p = 0; p <= SEG; p++)
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(bar0 + 8 * p) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(xbar), "r"(CL * 8) : "memory");
    }
    __syncwarp();
    cluster_arrive_relaxed();        // the initialised barriers were released by the fence above
    if (tid == 0) {
        if (N <= SPEC_ROWS || lab >= 0) {
            const uint4* src = reinterpret_cast<const uint4*>(logits + a) + lo;
            for (int p = 0; p < SEG; p++) {
                const unsigned s0 = p * seglen;
                if (s0 >= cnt) break;
                const unsigned bytes = min(seglen, cnt - s0) * 16u;
                const unsigned bar = bar0 + 8 * p;
                asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(bar), "r"(bytes) : "memory");
                asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                             :: "r"(buf0 + s0 * 16u), "l"(src + s0), "r"(bytes), "r"(bar) : "memory");
            }
        }
    }
    __syncwarp();

    // number of tokens that count: one partial sum per warp
    if (tid < ct) {                  // whole warps
        int t = 0;
        for (int j = (int)tid * 4; j < N; j += (int)ct * 4) {
            if (j + 3 < N) {
                const int4 q = __ldg(reinterpret_cast<const int4*>(labels + j));
                t += (q.x >= 0) + (q.y >= 0) + (q.z >= 0) + (q.w >= 0);
            } else {
                for (int q = j; q < N; q++) t += (__ldg(labels + q) >= 0);
            }
        }
        t = __reduce_add_sync(0xffffffffu, t);
        if (lane == 0) redT[warp] = (unsigned short)t;
    }

    // elements before the first and after the last whole vector of the row
    bool has_e = false;
    unsigned epos = 0;
    float xe = -65504.f;
    if (rank == 0 && tid < 16) {
        if (tid < 8) {
            if (tid < a - rs) { has_e = true; epos = rs + tid; }
        } else {
            if (tid - 8 < re - b) { has_e = true; epos = b + (tid - 8); }
        }
        if (has_e) xe = __half2float(logits[epos]);
    }

    uint4* dst = reinterpret_cast<uint4*>(dlogits + a) + lo;
    __syncthreads();         // the mbarriers are initialised, redT is written
    cluster_wait();          // all blocks of the cluster have begun; hidden behind the copies

    if (lab < 0) {           // the same in all blocks of the cluster
        const uint4 z = make_uint4(0u, 0u, 0u, 0u);
        for (unsigned i = tid; i < cnt; i += nt) dst[i] = z;
        if (has_e) dlogits[epos] = __float2half_rn(0.f);
        if (blockIdx.x == 0 && tid == 0) {
            int T = 0;
            for (unsigned i = 0; i < (ct >> 5); i++) T += (int)redT[i];
            if (T == 0) *loss = 0.f;
        }
        if (N <= SPEC_ROWS) {        // it was fetched for nothing: let the copies end before the block does
            for (int p = 0; p < SEG; p++) {
                if (p * seglen >= cnt) break;
                mbar_wait(bar0 + 8 * p, 0u);
            }
        }
        return;
    }

    const unsigned lpos = rs + (unsigned)lab;
    unsigned orank = 0, otid;
    if (lpos < a) otid = lpos - rs;
    else if (lpos >= b) otid = 8 + lpos - b;
    else {
        const unsigned vi = (lpos - a) >> 3;
        orank = vi / chunk;
        otid = (vi - orank * chunk) & (nt - 1u);
    }
    const bool owner = (orank == rank) && (otid == tid);
    float xl = 0.f;
    if (owner) xl = __half2float(logits[lpos]);

    float c = xe * LOG2E;
    float s = has_e ? ex2(fmaf(xe, LOG2E, -c)) : 0.f;

    const uint4 NEG = make_uint4(0xFC00FC00u, 0xFC00FC00u, 0xFC00FC00u, 0xFC00FC00u);   // -infinity
    for (int p = 0; p < SEG; p++) {
        const unsigned s0 = p * seglen;
        if (s0 >= cnt) break;
        const unsigned e0 = min(s0 + seglen, cnt);
        mbar_wait(bar0 + 8 * p, 0u);
        for (unsigned base = s0 + warp * 32u; base < e0; base += 2u * nt) {
            const unsigned idx = base + lane;
            uint4 v = NEG;
            if (idx < e0) v = buf[idx];
            if (base + nt < e0) {            // the same in the whole warp
                uint4 w = NEG;
                if (idx + nt < e0) w = buf[idx + nt];
                const float nc = fmaxf(c, hmaxf(__hmax2(vmax2(v), vmax2(w))) * LOG2E);
                s = s * ex2(c - nc) + (vsum(v, nc) + vsum(w, nc));
                c = nc;
            } else {
                const float nc = fmaxf(c, hmaxf(vmax2(v)) * LOG2E);
                s = s * ex2(c - nc) + vsum(v, nc);
                c = nc;
            }
        }
    }
    __syncwarp();
    group_combine<32>(c, s);

    // The warp's pair replaces half of a vector that this thread alone reads; it is put back below.
    const bool slot = lane == warp;
    unsigned keep_x = 0u, keep_y = 0u;
    if (slot) {
        keep_x = buf[tid].x;
        keep_y = buf[tid].y;
        buf[tid].x = __float_as_uint(c);
        buf[tid].y = __float_as_uint(s);
    }
    __syncwarp();
    if (warp == 0) {
        asm volatile("bar.sync 1, %0;" :: "r"(nt) : "memory");
        c = -2.0e5f;
        s = 0.f;
        if (lane < nw) {
            c = __uint_as_float(buf[lane * 33u].x);
            s = __uint_as_float(buf[lane * 33u].y);
        }
        __syncwarp();
        group_combine<16>(c, s);     // lanes 0 to 15 hold the pair of the block
        if (lane < CL) {             // one message to every block of the cluster
            const unsigned la = (unsigned)__cvta_generic_to_shared(&peers[rank]);
            unsigned ra, rb;
            asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(ra) : "r"(la), "r"(lane));
            asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(rb) : "r"(xbar), "r"(lane));
            asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.f32 [%0], {%1, %2}, [%3];"
                         :: "r"(ra), "f"(c), "f"(s), "r"(rb) : "memory");
        }
        __syncwarp();
    } else {
        asm volatile("bar.arrive 1, %0;" :: "r"(nt) : "memory");
    }

    // while the messages travel
    const int T = __reduce_add_sync(0xffffffffu, lane < (ct >> 5) ? (int)redT[lane] : 0);
    const float g = grad_scale / (float)T;       // T >= 1: this row counts

    mbar_wait(xbar, 0u);     // all pairs are here, so this block's pairs have been read, too
    __syncwarp();
    if (slot) {
        buf[tid].x = keep_x;
        buf[tid].y = keep_y;
    }
    float C, S;
    {
        const float2 e = peers[lane & (CL - 1)];
        C = e.x;
        S = e.y;
        __syncwarp();
        group_combine<CL>(C, S);
    }
    const float k = __fdividef(g, S);

    unsigned long long mine = 0, old = 0;
    if (owner) {
        const float l = (fmaf(-xl, LOG2E, C) + log2f(S)) * LN2;
        mine = (1ull << 51) + (unsigned long long)((double)fmaxf(l, 0.f) * 268435456.0 + 0.5);
        old = atomicAdd(&g_loss_state, mine);
    }

#pragma unroll 4
    for (unsigned i = tid; i < cnt; i += nt) dst[i] = vout(buf[i], C, k);
    if (has_e) dlogits[epos] = __float2half_rn(ex2(fmaf(xe, LOG2E, -C)) * k);

    if (owner) {             // after this thread's own store of the vector around it
        dlogits[lpos] = __float2half_rn(fmaf(ex2(fmaf(xl, LOG2E, -C)), k, -g));
        if ((old >> 51) == (unsigned long long)(T - 1)) {
            const unsigned long long tot = (old + mine) & ((1ull << 51) - 1ull);
            *loss = (float)((double)tot * (1.0 / 268435456.0) / (double)T);
            atomicExch(&g_loss_state, 0ull);
        }
    }
}

extern "C" void solve(const __half* logits, const int* labels, float* loss, __half* dlogits, int N, int V, float grad_scale)
{
    const unsigned maxnv = (unsigned)V / 8u;
    unsigned chunk = ((maxnv + CL - 1) / CL + 7u) & ~7u;
    if (chunk < 8u) chunk = 8u;
    cudaFuncSetAttribute(xent_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 * 1024);
    cudaFuncSetAttribute(xent_kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 100);
    const int threads = N <= SMALL_ROWS ? SMALL_T : BIG_T;
    unsigned smem = chunk * 16u;                    // at most 65536 bytes
    if (smem < (unsigned)threads * 16u) smem = (unsigned)threads * 16u;   // the warps' pairs lie in it
    xent_kernel<<<N * CL, threads, smem>>>(logits, labels, loss, dlogits, N, V, grad_scale);
}
