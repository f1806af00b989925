// SPDX-License-Identifier: Apache-2.0
// task: conv2d
// lane: strict
// device: NVIDIA H200 (CUDA 13.0 driver)
// date: 2026-11-15
// commit: 8fecd3c
// made by: warpwright 0.1.0
// model: a fresh instance of a language model per prompt and round
// run: conv2d-1 r2.c2.fix1
// median us: 128x128 6.42, 256x256 7.81, 512x512 12.93, 1024x1024 36.26, 2048x2048 128.42
// sha256: 41ae67cf109e5c666a3a18ff8dc849dacfc93c485497698111a20a8d0590e765

#include <cuda_runtime.h>

#define ST 160   // floats per shared input row (128 outputs + up to 32 taps)
#define KN 6     // kernel rows per stationary weight patch

struct Params {
    const float* in;
    const float* ker;
    float* out;
    int ir, ic, kr, kc, orows, ocols;
    int nj;       // chunks of 4 kernel columns
    int nb;       // groups of KN kernel rows
    int ns;       // splits (warps) per tile
    int mode;     // 8, 4: stationary weights; 1: one output row; 0: plain fallback
};

__device__ __forceinline__ void cp_async16(unsigned dst, const float* src, int bytes) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;\n" ::"r"(dst), "l"(src), "r"(bytes) : "memory");
}
__device__ __forceinline__ void cp_async4(unsigned dst, const float* src, int bytes) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;\n" ::"r"(dst), "l"(src), "r"(bytes) : "memory");
}
__device__ __forceinline__ void cp_wait() {
    asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;\n" ::: "memory");
}

__device__ __forceinline__ void load_row(float (&w)[8], const float* p) {
    float4 a = *reinterpret_cast<const float4*>(p);
    float4 b = *reinterpret_cast<const float4*>(p + 4);
    w[0] = a.x; w[1] = a.y; w[2] = a.z; w[3] = a.w;
    w[4] = b.x; w[5] = b.y; w[6] = b.z; w[7] = b.w;
}

// one input row (global row gr) into shared memory, zero filled outside the input
__device__ __forceinline__ void stage_row(const Params& p, unsigned dst, int gr, int c0, int width, int lane) {
    const bool rok = gr < p.ir;
    const float* row = p.in + (rok ? (size_t)gr * p.ic : (size_t)0);
    if ((p.ic & 3) == 0) {
        for (int c = lane * 4; c < width; c += 128) {
            const bool ok = rok && c0 + c < p.ic;
            cp_async16(dst + (unsigned)c * 4u, ok ? row + c0 + c : p.in, ok ? 16 : 0);
        }
    } else {
        for (int c = lane; c < width; c += 32) {
            const bool ok = rok && c0 + c < p.ic;
            cp_async4(dst + (unsigned)c * 4u, ok ? row + c0 + c : p.in, ok ? 4 : 0);
        }
    }
}

template <int PER>
__device__ __forceinline__ void reduce_store(const Params& p, const float* part, int r0, int c0) {
    const int ns = p.ns;
#pragma unroll 2
    for (int e = threadIdx.x; e < PER; e += blockDim.x) {
        const float* q = part + e;
        float v = q[0];
#pragma unroll 4
        for (int k = 1; k < ns; k++) v += q[k * PER];
        const int r = r0 + (e >> 7), c = c0 + (e & 127);
        if (r < p.orows && c < p.ocols) p.out[(size_t)r * p.ocols + c] = v;
    }
}

template <int TR>
__device__ __forceinline__ void stat_tile(const Params& p, float* smem) {
    const int tid = threadIdx.x;
    const int lane = tid & 31, warp = tid >> 5, nw = blockDim.x >> 5;
    const int nj = p.nj, krp = p.nb * KN;
    float* sw = smem;                              // [jc][i] float4
    float* sx = smem + nj * krp * 4;               // [row][ST]
    const int r0 = blockIdx.y * TR;
    const int c0 = blockIdx.x * 128;
    const int rows = TR + krp - 1;
    const unsigned sx_addr = (unsigned)__cvta_generic_to_shared(sx);
    const unsigned sw_addr = (unsigned)__cvta_generic_to_shared(sw);
    const int width = 128 + 4 * nj;

#pragma unroll 1
    for (int r = warp; r < rows; r += nw) stage_row(p, sx_addr + (unsigned)(r * ST) * 4u, r0 + r, c0, width, lane);
    if (lane < 4 * nj) {
#pragma unroll 1
        for (int i = warp; i < krp; i += nw) {
            const bool ok = i < p.kr && lane < p.kc;
            cp_async4(sw_addr + (unsigned)(((lane >> 2) * krp + i) * 4 + (lane & 3)) * 4u,
                      ok ? p.ker + i * p.kc + lane : p.ker, ok ? 4 : 0);
        }
    }
    cp_wait();
    __syncthreads();

    float acc[TR][4];
#pragma unroll
    for (int t = 0; t < TR; t++)
#pragma unroll
        for (int c = 0; c < 4; c++) acc[t][c] = 0.0f;

    const float* xb = sx + lane * 4;
    const int np = nj * p.nb;
#pragma unroll 1
    for (int pi = warp; pi < np; pi += p.ns) {
        const int ib = pi / nj, jc = pi - ib * nj;
        const float4* wp = reinterpret_cast<const float4*>(sw) + jc * krp + ib * KN;
        const float* xr = xb + ib * (KN * ST) + jc * 4;
        float w[KN][4];
#pragma unroll
        for (int i = 0; i < KN; i++) {
            const float4 f = wp[i];
            w[i][0] = f.x; w[i][1] = f.y; w[i][2] = f.z; w[i][3] = f.w;
        }
#pragma unroll
        for (int q = 0; q < TR + KN - 1; q++) {
            float x[8];
            load_row(x, xr + q * ST);
#pragma unroll
            for (int k = 0; k < 4; k++)
#pragma unroll
                for (int t = 0; t < TR; t++)
                    if (q - t >= 0 && q - t < KN) {
                        const float wk = w[(q - t >= 0 && q - t < KN) ? q - t : 0][k];
#pragma unroll
                        for (int c = 0; c < 4; c++) acc[t][c] = fmaf(x[c + k], wk, acc[t][c]);
                    }
        }
    }

    __syncthreads();
    float4* part = reinterpret_cast<float4*>(smem);
#pragma unroll
    for (int t = 0; t < TR; t++)
        part[(warp * TR + t) * 32 + lane] = make_float4(acc[t][0], acc[t][1], acc[t][2], acc[t][3]);
    __syncthreads();
    reduce_store<TR * 128>(p, smem, r0, c0);
}

// one output row per block, kernel rows split over the warps; every warp stages what it needs itself
__device__ __forceinline__ void row_tile(const Params& p, float* smem) {
    const int tid = threadIdx.x;
    const int lane = tid & 31, warp = tid >> 5;
    const int nj = p.nj;
    float* part = smem;                            // [warp][128]
    float* sw = smem + p.ns * 128;                 // [i][32]
    float* sx = sw + p.kr * 32;                    // [i][ST]
    const int r0 = blockIdx.y;
    const int c0 = blockIdx.x * 128;
    const unsigned sx_addr = (unsigned)__cvta_generic_to_shared(sx);
    const unsigned sw_addr = (unsigned)__cvta_generic_to_shared(sw);

#pragma unroll 1
    for (int i = warp; i < p.kr; i += p.ns) {
        stage_row(p, sx_addr + (unsigned)(i * ST) * 4u, r0 + i, c0, 128 + 4 * nj, lane);
        const bool ok = lane < p.kc;
        cp_async4(sw_addr + (unsigned)(i * 32 + lane) * 4u, ok ? p.ker + i * p.kc + lane : p.ker, ok ? 4 : 0);
    }
    cp_wait();
    __syncwarp();

    float acc[4] = {0.f, 0.f, 0.f, 0.f};
#pragma unroll 1
    for (int i = warp; i < p.kr; i += p.ns) {
        const float* xr = sx + i * ST + lane * 4;
        const float4* wrow = reinterpret_cast<const float4*>(sw + i * 32);
        float4 a = *reinterpret_cast<const float4*>(xr);
#pragma unroll 2
        for (int jc = 0; jc < nj; jc++) {
            const float4 b = *reinterpret_cast<const float4*>(xr + jc * 4 + 4);
            const float x[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
            const float4 w = wrow[jc];
            const float wk[4] = {w.x, w.y, w.z, w.w};
#pragma unroll
            for (int k = 0; k < 4; k++)
#pragma unroll
                for (int c = 0; c < 4; c++) acc[c] = fmaf(x[c + k], wk[k], acc[c]);
            a = b;
        }
    }
    reinterpret_cast<float4*>(part)[warp * 32 + lane] = make_float4(acc[0], acc[1], acc[2], acc[3]);
    __syncthreads();
    reduce_store<128>(p, part, r0, c0);
}

__global__ void __launch_bounds__(640, 1) conv_kernel(const Params p) {
    extern __shared__ float4 smem4[];
    float* smem = reinterpret_cast<float*>(smem4);
    if (p.mode == 1) {
        row_tile(p, smem);
    } else if (p.mode == 4) {
        stat_tile<4>(p, smem);
    } else if (p.mode == 8) {
        stat_tile<8>(p, smem);
    } else {
        long long total = (long long)p.orows * p.ocols;
        for (long long e = (long long)blockIdx.x * blockDim.x + threadIdx.x; e < total;
             e += (long long)gridDim.x * blockDim.x) {
            int r = (int)(e / p.ocols), c = (int)(e % p.ocols);
            float acc = 0.0f;
            for (int i = 0; i < p.kr; i++) {
                const float* x = p.in + (size_t)(r + i) * p.ic + c;
                const float* w = p.ker + (size_t)i * p.kc;
                float rowsum = 0.0f;
                for (int j = 0; j < p.kc; j++) rowsum = fmaf(__ldg(x + j), __ldg(w + j), rowsum);
                acc += rowsum;
            }
            p.out[e] = acc;
        }
    }
}

static long long cdiv(long long a, long long b) { return (a + b - 1) / b; }

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols) {
    Params p;
    p.in = input;
    p.ker = kernel;
    p.out = output;
    p.ir = input_rows;
    p.ic = input_cols;
    p.kr = kernel_rows;
    p.kc = kernel_cols;
    p.orows = input_rows - kernel_rows + 1;
    p.ocols = input_cols - kernel_cols + 1;
    p.nj = 1; p.nb = 1; p.ns = 1; p.mode = 0;
    if (p.orows <= 0 || p.ocols <= 0) return;

    const long long tx = cdiv(p.ocols, 128);
    if (kernel_cols <= 32 && kernel_rows <= 128) {
        p.nj = (kernel_cols + 3) / 4;
        p.nb = (kernel_rows + KN - 1) / KN;
        const int np = p.nj * p.nb;
        const long long t8 = tx * cdiv(p.orows, 8), t4 = tx * cdiv(p.orows, 4);
        long long bytes, gy;
        if (t4 >= 90) {
            int want;
            if (t8 > 1056)      { p.mode = 8; want = 4; }
            else if (t8 > 528)  { p.mode = 8; want = 2; }
            else if (t8 > 264)  { p.mode = 8; want = 4; }
            else if (t8 > 132)  { p.mode = 8; want = 8; }
            else                { p.mode = 4; want = 12; }
            p.ns = np < want ? np : want;
            bytes = 4LL * ((long long)np * KN * 4 + (long long)(p.mode + p.nb * KN - 1) * ST);
            const long long red = (long long)p.ns * p.mode * 512;
            if (red > bytes) bytes = red;
            gy = cdiv(p.orows, p.mode);
        } else {
            p.mode = 1;
            p.ns = kernel_rows < 12 ? kernel_rows : 12;
            bytes = 4LL * ((long long)p.ns * 128 + (long long)kernel_rows * (32 + ST));
            gy = p.orows;
        }
        if (bytes <= 227LL * 1024 && gy <= 65535) {
            if (bytes > 48 * 1024)
                cudaFuncSetAttribute(conv_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024);
            dim3 grid((unsigned)tx, (unsigned)gy);
            conv_kernel<<<grid, p.ns * 32, (size_t)bytes>>>(p);
            return;
        }
    }

    p.mode = 0;
    long long blocks = cdiv((long long)p.orows * p.ocols, 256);
    if (blocks > 132 * 64) blocks = 132 * 64;
    conv_kernel<<<(unsigned)blocks, 256>>>(p);
}
