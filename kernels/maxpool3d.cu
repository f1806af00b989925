// SPDX-License-Identifier: Apache-2.0
// task: maxpool3d
// rules: strict
// device: NVIDIA H200 (CUDA 13.0 driver)
// date: 2026-11-16
// commit: bf586de
// made by: warpwright 0.1.0
// model: Claude, a fresh instance per prompt and round
// run: maxpool3d-1 r4.c1
// median us: 16^3 6.81, 24^3 11.76, 32^3 21.31, 40^3 37.54, 48^3 62.11
// sha256: ce9c3121859230d54d67ea3b5386f7a638704f90d1abf7b9d9f86cfd3910844c

#include <cuda_runtime.h>

#define NEG_INF __int_as_float((int)0xff800000)

__device__ __forceinline__ float4 vmax(float4 a, float4 b)
{
    return make_float4(fmaxf(a.x, b.x), fmaxf(a.y, b.y), fmaxf(a.z, b.z), fmaxf(a.w, b.w));
}

__device__ __forceinline__ float4 ld_once(const float4* p)
{
    float4 v;
    asm volatile("ld.global.nc.L1::no_allocate.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(p));
    return v;
}

// Which vector of the plane a thread owns: warps start on 128-byte lines; rows that no window touches are left out.
template <int X, bool HALF>
__device__ __forceinline__ bool my_vector(int tid, int hb, int& vec)
{
    constexpr int Q = X / 4;
    if (HALF) {                                           // X == 48
        // hb 0: rows 1..23, 25        hb 1: rows 23..45, 21, 47
        if (tid < 280) {
            vec = tid + (hb ? 272 : 8);
            return tid >= 4;
        }
        const int e = tid - 280;
        if (hb) vec = e + (e < 12 ? 252 : 552);
        else    vec = e + 300;
        return e < (hb ? 24 : 12);
    } else {
        constexpr int SH  = (Q / 8) * 8;                  // whole lines of row 0 that are skipped
        constexpr int CUT = (X - 2) * Q - SH;             // row X-2 is skipped
        vec = tid + SH + (tid < CUT ? 0 : Q);
        return vec >= Q && vec < X * Q;
    }
}

__device__ __forceinline__ void store_if(float* p, float a, float b, bool on)
{
    asm volatile("{\n\t"
                 ".reg .pred sp;\n\t"
                 "setp.ne.s32 sp, %3, 0;\n\t"
                 "@sp st.global.v2.f32 [%0], {%1, %2};\n\t"
                 "}" :: "l"(p), "f"(a), "f"(b), "r"((int)on) : "memory");
}

__device__ __forceinline__ void touch(const float* p)     // translation of the output page, off the critical path
{
    asm volatile("prefetch.global.L2 [%0];" :: "l"(p));
}

// h by three vector reads, w by shuffles; the lanes of one row are neighbours in one warp.
// out(2q) : 4q-1, 4q+2, 4q+5      out(2q+1) : 4q+1, 4q+4, 4q+7
__device__ __forceinline__ void pool_row(const float4* sm, int b0, int b1, int b2, int q, float* dst, bool on)
{
    const float4 a = vmax(vmax(sm[b0], sm[b1]), sm[b2]);
    const float xw = fmaxf(a.x, a.w);
    const float yr = __shfl_down_sync(0xffffffffu, a.y, 1);
    const float xr = __shfl_down_sync(0xffffffffu, xw, 1);
    const float wl = __shfl_up_sync(0xffffffffu, a.w, 1);
    float o0 = fmaxf(a.z, yr);
    if (q > 0) o0 = fmaxf(o0, wl);
    const float o1 = fmaxf(a.y, xr);
    store_if(dst, o0, o1, on);
}

// Edge 16: one block of 192 threads per volume; two warps per residue class of od, lane = vector of the plane.
__device__ __forceinline__ void pool_16(const float* __restrict__ in, float* __restrict__ out, float4* sm)
{
    const int tid = threadIdx.x;
    const int vec = tid & 63;
    const int r   = tid >> 6;
    const int nc  = blockIdx.y;
    const bool act = vec >= 4 && (vec < 56 || vec >= 60);  // rows 0 and 14 are never used
    const float4 ninf = make_float4(NEG_INF, NEG_INF, NEG_INF, NEG_INF);
    float4 v0 = ninf, v1 = ninf, v2 = ninf, v3 = ninf, v4 = ninf;
    if (act) {
        const float4* p = reinterpret_cast<const float4*>(in) + (long long)nc * 1024 + ((2 * r + 2) * 64 + vec);
        if (r > 0) v0 = ld_once(p - 192);
        v1 = ld_once(p);
        v2 = ld_once(p + 192);
        v3 = ld_once(p + 384);
        v4 = ld_once(p + 576);
    }
    float* ob = out + (long long)nc * 216;
    const int row = (tid >> 5) * 8 + ((tid & 31) >> 2);    // od * 6 + oh
    const int q   = tid & 3;
    const bool ok = row < 36;
    const int rw  = ok ? row : 0;
    int stage = 1;
    if (blockIdx.y < 132) {                                // first block of an SM: one dry pass
        stage = 0;
        if (tid == 0) touch(ob);
    }
#pragma unroll 1
    for (; stage < 2; stage++) {
        if (stage != 0) {
            if (act) {
                sm[r * 64 + vec]       = vmax(vmax(v0, v1), v2);
                sm[(r + 3) * 64 + vec] = vmax(vmax(v2, v3), v4);
            }
            __syncthreads();
        }
        const int od = rw / 6;
        const int j  = rw - od * 6;
        int b1 = od * 64 + (2 * j + 2) * 4 + q;
        int b0 = (j == 0) ? b1 : b1 - 12;                  // row -1: repeat a row of the window
        int b2 = b1 + 12;
        if (stage == 0) { b0 = 0; b1 = 0; b2 = 0; }        // a vector that nobody writes
        pool_row(sm, b0, b1, b2, q, ob + rw * 6 + 2 * q, ok && q < 3 && stage != 0);
    }
}

// Cubic volumes of edge X, kernel 3, stride 2, padding 1, dilation 3.
// A block takes (volume, od mod 3), with HALF also one half of the output rows.
template <int X, bool HALF, int THREADS>
__device__ __forceinline__ void pool_fast(const float* __restrict__ in, float* __restrict__ out, float4* sm)
{
    static_assert(!HALF || X == 48, "halves are laid out for edge 48");
    constexpr int Q   = X / 4;
    constexpr int O   = X / 2 - 2;
    constexpr int NM  = (O + 2) / 3;              // longest chain
    constexpr int PS  = X * Q;                    // vectors per plane
    constexpr int PLN = HALF ? 27 * Q : PS;       // vectors of a plane in shared memory
    constexpr int OHB = HALF ? O / 2 : O;         // output rows per plane and block
    constexpr int RW  = 32 / Q;                   // output rows per warp and step
    constexpr int STEP = (THREADS / 32) * RW;
    constexpr bool DRY = (X != 48);               // at 48 the registers are all taken by the loads

    const int tid = threadIdx.x;
    const int nc = blockIdx.y;
    const int r  = HALF ? (blockIdx.x >> 1) : blockIdx.x;
    const int hb = HALF ? (blockIdx.x & 1) : 0;
    const int n  = (O - r + 2) / 3;               // outputs along d
    const bool full = (O % 3 == 0) || (n == NM);

    int vec;
    const bool act = my_vector<X, HALF>(tid, hb, vec);
    float4 v[2 * NM + 1];
    if (act) {
        const float4* p = reinterpret_cast<const float4*>(in) + (long long)nc * (X * PS)
                        + ((2 * r + 2) * PS + vec);       // plane t = 1
        const float4 ninf = make_float4(NEG_INF, NEG_INF, NEG_INF, NEG_INF);
        v[0] = ninf;
        if (r > 0) v[0] = ld_once(p - 3 * PS);
#pragma unroll
        for (int t = 1; t <= 2 * NM - 2; t++) v[t] = ld_once(p + (t - 1) * 3 * PS);
        v[2 * NM - 1] = ninf;
        v[2 * NM]     = ninf;
        if (full) {
            v[2 * NM - 1] = ld_once(p + (2 * NM - 2) * 3 * PS);
            v[2 * NM]     = ld_once(p + (2 * NM - 1) * 3 * PS);
        }
    }

    float* ob = out + ((long long)nc * O + r) * (O * O) + (HALF ? hb * (OHB * O) : 0);
    const int rows = n * OHB;
    const int lane = tid & 31;
    const int jr = lane / Q;
    const int q  = lane - jr * Q;
    int stage = 1;
    if (DRY && blockIdx.y < 64) {                 // first block of an SM: one dry pass while the loads are under way
        stage = 0;
        if (tid == 0) touch(ob);
    }
#pragma unroll 1
    for (; stage < 2; stage++) {
        if (stage != 0) {
            if (act) {
                const int loc = vec - (HALF && hb ? 252 : 0);
#pragma unroll
                for (int k = 0; k < NM; k++)
                    sm[k * PLN + loc] = vmax(vmax(v[2 * k], v[2 * k + 1]), v[2 * k + 2]);
            }
            __syncthreads();
        }
#pragma unroll 1
        for (int base = (tid >> 5) * RW; base < rows; base += STEP) {
            const bool ok = jr < RW && base + jr < rows;
            const int rw = ok ? base + jr : 0;
            const int k  = rw / OHB;
            const int j  = rw - k * OHB;
            // row 2*oh - 1 + 3i; with HALF the rows of hb = 1 are counted from 21
            int b1 = k * PLN + (2 * j + 2 + (HALF ? hb : 0)) * Q + q;
            const bool top = (j == 0) && (!HALF || hb == 0);
            int b0 = top ? b1 : b1 - 3 * Q;       // row -1: repeat a row of the window
            int b2 = b1 + 3 * Q;
            if (DRY && stage == 0) { b0 = 0; b1 = 0; b2 = 0; }   // row 0 of plane 0: nobody writes it
            pool_row(sm, b0, b1, b2, q, ob + k * (3 * O * O) + j * O + 2 * q, ok && q < Q - 1 && stage != 0);
            if (DRY && stage == 0) break;
        }
    }
}

__device__ __forceinline__ void pool_any(const float* __restrict__ in, float* __restrict__ out, long long total,
                                         int D, int H, int W, int oD, int oH, int oW,
                                         int ks, int stride, int pad, int dil)
{
    const long long step = (long long)gridDim.x * blockDim.x;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < total; i += step) {
        const long long t = i / oW;
        const int ow = (int)(i - t * oW);
        const long long t2 = t / oH;
        const int oh = (int)(t - t2 * oH);
        const long long nc = t2 / oD;
        const int od = (int)(t2 - nc * oD);
        const long long d0 = (long long)od * stride - pad;
        const long long h0 = (long long)oh * stride - pad;
        const long long w0 = (long long)ow * stride - pad;
        const float* p = in + nc * D * H * W;
        float m = NEG_INF;
        for (int a = 0; a < ks; a++) {
            const long long d = d0 + (long long)a * dil;
            if (d < 0) continue;
            if (d >= D) break;
            for (int b = 0; b < ks; b++) {
                const long long h = h0 + (long long)b * dil;
                if (h < 0) continue;
                if (h >= H) break;
                const float* pr = p + (d * H + h) * W;
                for (int c = 0; c < ks; c++) {
                    const long long w = w0 + (long long)c * dil;
                    if (w < 0) continue;
                    if (w >= W) break;
                    m = fmaxf(m, __ldg(pr + w));
                }
            }
        }
        out[i] = m;
    }
}

__global__ void __launch_bounds__(384, 2)
pool_kernel(const float* __restrict__ in, float* __restrict__ out, int mode, long long total,
            int D, int H, int W, int oD, int oH, int oW, int ks, int stride, int pad, int dil)
{
    extern __shared__ float4 smem4[];
    float4* sm = smem4;
    if (mode & 1)       pool_16(in, out, sm);
    else if (mode & 2)  pool_fast<24, false, 160>(in, out, sm);
    else if (mode & 4)  pool_fast<32, false, 256>(in, out, sm);
    else if (mode & 8)  pool_fast<40, false, 384>(in, out, sm);
    else if (mode & 16) pool_fast<48, true, 352>(in, out, sm);
    else pool_any(in, out, total, D, H, W, oD, oH, oW, ks, stride, pad, dil);
}

extern "C" void solve(const float* input, float* output, int N, int C, int D, int H, int W,
                      int kernel_size, int stride, int padding, int dilation)
{
    const long long ext = (long long)dilation * (kernel_size - 1) + 1;
    const long long nd = (long long)D + 2LL * padding - ext;
    const long long nh = (long long)H + 2LL * padding - ext;
    const long long nw = (long long)W + 2LL * padding - ext;
    if (nd < 0 || nh < 0 || nw < 0) return;
    const int oD = (int)(nd / stride + 1);
    const int oH = (int)(nh / stride + 1);
    const int oW = (int)(nw / stride + 1);
    const long long NC = (long long)N * C;
    const long long total = NC * oD * oH * oW;
    if (total <= 0) return;

    int mode = 0, threads = 256, classes = 3, smem = 0;
    if (kernel_size == 3 && stride == 2 && padding == 1 && dilation == 3 && D == H && H == W && NC <= 65535) {
        // shared memory: planes x vectors of a plane x 16 bytes
        if      (W == 16) { mode = 1;  threads = 192; classes = 1; smem = 16 * 6 * 64; }
        else if (W == 24) { mode = 2;  threads = 160; classes = 3; smem = 16 * 4 * 144; }
        else if (W == 32) { mode = 4;  threads = 256; classes = 3; smem = 16 * 5 * 256; }
        else if (W == 40) { mode = 8;  threads = 384; classes = 3; smem = 16 * 6 * 400; }
        else if (W == 48) { mode = 16; threads = 352; classes = 6; smem = 16 * 8 * 324; }   // 41472 bytes
    }
    if (mode != 0) {
        pool_kernel<<<dim3((unsigned)classes, (unsigned)NC), threads, smem>>>(
            input, output, mode, total, D, H, W, oD, oH, oW, kernel_size, stride, padding, dilation);
    } else {
        long long blocks = (total + 255) / 256;
        if (blocks > 132LL * 256) blocks = 132LL * 256;
        pool_kernel<<<(unsigned)blocks, 256>>>(
            input, output, 0, total, D, H, W, oD, oH, oW, kernel_size, stride, padding, dilation);
    }
}
