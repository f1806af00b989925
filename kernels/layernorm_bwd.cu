// SPDX-License-Identifier: Apache-2.0
// task: layernorm_bwd
// rules: free
// device: NVIDIA H200 (CUDA 13.0 driver)
// date: 2026-11-18
// commit: 77b9da8
// made by: warpwright 0.2.0
// model: Claude, a conversation of its own
// run: layernorm_bwd-1 r2.c3
// median us: 256x768 5.92, 4096x768 20.34, 4096x4096 63.44, 16384x4096 214.38, 65536x1024 211.90
// sha256: 00c73870ee907bbad468288271c4299cf8b3ab5612b429a6299e21bfb56acf79

#include <cuda_runtime.h>

#define MAXGRID 320
#define DEPTH 6   // tune: DEPTH = 4, 6
#define FULL 0xffffffffu

__device__ float4 g_part[MAXGRID * 2048];

__device__ __forceinline__ float4 add4(float4 a, float4 b) {
    return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}
__device__ __forceinline__ float4 zero4() { return make_float4(0.f, 0.f, 0.f, 0.f); }
__device__ __forceinline__ float4 norm4(float4 x, float mu, float rs) {
    return make_float4((x.x - mu) * rs, (x.y - mu) * rs, (x.z - mu) * rs, (x.w - mu) * rs);
}
__device__ __forceinline__ void fma4(float4& a, float4 b, float4 c) {
    a.x = fmaf(b.x, c.x, a.x); a.y = fmaf(b.y, c.y, a.y);
    a.z = fmaf(b.z, c.z, a.z); a.w = fmaf(b.w, c.w, a.w);
}
__device__ __forceinline__ float4 mul4(float4 a, float4 b) {
    return make_float4(a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w);
}
__device__ __forceinline__ float4 out4(float4 g, float4 h, float a, float b, float rs) {
    return make_float4(rs * (g.x - a - h.x * b), rs * (g.y - a - h.y * b),
                       rs * (g.z - a - h.z * b), rs * (g.w - a - h.w * b));
}

// Sums M values over the lanes (those that agree modulo LAST); lane holds value lane / (32 / M).
template <int M, int LAST>
__device__ __forceinline__ float treduce(float (&v)[M], int lane) {
#pragma unroll
    for (int k = M / 2; k >= 1; k >>= 1) {
        const int o = 32 * k / M;
        const bool up = (lane & o) != 0;
#pragma unroll
        for (int i = 0; i < k; i++) {
            float send = up ? v[i] : v[i + k];
            float keep = up ? v[i + k] : v[i];
            v[i] = keep + __shfl_xor_sync(FULL, send, o);
        }
    }
    float r = v[0];
#pragma unroll
    for (int o = 16 / M; o >= LAST; o >>= 1) r += __shfl_xor_sync(FULL, r, o);
    return r;
}

__device__ __forceinline__ void cpa16(const float4* dst, const float4* src) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(dst)),
                 "l"(src) : "memory");
}

// V vectors per thread and row; D rows in flight per group
template <int V, int D>
__global__ void __launch_bounds__(512, 2)
ln_main(const float4* __restrict__ dy, const float4* __restrict__ x, const float4* __restrict__ wt,
        const float* __restrict__ mean, const float* __restrict__ rstd, float4* __restrict__ dx,
        int N, int C4) {
    extern __shared__ float4 dsm[];
    __shared__ float red[2][16][2];
    const int tx = threadIdx.x, gy = threadIdx.y, T = blockDim.x, G = blockDim.y, B = T * G;
    const int tid = gy * T + tx, lane = tid & 31, warp = tid >> 5;
    const int nwg = T >> 5, wbase = gy * nwg;
    const float invC = 1.0f / (float)(4 * C4);
    const int r0 = (int)((long long)N * blockIdx.x / gridDim.x);
    const int r1 = (int)((long long)N * (blockIdx.x + 1) / gridDim.x);
    const int first = r0 + gy;
    float4* ring = dsm + tid;           // slot (stage, v, array) at ((stage * V + v) * 2 + array) * B

    auto issue = [&](int r, int st) {
        if (r < r1) {
            const size_t o = (size_t)r * C4;
#pragma unroll
            for (int v = 0; v < V; v++) {
                const int c = tx + v * T;
                if (c < C4) {
                    cpa16(ring + ((st * V + v) * 2 + 0) * B, dy + o + c);
                    cpa16(ring + ((st * V + v) * 2 + 1) * B, x + o + c);
                }
            }
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
    };

    for (int k = 0; k < D; k++) issue(first + k * G, k);
    float4 w[V], aw[V], ab[V];
#pragma unroll
    for (int v = 0; v < V; v++) {
        const int c = tx + v * T;
        w[v] = c < C4 ? __ldg(wt + c) : zero4();
        aw[v] = zero4();
        ab[v] = zero4();
    }
    float mu = 0.f, rs = 0.f;
    if (first < r1) {
        mu = __ldg(mean + first);
        rs = __ldg(rstd + first);
    }
    int st = 0, buf = 0;
    for (int r = first; r < r1; r += G) {
        float mu2 = 0.f, rs2 = 0.f;
        if (r + G < r1) {
            mu2 = __ldg(mean + r + G);
            rs2 = __ldg(rstd + r + G);
        }
        asm volatile("cp.async.wait_group %0;" ::"n"(D - 1) : "memory");
        float4 d[V], h[V];
        float p[2] = {0.f, 0.f};
#pragma unroll
        for (int v = 0; v < V; v++) {
            d[v] = zero4();
            h[v] = zero4();
            if (tx + v * T < C4) {
                d[v] = ring[((st * V + v) * 2 + 0) * B];
                h[v] = ring[((st * V + v) * 2 + 1) * B];
            }
        }
#pragma unroll
        for (int v = 0; v < V; v++) {
            h[v] = norm4(h[v], mu, rs);
            fma4(aw[v], d[v], h[v]);
            ab[v] = add4(ab[v], d[v]);
            d[v] = mul4(d[v], w[v]);
            p[0] += (d[v].x + d[v].y) + (d[v].z + d[v].w);
            p[1] += (d[v].x * h[v].x + d[v].y * h[v].y) + (d[v].z * h[v].z + d[v].w * h[v].w);
        }
        issue(r + D * G, st);           // the slot was read by this thread alone
        const float mine = treduce<2, 1>(p, lane);
        if ((lane & 15) == 0) red[buf][warp][lane >> 4] = mine;
        asm volatile("bar.sync %0, %1;" ::"r"(gy + 1), "r"(T) : "memory");
        float q = (lane & 15) < nwg ? red[buf][wbase + (lane & 15)][lane >> 4] : 0.f;
#pragma unroll
        for (int o = 8; o; o >>= 1) q += __shfl_xor_sync(FULL, q, o);
        const float a = __shfl_sync(FULL, q, 0) * invC;
        const float b = __shfl_sync(FULL, q, 16) * invC;
        float4* out = dx + (size_t)r * C4;
#pragma unroll
        for (int v = 0; v < V; v++) {
            const int c = tx + v * T;
            if (c < C4) out[c] = out4(d[v], h[v], a, b, rs);
        }
        mu = mu2;
        rs = rs2;
        buf ^= 1;
        if (++st == D) st = 0;
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
    const int tot = 2 * C4;
    float4* part = g_part + (size_t)blockIdx.x * tot;
    if (G == 1) {
#pragma unroll
        for (int v = 0; v < V; v++) {
            const int c = tx + v * T;
            if (c < C4) {
                part[c] = aw[v];
                part[C4 + c] = ab[v];
            }
        }
        return;
    }
    __syncthreads();
#pragma unroll
    for (int v = 0; v < V; v++) {
        const int c = tx + v * T;
        if (c < C4) {
            dsm[gy * tot + c] = aw[v];
            dsm[gy * tot + C4 + c] = ab[v];
        }
    }
    __syncthreads();
    for (int i = tid; i < tot; i += B) {
        float4 s = dsm[i];
        for (int g = 1; g < G; g++) s = add4(s, dsm[g * tot + i]);
        part[i] = s;
    }
}

// sums the partials: 8 vector columns per block, 64 parts
__global__ void __launch_bounds__(512)
ln_fin(float4* __restrict__ dw, float4* __restrict__ db, int nb, int C4) {
    __shared__ float4 sm[16][8];
    asm volatile("griddepcontrol.wait;" ::: "memory");
    const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5, tot = 2 * C4;
    const int c = blockIdx.x * 8 + (tid & 7);
    float4 s = zero4();
    if (c < tot) {
#pragma unroll 5
        for (int p = tid >> 3; p < nb; p += 64) s = add4(s, __ldcg(&g_part[(size_t)p * tot + c]));
    }
#pragma unroll
    for (int o = 8; o <= 16; o <<= 1) {
        s.x += __shfl_xor_sync(FULL, s.x, o);
        s.y += __shfl_xor_sync(FULL, s.y, o);
        s.z += __shfl_xor_sync(FULL, s.z, o);
        s.w += __shfl_xor_sync(FULL, s.w, o);
    }
    if (lane < 8) sm[warp][lane] = s;
    __syncthreads();
    if (tid < 8 && c < tot) {
        s = sm[0][tid];
#pragma unroll
        for (int i = 1; i < 16; i++) s = add4(s, sm[i][tid]);
        if (c < C4) dw[c] = s; else db[c - C4] = s;
    }
}

// ---- tiny problems: column blocks (8 columns each) and row blocks (128 threads per row) side by side
__global__ void __launch_bounds__(512)
ln_small(const float4* __restrict__ dy, const float4* __restrict__ x, const float4* __restrict__ wt,
         const float* __restrict__ mean, const float* __restrict__ rstd, float4* __restrict__ dx,
         float* __restrict__ dw, float* __restrict__ db, int N, int C4, int colBlocks) {
    const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
    if ((int)blockIdx.x < colBlocks) {
        __shared__ float sm[16][16];
        const int c0 = (int)blockIdx.x * 2, c = c0 + (tid & 1);
        float4 aw = zero4(), ab = zero4();
        if (c < C4) {
            for (int n = tid >> 1; n < N; n += 256) {
                const size_t o = (size_t)n * C4 + c;
                const float4 d0 = __ldg(dy + o), x0 = __ldg(x + o);
                const float mu = __ldg(mean + n), rs = __ldg(rstd + n);
                fma4(aw, d0, norm4(x0, mu, rs));
                ab = add4(ab, d0);
            }
        }
        float v[8] = {aw.x, aw.y, aw.z, aw.w, ab.x, ab.y, ab.z, ab.w};
        const float r = treduce<8, 2>(v, lane);
        if ((lane & 2) == 0) sm[warp][(lane >> 2) * 2 + (lane & 1)] = r;
        __syncthreads();
        if (tid < 16) {
            float s = 0.f;
#pragma unroll
            for (int i = 0; i < 16; i++) s += sm[i][tid];
            const int k = tid >> 1;
            if (c < C4) {
                if (k < 4) dw[c * 4 + k] = s; else db[c * 4 + k - 4] = s;
            }
        }
    } else {
        __shared__ float2 sr[16];
        const int n = ((int)blockIdx.x - colBlocks) * 4 + (tid >> 7), l = tid & 127;
        const bool ok = n < N;
        const size_t o = (size_t)n * C4;
        float4 d[2], h[2], w[2];
#pragma unroll
        for (int v = 0; v < 2; v++) {
            const int c = v * 128 + l;
            d[v] = zero4();
            h[v] = zero4();
            w[v] = zero4();
            if (ok && c < C4) {
                d[v] = __ldg(dy + o + c);
                h[v] = __ldg(x + o + c);
                w[v] = __ldg(wt + c);
            }
        }
        float mu = 0.f, rs = 0.f;
        if (ok) {
            mu = __ldg(mean + n);
            rs = __ldg(rstd + n);
        }
        float s = 0.f, t = 0.f;
#pragma unroll
        for (int v = 0; v < 2; v++) {
            const float4 g = mul4(d[v], w[v]);
            h[v] = norm4(h[v], mu, rs);
            s += (g.x + g.y) + (g.z + g.w);
            t += (g.x * h[v].x + g.y * h[v].y) + (g.z * h[v].z + g.w * h[v].w);
            d[v] = g;
        }
#pragma unroll
        for (int k = 16; k; k >>= 1) {
            s += __shfl_xor_sync(FULL, s, k);
            t += __shfl_xor_sync(FULL, t, k);
        }
        if (lane == 0) sr[warp] = make_float2(s, t);
        __syncthreads();
        const int wb = warp & ~3;
        const float2 e0 = sr[wb], e1 = sr[wb + 1], e2 = sr[wb + 2], e3 = sr[wb + 3];
        const float invC = 1.0f / (float)(4 * C4);
        s = ((e0.x + e1.x) + (e2.x + e3.x)) * invC;
        t = ((e0.y + e1.y) + (e2.y + e3.y)) * invC;
#pragma unroll
        for (int v = 0; v < 2; v++) {
            const int c = v * 128 + l;
            if (ok && c < C4) dx[o + c] = out4(d[v], h[v], s, t, rs);
        }
    }
}

// ---- generic fallback
__global__ void gen_dx(const float* __restrict__ dy, const float* __restrict__ x,
                       const float* __restrict__ w, const float* __restrict__ mean,
                       const float* __restrict__ rstd, float* __restrict__ dx, int N, int C) {
    __shared__ float sm[2][32];
    const int tx = threadIdx.x, B = blockDim.x;
    for (int n = blockIdx.x * blockDim.y + threadIdx.y; n < N; n += gridDim.x * blockDim.y) {
        const size_t o = (size_t)n * C;
        const float mu = mean[n], rs = rstd[n];
        float s = 0.f, t = 0.f;
        for (int c = tx; c < C; c += B) {
            const float g = dy[o + c] * w[c];
            s += g;
            t += g * ((x[o + c] - mu) * rs);
        }
        for (int k = 16; k; k >>= 1) {
            s += __shfl_xor_sync(FULL, s, k);
            t += __shfl_xor_sync(FULL, t, k);
        }
        if (B > 32) {
            __syncthreads();
            if ((tx & 31) == 0) {
                sm[0][tx >> 5] = s;
                sm[1][tx >> 5] = t;
            }
            __syncthreads();
            s = 0.f;
            t = 0.f;
            for (int i = 0; i < (B >> 5); i++) {
                s += sm[0][i];
                t += sm[1][i];
            }
        }
        const float a = s / (float)C, b = t / (float)C;
        for (int c = tx; c < C; c += B) {
            const float g = dy[o + c] * w[c], h = (x[o + c] - mu) * rs;
            dx[o + c] = rs * (g - a - h * b);
        }
    }
}

__global__ void gen_dw(const float* __restrict__ dy, const float* __restrict__ x,
                       const float* __restrict__ mean, const float* __restrict__ rstd, float* dw,
                       float* db, int N, int C) {
    __shared__ float s1[32][33], s2[32][33];
    const int tx = threadIdx.x, ty = threadIdx.y;
    int c = blockIdx.x * 32 + tx;
    float a = 0.f, b = 0.f;
    if (c < C) {
        for (int n = blockIdx.y * 32 + ty; n < N; n += gridDim.y * 32) {
            const size_t o = (size_t)n * C + c;
            const float d = dy[o];
            a += d * ((x[o] - mean[n]) * rstd[n]);
            b += d;
        }
    }
    s1[ty][tx] = a;
    s2[ty][tx] = b;
    __syncthreads();
    a = s1[tx][ty];
    b = s2[tx][ty];
    for (int k = 16; k; k >>= 1) {
        a += __shfl_xor_sync(FULL, a, k);
        b += __shfl_xor_sync(FULL, b, k);
    }
    c = blockIdx.x * 32 + ty;
    if (tx == 0 && c < C) {
        atomicAdd(dw + c, a);
        atomicAdd(db + c, b);
    }
}

static void solve_generic(const float* dy, const float* x, const float* weight, const float* mean,
                          const float* rstd, float* dx, float* dw, float* db, int N, int C) {
    cudaMemsetAsync(dw, 0, (size_t)C * 4, 0);
    cudaMemsetAsync(db, 0, (size_t)C * 4, 0);
    dim3 blk = C <= 2048 ? dim3(32, 8) : dim3(512, 1);
    int g = (N + (int)blk.y - 1) / (int)blk.y;
    if (g > 8192) g = 8192;
    gen_dx<<<g, blk>>>(dy, x, weight, mean, rstd, dx, N, C);
    int ch = (N + 255) / 256;
    if (ch > 64) ch = 64;
    gen_dw<<<dim3((C + 31) / 32, ch), dim3(32, 32)>>>(dy, x, mean, rstd, dw, db, N, C);
}

extern "C" void solve(const float* dy, const float* x, const float* weight, const float* mean, const float* rstd, float* dx, float* dw, float* db, int N, int C) {
    if ((C & 3) || C > 4096) {
        solve_generic(dy, x, weight, mean, rstd, dx, dw, db, N, C);
        return;
    }
    const int C4 = C / 4;
    const float4 *dy4 = (const float4*)dy, *x4 = (const float4*)x, *w4 = (const float4*)weight;
    if (C <= 1024 && (long long)N * C <= 400000) {
        const int cb = (C4 + 1) / 2, rb = (N + 3) / 4;
        ln_small<<<cb + rb, 512>>>(dy4, x4, w4, mean, rstd, (float4*)dx, dw, db, N, C4, cb);
        return;
    }
    int dev = 0, sms = 132;
    cudaGetDevice(&dev);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev);
    int grid = 2 * sms < MAXGRID ? 2 * sms : MAXGRID;
    if (grid > N) grid = N;
    if (C4 <= 512) {
        const int T = (C4 + 31) / 32 * 32;
        int G = 512 / T;
        if (G > 8) G = 8;
        const int sm = DEPTH * 2 * T * G * 16;
        cudaFuncSetAttribute(ln_main<1, DEPTH>, cudaFuncAttributeMaxDynamicSharedMemorySize, sm);
        ln_main<1, DEPTH><<<grid, dim3(T, G), sm>>>(dy4, x4, w4, mean, rstd, (float4*)dx, N, C4);
    } else {
        const int T = ((C4 + 1) / 2 + 31) / 32 * 32;
        const int sm = (DEPTH / 2) * 2 * 2 * T * 16;
        cudaFuncSetAttribute(ln_main<2, DEPTH / 2>, cudaFuncAttributeMaxDynamicSharedMemorySize, sm);
        ln_main<2, DEPTH / 2><<<grid, dim3(T, 1), sm>>>(dy4, x4, w4, mean, rstd, (float4*)dx, N, C4);
    }
    cudaLaunchConfig_t cfg = {};
    cfg.gridDim = dim3((2 * C4 + 7) / 8);
    cfg.blockDim = dim3(512);
    cfg.dynamicSmemBytes = 0;
    cfg.stream = 0;
    cudaLaunchAttribute at[1];
    at[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    at[0].val.programmaticStreamSerializationAllowed = 1;
    cfg.attrs = at;
    cfg.numAttrs = 1;
    cudaLaunchKernelEx(&cfg, ln_fin, (float4*)dw, (float4*)db, grid, C4);
}
