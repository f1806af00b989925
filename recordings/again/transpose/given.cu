// SPDX-License-Identifier: Apache-2.0
// task: transpose
// rules: strict
// device: NVIDIA H200 (CUDA 13.0 driver)
// date: 2026-11-15
// commit: 8fecd3c
// made by: warpwright 0.1.0
// model: a fresh instance of a language model per prompt and round
// run: transpose-1 r2.c3
// median us: 1024^2 6.46, 2048^2 11.97, 4096^2 39.30, 8192^2 140.96, 16384^2 555.04
// sha256: f17bd861ffb221fc1d9350e71bca538f34887c1e4ca234494daf048f84d5a8de

#include <cuda_runtime.h>

#define THREADS 256
#define STRIP 32

// 64 x 64 tile, any size
__device__ __noinline__ void tile_scalar(const unsigned int* __restrict__ in,
                                         unsigned int* __restrict__ out,
                                         int rows, int cols, int tilesC,
                                         unsigned int* smem)
{
    const unsigned int tr = blockIdx.x / (unsigned int)tilesC;
    const unsigned int tc = blockIdx.x - tr * (unsigned int)tilesC;
    const int tid = threadIdx.x;
    const int lx = tid & 63;
    const int ly = tid >> 6;
    const long long r0 = (long long)tr * 64;
    const long long c0 = (long long)tc * 64;
    {
        const long long c = c0 + lx;
        if (c < cols) {
#pragma unroll 4
            for (int i = 0; i < 64; i += 4) {
                const long long r = r0 + ly + i;
                if (r < rows)
                    smem[(ly + i) * 65 + lx] = in[r * cols + c];
            }
        }
    }
    __syncthreads();
    {
        const long long r = r0 + lx;
        if (r < rows) {
#pragma unroll 4
            for (int i = 0; i < 64; i += 4) {
                const long long c = c0 + ly + i;
                if (c < cols)
                    out[c * rows + r] = smem[lx * 65 + ly + i];
            }
        }
    }
}

__global__ void __launch_bounds__(THREADS, 8)
transpose_kernel(const unsigned int* __restrict__ in, unsigned int* __restrict__ out,
                 int rows, int cols, int tilesC, int vec)
{
    __shared__ __align__(16) unsigned int smem[64 * 65];

    if (!vec) {
        tile_scalar(in, out, rows, cols, tilesC, smem);
        return;
    }

    const int tc = blockIdx.z * STRIP + blockIdx.x;
    if (tc >= tilesC) return;                 // whole block: last, narrower strip

    uint4* s4 = reinterpret_cast<uint4*>(smem);
    const int tx = threadIdx.x & 15;
    const int ty = threadIdx.x >> 4;
    const int r0 = blockIdx.y * 64;
    const int c0 = tc * 64;
    const unsigned int ucols = (unsigned int)cols;
    const unsigned int urows = (unsigned int)rows;

    {
        const int r = r0 + 4 * ty;
        const int c = c0 + 4 * tx;
        if (r < rows && c < cols) {
            const unsigned int q0 = ((unsigned int)r * ucols + (unsigned int)c) >> 2;
            const unsigned int st = ucols >> 2;
            const uint4* p = reinterpret_cast<const uint4*>(in);
            const uint4 a0 = __ldcs(p + q0);
            const uint4 a1 = __ldcs(p + (q0 + st));
            const uint4 a2 = __ldcs(p + (q0 + 2 * st));
            const uint4 a3 = __ldcs(p + (q0 + 3 * st));
            uint4* q = s4 + tx * 64 + (ty ^ (tx & 7));
            q[0]  = make_uint4(a0.x, a1.x, a2.x, a3.x);
            q[16] = make_uint4(a0.y, a1.y, a2.y, a3.y);
            q[32] = make_uint4(a0.z, a1.z, a2.z, a3.z);
            q[48] = make_uint4(a0.w, a1.w, a2.w, a3.w);
        }
    }
    __syncthreads();
    {
        const int ro = r0 + 4 * tx;
        if (ro < rows) {
            uint4* d = reinterpret_cast<uint4*>(out);
            // rows ty, ty+16, ty+32, ty+48: (cl >> 2) & 7 is (ty >> 2) or (ty >> 2) + 4
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const int cl = ty + 16 * i;
                const int co = c0 + cl;
                if (co < cols)
                    d[((unsigned int)co * urows + (unsigned int)ro) >> 2] =
                        s4[cl * 16 + (tx ^ ((cl >> 2) & 7))];
            }
        }
    }
}

extern "C" void solve(const float* input, float* output, int rows, int cols)
{
    const unsigned int* in = reinterpret_cast<const unsigned int*>(input);
    unsigned int* out = reinterpret_cast<unsigned int*>(output);
    const long long tilesR = ((long long)rows + 63) / 64;
    const long long tilesC = ((long long)cols + 63) / 64;
    const long long strips = (tilesC + STRIP - 1) / STRIP;
    const bool vec = (rows % 4 == 0) && (cols % 4 == 0)
                     && (long long)rows * cols < (1LL << 31)
                     && rows < (1 << 30) && cols < (1 << 30)
                     && tilesR <= 65535 && strips <= 65535;

    if (vec) {
        const unsigned int gx = (unsigned int)(tilesC < STRIP ? tilesC : STRIP);
        dim3 grid(gx, (unsigned int)tilesR, (unsigned int)strips);
        transpose_kernel<<<grid, THREADS>>>(in, out, rows, cols, (int)tilesC, 1);
    } else {
        transpose_kernel<<<(unsigned int)(tilesR * tilesC), THREADS>>>(
            in, out, rows, cols, (int)tilesC, 0);
    }
}
