// SPDX-License-Identifier: Apache-2.0
// task: conv2d
// lane: strict
// device: NVIDIA H200 (CUDA 13.0 driver)
// date: 2026-11-15
// commit: 34f8837
// made by: warpwright 0.1.0
// model: a fresh instance of a language model per prompt and round
// run: conv2d-1 r1.c3
// median us: 128x128 8.73, 256x256 7.87, 512x512 12.74, 1024x1024 34.28, 2048x2048 119.02
// sha256: 5361ed08e25e6ee941e596db4a6255ff42b63b11c84412803623023d7e40ff72

#include <cuda_runtime.h>
#include <stdint.h>

#define NT 256
#define KR 24
#define KC 24

__device__ __forceinline__ void cp16(uint32_t dst, const void* src, int bytes) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;\n" ::"r"(dst), "l"(src), "r"(bytes) : "memory");
}
__device__ __forceinline__ void cp4(uint32_t dst, const void* src, int bytes) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;\n" ::"r"(dst), "l"(src), "r"(bytes) : "memory");
}

template <int TY, int LX, int WM, int WN, int KS>
struct Cfg {
    static constexpr int LY = 32 / LX;
    static constexpr int TH = WM * LY * TY;
    static constexpr int TW = WN * LX * 4;
    static constexpr int ROWS = TH + KR - 1;
    static constexpr int W = TW + KC;
    static constexpr int PITCH = LX == 8 ? W : (TY == 1 ? ((W + 15) / 32) * 32 + 16 : ((W + 7) / 16) * 16 + 8);
    static constexpr int TILE = ROWS * PITCH;  // floats
    static constexpr int MAIN = (TILE + KR * KC) * 4;
    static constexpr int RED = KS * TH * TW * 4;
    static constexpr int SMEM = MAIN > RED ? MAIN : RED;
};

// MODE 0: first group of rows (y <= u), 1: full, 2: last (y > u)
template <int MODE, int TY, int PITCH>
__device__ __forceinline__ void group(const float* xp, const float* wp, float (&w)[TY][4], float (&acc)[TY][4]) {
#pragma unroll
    for (int u = 0; u < TY; ++u) {
        if (MODE == 2 && u == TY - 1) continue;
        if (MODE != 2) {
            const float4 t = *reinterpret_cast<const float4*>(wp + u * KC);
            w[u][0] = t.x;
            w[u][1] = t.y;
            w[u][2] = t.z;
            w[u][3] = t.w;
        }
        float x[8];
        const float4 p = *reinterpret_cast<const float4*>(xp + u * PITCH);
        const float4 q = *reinterpret_cast<const float4*>(xp + u * PITCH + 4);
        x[0] = p.x;
        x[1] = p.y;
        x[2] = p.z;
        x[3] = p.w;
        x[4] = q.x;
        x[5] = q.y;
        x[6] = q.z;
        x[7] = q.w;
#pragma unroll
        for (int j = 0; j < 4; ++j) {
#pragma unroll
            for (int y = 0; y < TY; ++y) {
                const bool ok = (MODE == 0) ? (y <= u) : (MODE == 1 ? true : (y > u));
                if (ok) {
                    const int sl = (u - y + TY) % TY;
#pragma unroll
                    for (int c = 0; c < 4; ++c) acc[y][c] = fmaf(x[c + j], w[sl][j], acc[y][c]);
                }
            }
        }
    }
}

template <int TY, int LX, int WM, int WN, int KS>
__device__ __forceinline__ void conv_tile(float* sm, const float* __restrict__ in, const float* __restrict__ ker,
                                          float* __restrict__ out, int ir, int ic, int kr, int kc) {
    using C = Cfg<TY, LX, WM, WN, KS>;
    constexpr int LY = C::LY, TH = C::TH, TW = C::TW, ROWS = C::ROWS, W = C::W, PITCH = C::PITCH, TILE = C::TILE;
    static_assert(WM * WN * KS * 32 == NT, "block size");
    static_assert(KR % (TY * KS) == 0, "rows per warp");
    const int orows = ir - kr + 1, ocols = ic - kc + 1;
    const int tilesX = (ocols + TW - 1) / TW;
    const int by = blockIdx.x / tilesX, bx = blockIdx.x - by * tilesX;
    const int r0 = by * TH, c0 = bx * TW;
    const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
    const int wn = warp % WN, wm = (warp / WN) % WM, ks = warp / (WN * WM);
    const int lx = lane % LX, ly = lane / LX;
    const int lrow = (wm * LY + ly) * TY;  // first local output row
    const int lcol = (wn * LX + lx) * 4;   // first local output column

    float* wt = sm + TILE;
    const uint32_t smBase = (uint32_t)__cvta_generic_to_shared(sm);

    float acc[TY][4];
#pragma unroll
    for (int y = 0; y < TY; ++y)
#pragma unroll
        for (int c = 0; c < 4; ++c) acc[y][c] = 0.f;

#pragma unroll 1
    for (int i0 = 0; i0 < kr; i0 += KR) {
#pragma unroll 1
        for (int j0 = 0; j0 < kc; j0 += KC) {
            const int rc = min(KR, kr - i0), cc = min(KC, kc - j0);
            if ((ic & 3) == 0) {
                constexpr int NQ = ROWS * (W / 4);
#pragma unroll 4
                for (int idx = tid; idx < NQ; idx += NT) {
                    const int r = idx / (W / 4), c4 = idx - r * (W / 4);
                    const int gr = r0 + i0 + r, gc = c0 + j0 + 4 * c4;
                    const bool ok = r < TH + rc - 1 && gr < ir && gc < ic;
                    const float* p = ok ? in + (size_t)gr * ic + gc : in;
                    cp16(smBase + (r * PITCH + c4 * 4) * 4, p, ok ? 16 : 0);
                }
            } else {
                constexpr int NE = ROWS * W;
#pragma unroll 4
                for (int idx = tid; idx < NE; idx += NT) {
                    const int r = idx / W, c = idx - r * W;
                    const int gr = r0 + i0 + r, gc = c0 + j0 + c;
                    const bool ok = r < TH + rc - 1 && gr < ir && gc < ic;
                    const float* p = ok ? in + (size_t)gr * ic + gc : in;
                    cp4(smBase + (r * PITCH + c) * 4, p, ok ? 4 : 0);
                }
            }
            for (int x = tid; x < KR * KC; x += NT) {
                const int i = x / KC, j = x - i * KC;
                const bool ok = i < rc && j < cc;
                const float* p = ok ? ker + (size_t)(i0 + i) * kc + (j0 + j) : ker;
                cp4(smBase + (TILE + x) * 4, p, ok ? 4 : 0);
            }
            asm volatile("cp.async.commit_group;\n" ::: "memory");
            asm volatile("cp.async.wait_group 0;\n" ::: "memory");
            __syncthreads();

            const int rpw = ((rc + KS - 1) / KS + TY - 1) / TY * TY;
            const int ng = rpw / TY;
            const int nj = (cc + 3) / 4;
            const float* xb = sm + (lrow + ks * rpw) * PITCH + lcol;
            const float* wb = wt + ks * rpw * KC;
#pragma unroll 1
            for (int jc = 0; jc < nj; ++jc) {
                const float* xp = xb + jc * 4;
                const float* wp = wb + jc * 4;
                float w[TY][4];
                group<0, TY, PITCH>(xp, wp, w, acc);
                xp += TY * PITCH;
                wp += TY * KC;
#pragma unroll 1
                for (int k = 1; k < ng; ++k) {
                    group<1, TY, PITCH>(xp, wp, w, acc);
                    xp += TY * PITCH;
                    wp += TY * KC;
                }
                if (TY > 1) group<2, TY, PITCH>(xp, wp, w, acc);
            }
            __syncthreads();
        }
    }

    // sum the splits and store with neighbouring threads on neighbouring columns
#pragma unroll
    for (int y = 0; y < TY; ++y)
        *reinterpret_cast<float4*>(sm + (ks * TH + lrow + y) * TW + lcol) =
            make_float4(acc[y][0], acc[y][1], acc[y][2], acc[y][3]);
    __syncthreads();
    for (int x = tid; x < TH * TW; x += NT) {
        const int lr = x / TW, lc = x - lr * TW;
        float s = sm[x];
#pragma unroll
        for (int k = 1; k < KS; ++k) s += sm[k * TH * TW + x];
        if (r0 + lr < orows && c0 + lc < ocols) out[(size_t)(r0 + lr) * ocols + (c0 + lc)] = s;
    }
}

__global__ void __launch_bounds__(NT, 3)
conv2d_kernel(const float* __restrict__ in, const float* __restrict__ ker, float* __restrict__ out, int ir, int ic,
              int kr, int kc, int cfg) {
    extern __shared__ __align__(128) float sm[];
    switch (cfg) {
        case 0: conv_tile<1, 4, 1, 1, 8>(sm, in, ker, out, ir, ic, kr, kc); break;
        case 1: conv_tile<2, 4, 1, 2, 4>(sm, in, ker, out, ir, ic, kr, kc); break;
        case 2: conv_tile<4, 8, 2, 2, 2>(sm, in, ker, out, ir, ic, kr, kc); break;
        default: conv_tile<4, 8, 4, 2, 1>(sm, in, ker, out, ir, ic, kr, kc); break;
    }
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols) {
    const long long orows = input_rows - kernel_rows + 1, ocols = input_cols - kernel_cols + 1;
    if (orows <= 0 || ocols <= 0) return;
    const int th[4] = {8, 16, 32, 64};
    const int tw[4] = {16, 32, 64, 64};
    const int need[4] = {0, 100, 100, 200};
    const int sm[4] = {Cfg<1, 4, 1, 1, 8>::SMEM, Cfg<2, 4, 1, 2, 4>::SMEM, Cfg<4, 8, 2, 2, 2>::SMEM,
                       Cfg<4, 8, 4, 2, 1>::SMEM};
    int cfg = 0;
    long long blocks = 0;
    for (int c = 3; c >= 0; --c) {
        blocks = ((orows + th[c] - 1) / th[c]) * ((ocols + tw[c] - 1) / tw[c]);
        cfg = c;
        if (blocks >= need[c]) break;
    }
    int mxs = 0;
    for (int c = 0; c < 4; ++c) mxs = sm[c] > mxs ? sm[c] : mxs;
    cudaFuncSetAttribute(conv2d_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, mxs);
    conv2d_kernel<<<(unsigned)blocks, NT, sm[cfg]>>>(input, kernel, output, input_rows, input_cols, kernel_rows,
                                                     kernel_cols, cfg);
}
