// SPDX-License-Identifier: Apache-2.0
// task: layernorm
// lane: strict
// device: NVIDIA H200 (CUDA 13.0 driver)
// date: 2026-11-15
// commit: 8fecd3c
// made by: warpwright 0.1.0
// model: a fresh instance of a language model per prompt and round
// run: layernorm-1 r3.c1
// median us: 16x4x64x64 7.07, 16x4x128x128 9.89, 16x4x256x256 18.21, 16x4x512x512 64.90, 16x4x1024x1024 227.30
// sha256: b92eb6a28c73ee1d7c4d999c05a3e9024dcd039cf855aca8bcac214802097576

#include <cuda_runtime.h>

#define NT 256
#define NW (NT / 32)
#define U 8
#define CAP (1 << 18)
#define CL 8          // blocks per cluster
#define CV 4          // quads per thread in the cluster path
#define CNT 512       // most threads per block in the cluster path

__device__ double2 g_part[CAP];

// Sums a and b over the warp, results in every lane.
__device__ __forceinline__ void warp_sum2(double& a, double& b) {
    const bool lo = (threadIdx.x & 16) == 0;
    double keep = lo ? a : b;
    const double send = lo ? b : a;
    keep += __shfl_xor_sync(0xffffffffu, send, 16);
#pragma unroll
    for (int o = 8; o > 0; o >>= 1) keep += __shfl_xor_sync(0xffffffffu, keep, o);
    a = __shfl_sync(0xffffffffu, keep, 0);
    b = __shfl_sync(0xffffffffu, keep, 16);
}

__device__ __forceinline__ float norm1(float x, const float4& t, float w, float b) {
    return fmaf(fmaf(x - t.x, t.y, t.z), w, b);
}

__device__ __forceinline__ float4 norm4(const float4& v, const float4& st, const float4& w, const float4& b) {
    float4 o;
    o.x = norm1(v.x, st, w.x, b.x);
    o.y = norm1(v.y, st, w.y, b.y);
    o.z = norm1(v.z, st, w.z, b.z);
    o.w = norm1(v.w, st, w.w, b.w);
    return o;
}

// Sums about K -> (mean, rstd, correction)
__device__ __forceinline__ float4 finish(double S, double Q, float K, double inv, float eps) {
    const double dmean = S * inv;
    double var = Q * inv - dmean * dmean;
    if (var < 0.0) var = 0.0;
    const float ve = (float)(var + (double)eps);
    const double mean = (double)K + dmean;
    const float mh = (float)mean;
    const float rs = ve > 0.0f ? 1.0f / sqrtf(ve) : 0.0f;
    return make_float4(mh, rs, -(float)(mean - (double)mh) * rs, 0.0f);
}

// Elements 4*q .. 4*q+3 of a row of C floats; zero beyond the end.
__device__ __forceinline__ float4 load4(const float* __restrict__ p, int q, int C, bool vec) {
    if (vec) return __ldg(reinterpret_cast<const float4*>(p) + q);
    const long long i = 4LL * q;
    float4 v = make_float4(0.f, 0.f, 0.f, 0.f);
    v.x = __ldg(p + i);
    if (i + 1 < C) v.y = __ldg(p + i + 1);
    if (i + 2 < C) v.z = __ldg(p + i + 2);
    if (i + 3 < C) v.w = __ldg(p + i + 3);
    return v;
}

__device__ __forceinline__ void add4(const float4& v, float kt, float& s, float& q) {
    const float d0 = v.x - kt, d1 = v.y - kt, d2 = v.z - kt, d3 = v.w - kt;
    s += (d0 + d1) + (d2 + d3);
    q = fmaf(d0, d0, q);
    q = fmaf(d1, d1, q);
    q = fmaf(d2, d2, q);
    q = fmaf(d3, d3, q);
}

// Sums of n values about kt become sums about K.
__device__ __forceinline__ void reshift(double& S, double& Q, int cnt, float kt, float K) {
    const double dm = (double)kt - (double)K;
    const double n = (double)cnt;
    Q = Q + 2.0 * dm * S + n * dm * dm;
    S = S + n * dm;
}

// phase 0: a cluster of CL blocks per row, everything in one launch (C a multiple of 4)
// phase 1: block = (chunk, row), sums about the row's first element
// phase 2: block = (tile of NT quads, group of rpg rows), normalise
__global__ void __launch_bounds__(CNT, 2)
layernorm_kernel(const float* __restrict__ input, const float* __restrict__ weight,
                 const float* __restrict__ bias, float* __restrict__ output,
                 int rows, int C, float eps, double inv, int chunk, int P, int rpg, int groups, int phase)
{
    __shared__ double2 red[CL * (CNT / 32)];
    __shared__ float4 stat[U];
    const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
    const int C4 = (int)(((long long)C + 3) >> 2);

    if (phase == 0) {
        // The other blocks of the cluster have started once this barrier completes.
        asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
        const int nt = (int)blockDim.x, nw = nt >> 5;
        const int row = (int)(blockIdx.x / CL);
        const int rank = (int)(blockIdx.x % CL);
        const float* __restrict__ xr = input + (size_t)row * (size_t)C;
        const float4* __restrict__ x4 = reinterpret_cast<const float4*>(xr);
        const float4* __restrict__ w4 = reinterpret_cast<const float4*>(weight);
        const float4* __restrict__ b4 = reinterpret_cast<const float4*>(bias);
        float4* __restrict__ y4 = reinterpret_cast<float4*>(output + (size_t)row * (size_t)C);
        const int q0 = rank * nt + tid;
        const int step = CL * nt;

        float4 v[CV], w[CV];
#pragma unroll
        for (int j = 0; j < CV; j++) {
            v[j] = make_float4(0.f, 0.f, 0.f, 0.f);
            if (q0 + j * step < C4) v[j] = __ldg(x4 + q0 + j * step);
        }
        const float K = __ldg(xr);
#pragma unroll
        for (int j = 0; j < CV; j++) {
            w[j] = make_float4(0.f, 0.f, 0.f, 0.f);
            if (q0 + j * step < C4) {
                w[j] = __ldg(w4 + q0 + j * step);
                asm volatile("prefetch.global.L2 [%0];" :: "l"(b4 + q0 + j * step));
            }
        }
        const float kt = v[0].x;
        float s = 0.0f, q = 0.0f;
        int cnt = 0;
#pragma unroll
        for (int j = 0; j < CV; j++)
            if (q0 + j * step < C4) {
                add4(v[j], kt, s, q);
                cnt += 4;
            }
        double S = (double)s, Q = (double)q;
        reshift(S, Q, cnt, kt, K);
        warp_sum2(S, Q);

        asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
        if (lane < CL) {
            const unsigned a = (unsigned)__cvta_generic_to_shared(&red[rank * nw + warp]);
            unsigned ra;
            asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(ra) : "r"(a), "r"(lane));
            asm volatile("st.shared::cluster.v2.f64 [%0], {%1, %2};" :: "r"(ra), "d"(S), "d"(Q) : "memory");
        }
        __syncwarp();
        asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
        float4 b[CV];
#pragma unroll
        for (int j = 0; j < CV; j++) {
            b[j] = make_float4(0.f, 0.f, 0.f, 0.f);
            if (q0 + j * step < C4) b[j] = __ldg(b4 + q0 + j * step);
        }
        asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");

        S = 0.0;
        Q = 0.0;
        for (int i = lane; i < CL * nw; i += 32) {
            const double2 t = red[i];
            S += t.x;
            Q += t.y;
        }
        warp_sum2(S, Q);
        const float4 st = finish(S, Q, K, inv, eps);
#pragma unroll
        for (int j = 0; j < CV; j++)
            if (q0 + j * step < C4) __stcs(y4 + q0 + j * step, norm4(v[j], st, w[j], b[j]));
        return;
    }

    const bool vec = (C & 3) == 0;

    if (phase == 1) {
        asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
        const int row = (int)(blockIdx.x % (unsigned)rows);
        const int p = (int)(blockIdx.x / (unsigned)rows);
        const float* __restrict__ x = input + (size_t)row * (size_t)C;
        const float K = __ldg(x);
        const int begin = (int)((long long)p * chunk);
        const int end = (int)min((long long)begin + chunk, (long long)C4);
        double S = 0.0, Q = 0.0;
        float kt = 0.0f;
        int cnt = 0;

        if (vec) {
            const float4* __restrict__ x4 = reinterpret_cast<const float4*>(x);
            int c = begin + tid;
            bool fresh = true;
            for (; c + (U - 1) * NT < end; c += U * NT) {
                float4 v[U];
#pragma unroll
                for (int u = 0; u < U; u++) v[u] = __ldg(x4 + c + u * NT);
                if (fresh) { kt = v[0].x; fresh = false; }
                float s = 0.0f, q = 0.0f;
#pragma unroll
                for (int u = 0; u < U; u++) add4(v[u], kt, s, q);
                S += (double)s;
                Q += (double)q;
                cnt += 4 * U;
            }
            if (c < end) {
                float4 v[U];
#pragma unroll
                for (int u = 0; u < U; u++) {
                    v[u] = make_float4(0.f, 0.f, 0.f, 0.f);
                    if (c + u * NT < end) v[u] = __ldg(x4 + c + u * NT);
                }
                if (fresh) kt = v[0].x;
                float s = 0.0f, q = 0.0f;
#pragma unroll
                for (int u = 0; u < U; u++)
                    if (c + u * NT < end) {
                        add4(v[u], kt, s, q);
                        cnt += 4;
                    }
                S += (double)s;
                Q += (double)q;
            }
        } else {
            const long long e1 = min(4LL * end, (long long)C);
            long long i = 4LL * begin + tid;
            if (i < e1) kt = __ldg(x + i);
            for (; i < e1; i += (long long)U * NT) {
                float v[U];
#pragma unroll
                for (int u = 0; u < U; u++) v[u] = (i + u * NT < e1) ? __ldg(x + i + u * NT) : kt;
                float s = 0.0f, q = 0.0f;
#pragma unroll
                for (int u = 0; u < U; u++)
                    if (i + u * NT < e1) {
                        const float d = v[u] - kt;
                        s += d;
                        q = fmaf(d, d, q);
                        cnt++;
                    }
                S += (double)s;
                Q += (double)q;
            }
        }
        if (cnt > 0) reshift(S, Q, cnt, kt, K);
        warp_sum2(S, Q);
        if (lane == 0) red[warp] = make_double2(S, Q);
        __syncthreads();
        if (tid == 0) {
            double a = 0.0, b = 0.0;
#pragma unroll
            for (int i = 0; i < NW; i++) {
                const double2 t = red[i];
                a += t.x;
                b += t.y;
            }
            g_part[(size_t)row * P + p] = make_double2(a, b);
        }
        return;
    }

    // ---- phase 2 ----
    const int g = (int)(blockIdx.x % (unsigned)groups);
    const int t = (int)(blockIdx.x / (unsigned)groups);
    const int tpc = chunk / NT;                 // tiles per chunk
    const int p = t % P;
    const int pos = tpc - 1 - t / P;            // from the chunk ends backwards
    const long long ql = (long long)p * chunk + (long long)pos * NT + tid;
    const bool live = ql < C4;
    const int qd = live ? (int)ql : 0;
    const int r0 = g * rpg;
    const int nr = min(rpg, rows - r0);
    const float* __restrict__ x = input + (size_t)r0 * (size_t)C;
    float* __restrict__ y = output + (size_t)r0 * (size_t)C;

    float4 w = make_float4(0.f, 0.f, 0.f, 0.f), b = w;
    float4 v[U];
#pragma unroll
    for (int u = 0; u < U; u++) {
        v[u] = make_float4(0.f, 0.f, 0.f, 0.f);
        if (live && u < nr) v[u] = load4(x + (size_t)u * (size_t)C, qd, C, vec);
    }
    if (live) {
        w = load4(weight, qd, C, vec);
        b = load4(bias, qd, C, vec);
    }
    float K = 0.0f;
    if (warp < nr) K = __ldg(x + (size_t)warp * (size_t)C);

    asm volatile("griddepcontrol.wait;" ::: "memory");

    if (warp < nr) {                            // NW == U: one warp per row
        double S = 0.0, Q = 0.0;
        for (int i = lane; i < P; i += 32) {
            const double2 d = __ldcg(&g_part[(size_t)(r0 + warp) * P + i]);
            S += d.x;
            Q += d.y;
        }
        warp_sum2(S, Q);
        if (lane == 0) stat[warp] = finish(S, Q, K, inv, eps);
    }
    __syncthreads();
    if (!live) return;

#pragma unroll
    for (int u = 0; u < U; u++) {
        if (u < nr) {
            const float4 o = norm4(v[u], stat[u], w, b);
            float* yr = y + (size_t)u * (size_t)C;
            if (vec) {
                __stcs(reinterpret_cast<float4*>(yr) + qd, o);
            } else {
                const long long i = 4LL * qd;
                yr[i] = o.x;
                if (i + 1 < C) yr[i + 1] = o.y;
                if (i + 2 < C) yr[i + 2] = o.z;
                if (i + 3 < C) yr[i + 3] = o.w;
            }
        }
    }
}

extern "C" void solve(const float* input, const float* weight, const float* bias, float* output, int N, int C, float eps)
{
    const long long C4 = ((long long)C + 3) / 4;
    const double inv = 1.0 / (double)C;

    if ((C & 3) == 0 && C >= 2048 && C4 <= (long long)CL * CNT * CV && N <= (1 << 24)) {
        // Two quads per thread while blocks are small, up to four after that.
        long long nt = (C4 + CL * 2 - 1) / (CL * 2);
        nt = (nt + 31) / 32 * 32;
        if (nt > CNT) nt = CNT;
        cudaLaunchConfig_t cfg = {};
        cfg.gridDim = dim3((unsigned)N * CL);
        cfg.blockDim = dim3((unsigned)nt);
        cfg.dynamicSmemBytes = 0;
        cfg.stream = 0;
        cudaLaunchAttribute attr[1];
        attr[0].id = cudaLaunchAttributeClusterDimension;
        attr[0].val.clusterDim.x = CL;
        attr[0].val.clusterDim.y = 1;
        attr[0].val.clusterDim.z = 1;
        cfg.attrs = attr;
        cfg.numAttrs = 1;
        cudaLaunchKernelEx(&cfg, layernorm_kernel, input, weight, bias, output, N, C, eps, inv,
                           0, 1, 1, 1, 0);
        return;
    }

    // About one wave of blocks (4 per SM) in the first launch.
    long long P = 512 / N;
    if (P < 1) P = 1;
    const long long most = (C4 + 511) / 512;
    if (P > most) P = most;
    long long chunk = (C4 + P - 1) / P;
    chunk = (chunk + NT - 1) / NT * NT;
    P = (C4 + chunk - 1) / chunk;
    const long long tiles = P * (chunk / NT);

    // Rows per block in the second launch: as many as still fill the device.
    int rpg = U;
    while (rpg > 1 && tiles * (((long long)N + rpg - 1) / rpg) < 240) rpg >>= 1;

    long long batch = CAP / P;
    const long long fit = (1LL << 30) / tiles * rpg;      // keeps the grid below 2^31
    if (batch > fit) batch = fit;
    if (batch < 1) batch = 1;

    for (long long r0 = 0; r0 < N; r0 += batch) {
        const int rows = (int)((N - r0 < batch) ? (N - r0) : batch);
        const int groups = (rows + rpg - 1) / rpg;
        const float* in = input + (size_t)r0 * (size_t)C;
        float* out = output + (size_t)r0 * (size_t)C;
        layernorm_kernel<<<(unsigned)(rows * P), NT>>>(in, weight, bias, out, rows, C, eps, inv,
                                                      (int)chunk, (int)P, rpg, groups, 1);

        cudaLaunchConfig_t cfg = {};
        cfg.gridDim = dim3((unsigned)(tiles * groups));
        cfg.blockDim = dim3(NT);
        cfg.dynamicSmemBytes = 0;
        cfg.stream = 0;
        cudaLaunchAttribute attr[1];
        attr[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
        attr[0].val.programmaticStreamSerializationAllowed = 1;
        cfg.attrs = attr;
        cfg.numAttrs = 1;
        cudaLaunchKernelEx(&cfg, layernorm_kernel, in, weight, bias, out, rows, C, eps, inv,
                           (int)chunk, (int)P, rpg, groups, 2);
    }
}
