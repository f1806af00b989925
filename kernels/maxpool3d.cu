// SPDX-License-Identifier: Apache-2.0
// task: maxpool3d
// lane: strict
// device: NVIDIA H200 (CUDA 13.0 driver)
// date: 2026-11-15
// commit: 8fecd3c
// made by: warpwright 0.1.0
// model: a fresh instance of a language model per prompt and round
// run: maxpool3d-1 r3.c1
// median us: 16^3 7.37, 24^3 13.96, 32^3 23.92, 40^3 41.89, 48^3 65.12
// sha256: f542159f0d3a37d75aadd9b0d158def1874da3774379e86dea8cf030a701dc17

#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

struct Params {
    int D, H, W;
    int oD, oH, oW;
    int K, stride, pad, dil;
    // ring path
    int T, chunks, S;
    long long total;
};

__device__ __forceinline__ float4 max4(float4 a, float4 b)
{
    return make_float4(fmaxf(a.x, b.x), fmaxf(a.y, b.y), fmaxf(a.z, b.z), fmaxf(a.w, b.w));
}

__device__ __forceinline__ float4 rowmax3(const float4* p, int o0, int o1, int o2)
{
    return max4(max4(p[o0], p[o1]), p[o2]);
}

__device__ __forceinline__ uint32_t smem_addr(const void* p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}

__device__ __forceinline__ void mbar_init(uint32_t bar, uint32_t count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(bar), "r"(count) : "memory");
}

__device__ __forceinline__ void mbar_expect(uint32_t bar, uint32_t bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(bar), "r"(bytes) : "memory");
}

__device__ __forceinline__ void mbar_arrive(uint32_t bar)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" :: "r"(bar) : "memory");
}

__device__ __forceinline__ void mbar_wait(uint32_t bar, uint32_t parity)
{
    uint32_t done;
    do {
        asm volatile("{\n\t"
                     ".reg .pred p;\n\t"
                     "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
                     "selp.u32 %0, 1, 0, p;\n\t"
                     "}"
                     : "=r"(done) : "r"(bar), "r"(parity) : "memory");
    } while (!done);
}

__device__ __forceinline__ void bulk_load(uint32_t dst, const void* src, uint32_t bytes, uint32_t bar)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 :: "r"(dst), "l"(src), "r"(bytes), "r"(bar) : "memory");
}

// Which rows of a plane are copied: rows 1 .. n1 in one piece and, if last is set, row H-1.
struct Rows {
    uint32_t rowBytes, mainBytes, lastOff, lastBytes;
};

__device__ __forceinline__ Rows make_rows(int H, int W)
{
    Rows r;
    r.rowBytes = (uint32_t)W * 4u;
    r.lastOff = (uint32_t)(H - 1) * r.rowBytes;
    if (H & 1) {                       // rows 1 .. H-2
        r.mainBytes = (uint32_t)(H - 2) * r.rowBytes;
        r.lastBytes = 0;
    } else if (r.rowBytes >= 128u) {   // rows 1 .. H-3 and H-1
        r.mainBytes = (uint32_t)(H - 3) * r.rowBytes;
        r.lastBytes = r.rowBytes;
    } else {                           // rows 1 .. H-1
        r.mainBytes = (uint32_t)(H - 1) * r.rowBytes;
        r.lastBytes = 0;
    }
    return r;
}

__device__ __forceinline__ void load_plane(uint32_t dst, const char* src, const Rows& r, uint32_t bar)
{
    bulk_load(dst + r.rowBytes, src + r.rowBytes, r.mainBytes, bar);
    if (r.lastBytes) bulk_load(dst + r.lastOff, src + r.lastOff, r.lastBytes, bar);
}

// Stage `it` of a chunk that starts at output depth od0: the odd plane 2s+5 and, from it = 3 on,
// the even plane 2s+2, where s = od0 - 3 + it.
__device__ __forceinline__ void issue_stage(int it, int slot, int od0, int D, uint32_t planeBytes,
                                            const Rows& r, const char* vol, uint32_t ring, uint32_t bars)
{
    const int s = od0 - 3 + it;
    const int dOdd = 2 * s + 5;
    const bool hasOdd = dOdd >= 0 && dOdd < D;
    const bool hasEven = it >= 3;
    const uint32_t bar = bars + 8u * slot;
    const uint32_t dst = ring + (uint32_t)slot * 2u * planeBytes;
    const uint32_t one = r.mainBytes + r.lastBytes;
    mbar_expect(bar, (hasOdd ? one : 0u) + (hasEven ? one : 0u));
    if (hasEven) load_plane(dst, vol + (size_t)(2 * s + 2) * planeBytes, r, bar);
    if (hasOdd) load_plane(dst + planeBytes, vol + (size_t)dOdd * planeBytes, r, bar);
}

extern __shared__ __align__(128) unsigned char smem_raw[];

// MODE 0: any parameters; MODE 1: ring, X = 0 for run-time extents or the edge of a cube; MODE 2: 16^3.
template <int MODE, int X>
__global__ void __launch_bounds__(384, 4)
pool_kernel(const float* __restrict__ input, float* __restrict__ output, Params P)
{
    if (MODE == 2) {
        __shared__ float4 red[6 * 64];
        const int tid = threadIdx.x;
        const int col = tid & 63;
        const int half = tid >> 6;
        const int h = col >> 2;
        const float4 NEG = make_float4(-INFINITY, -INFINITY, -INFINITY, -INFINITY);
        const float4* vol = reinterpret_cast<const float4*>(input) + (size_t)blockIdx.x * 1024 + col;
        if (h != 0 && h != 14) {
            const float4* p = vol + half * (6 * 64);
            float4 odd[6], even[3];
            odd[0] = NEG;
            if (half) odd[0] = __ldg(p - 64);
            #pragma unroll
            for (int k = 1; k < 6; ++k) odd[k] = __ldg(p + (2 * k - 1) * 64);
            #pragma unroll
            for (int k = 0; k < 3; ++k) even[k] = __ldg(p + (2 * k + 2) * 64);
            #pragma unroll
            for (int k = 0; k < 3; ++k)
                red[(half * 3 + k) * 64 + col] = max4(max4(odd[k], even[k]), odd[k + 3]);
        }
        __syncthreads();
        if (tid < 108) {
            const int od = tid / 18;
            const int rem = tid - od * 18;
            const int oh = rem / 3;
            const int p = rem - oh * 3;
            const float4* plane = red + od * 64;
            const int h1 = 2 * oh + 2;
            const int h0 = oh > 0 ? 2 * oh - 1 : h1;
            const int h2 = 2 * oh + 5;
            const float4 a = rowmax3(plane + p, h0 * 4, h1 * 4, h2 * 4);
            const float4 b = rowmax3(plane + p + 1, h0 * 4, h1 * 4, h2 * 4);
            float left = -INFINITY;
            if (p > 0) {
                const float* f = reinterpret_cast<const float*>(plane) + 4 * p - 1;
                left = fmaxf(fmaxf(f[h0 * 16], f[h1 * 16]), f[h2 * 16]);
            }
            float2 o;
            o.x = fmaxf(fmaxf(left, a.z), b.y);
            o.y = fmaxf(fmaxf(a.y, b.x), b.w);
            reinterpret_cast<float2*>(output)[(size_t)blockIdx.x * 108 + tid] = o;
        }
    } else if (MODE == 1) {
        __shared__ __align__(8) unsigned long long full[32];
        __shared__ __align__(8) unsigned long long empty[32];
        const int D = X ? X : P.D;
        const int H = X ? X : P.H;
        const int W = X ? X : P.W;
        const int oD = X ? X / 2 - 2 : P.oD;
        const int oH = X ? X / 2 - 2 : P.oH;
        const int oW = X ? X / 2 - 2 : P.oW;
        const int W4 = W / 4;
        const int R = 32 / W4;
        const int plane4 = H * W4;
        const uint32_t planeBytes = (uint32_t)plane4 * 16u;
        const int S = P.S;
        const int consumers = (int)(blockDim.x >> 5) - 1;

        int nc = blockIdx.x, od0 = 0;
        if (P.chunks > 1) {
            nc = blockIdx.x / P.chunks;
            od0 = (blockIdx.x - nc * P.chunks) * P.T;
        }
        const int nod = min(P.T, oD - od0);
        const int nst = nod + 3;
        const uint32_t ring = smem_addr(smem_raw);
        const uint32_t fullBar = smem_addr(full);
        const uint32_t emptyBar = smem_addr(empty);
        const char* vol = reinterpret_cast<const char*>(input) + (size_t)nc * D * planeBytes;
        const int lane = threadIdx.x & 31;
        const int warp = threadIdx.x >> 5;

        if (warp == 0) {
            // ---- producer ----
            const Rows rows = make_rows(H, W);
            if (lane == 0) {
                for (int i = 0; i < S; ++i) {
                    mbar_init(fullBar + 8u * i, 1u);
                    mbar_init(emptyBar + 8u * i, (uint32_t)consumers);
                }
                asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
                asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
                for (int i = 0; i < S && i < nst; ++i)
                    issue_stage(i, i, od0, D, planeBytes, rows, vol, ring, fullBar);
            }
            __syncwarp();
            __syncthreads();                             // barriers are initialised
            if (lane == 0) {
                int slot = 0;
                uint32_t parity = 0;
                #pragma unroll 1
                for (int it = S; it < nst; ++it) {
                    mbar_wait(emptyBar + 8u * slot, parity);
                    issue_stage(it, slot, od0, D, planeBytes, rows, vol, ring, fullBar);
                    if (++slot == S) { slot = 0; parity ^= 1u; }
                }
            }
        } else {
            // ---- consumers ----
            const int g = warp - 1;
            int r = lane / W4;
            int q = lane - r * W4;
            bool active = true;
            if (r >= R) { r = R - 1; q = W4 - 1; active = false; }
            int oh = g * R + r;
            if (oh >= oH) { oh = oH - 1; active = false; }
            active = active && (q < W4 - 1);
            const int h1 = 2 * oh + 2;                   // always inside
            const int h0 = oh > 0 ? 2 * oh - 1 : h1;
            const int h2 = (2 * oh + 5 < H) ? 2 * oh + 5 : h1;
            const int o0 = h0 * W4 + q, o1 = h1 * W4 + q, o2 = h2 * W4 + q;

            const int ostep = oH * oW;
            float* out = output + ((size_t)nc * oD + od0) * ostep + (size_t)oh * oW + 2 * q;

            __syncthreads();                             // barriers are initialised

            const float4 NEG = make_float4(-INFINITY, -INFINITY, -INFINITY, -INFINITY);
            float4 r0 = NEG, r1 = NEG, r2 = NEG;
            int slot = 0;
            uint32_t parity = 0;
            int dOdd = 2 * od0 - 1;
            #pragma unroll 1
            for (int it = 0; it < nst; ++it) {
                mbar_wait(fullBar + 8u * slot, parity);
                const float4* st = reinterpret_cast<const float4*>(smem_raw) + slot * 2 * plane4;
                float4 a = NEG, e = NEG;
                if (dOdd >= 0 && dOdd < D) a = rowmax3(st + plane4, o0, o1, o2);
                if (it >= 3) e = rowmax3(st, o0, o1, o2);
                dOdd += 2;
                if (it + S < nst) {
                    __syncwarp();                        // the warp has read this slot
                    if (lane == 0) mbar_arrive(emptyBar + 8u * slot);
                    __syncwarp();
                }
                if (it >= 3) {
                    const float4 v = max4(max4(r0, e), a);
                    float left = __shfl_up_sync(0xffffffffu, v.w, 1);       // 4q-1
                    const float n0 = __shfl_down_sync(0xffffffffu, v.x, 1); // 4q+4
                    const float n1 = __shfl_down_sync(0xffffffffu, v.y, 1); // 4q+5
                    const float n3 = __shfl_down_sync(0xffffffffu, v.w, 1); // 4q+7
                    if (q == 0) left = -INFINITY;
                    if (active) {
                        float2 o;
                        o.x = fmaxf(fmaxf(left, v.z), n1);
                        o.y = fmaxf(fmaxf(v.y, n0), n3);
                        *reinterpret_cast<float2*>(out) = o;
                    }
                    out += ostep;
                }
                r0 = r1; r1 = r2; r2 = a;
                if (++slot == S) { slot = 0; parity ^= 1u; }
            }
        }
    } else {
        const long long stepAll = (long long)gridDim.x * blockDim.x;
        for (long long idx = (long long)blockIdx.x * blockDim.x + threadIdx.x; idx < P.total; idx += stepAll) {
            long long t = idx;
            const int ow = (int)(t % P.oW); t /= P.oW;
            const int oh = (int)(t % P.oH); t /= P.oH;
            const int od = (int)(t % P.oD); t /= P.oD;
            const float* base = input + (size_t)t * P.D * P.H * P.W;
            const long long d0 = (long long)od * P.stride - P.pad;
            const long long h0 = (long long)oh * P.stride - P.pad;
            const long long w0 = (long long)ow * P.stride - P.pad;
            float m = -INFINITY;
            for (int i = 0; i < P.K; ++i) {
                const long long d = d0 + (long long)i * P.dil;
                if (d < 0) continue;
                if (d >= P.D) break;
                for (int j = 0; j < P.K; ++j) {
                    const long long h = h0 + (long long)j * P.dil;
                    if (h < 0) continue;
                    if (h >= P.H) break;
                    const float* row = base + ((size_t)d * P.H + (size_t)h) * P.W;
                    for (int k = 0; k < P.K; ++k) {
                        const long long w = w0 + (long long)k * P.dil;
                        if (w < 0) continue;
                        if (w >= P.W) break;
                        m = fmaxf(m, __ldg(row + w));
                    }
                }
            }
            output[idx] = m;
        }
    }
}

template <int X>
static void launch_ring(const float* input, float* output, const Params& P, int blocks, int threads, int smemBytes)
{
    cudaFuncSetAttribute(pool_kernel<1, X>, cudaFuncAttributeMaxDynamicSharedMemorySize, smemBytes);
    pool_kernel<1, X><<<blocks, threads, smemBytes>>>(input, output, P);
}

extern "C" void solve(const float* input, float* output, int N, int C, int D, int H, int W, int kernel_size, int stride, int padding, int dilation)
{
    const long long span = (long long)dilation * (kernel_size - 1) + 1;
    const long long nd = (long long)D + 2LL * padding - span;
    const long long nh = (long long)H + 2LL * padding - span;
    const long long nw = (long long)W + 2LL * padding - span;
    if (nd < 0 || nh < 0 || nw < 0) return;

    Params P;
    P.D = D; P.H = H; P.W = W;
    P.oD = (int)(nd / stride) + 1;
    P.oH = (int)(nh / stride) + 1;
    P.oW = (int)(nw / stride) + 1;
    P.K = kernel_size; P.stride = stride; P.pad = padding; P.dil = dilation;
    P.T = P.chunks = P.S = 0;
    const long long NC = (long long)N * C;
    P.total = NC * P.oD * P.oH * P.oW;
    if (P.total <= 0) return;

    const bool shape = kernel_size == 3 && stride == 2 && padding == 1 && dilation == 3;
    const bool cube = D == H && H == W;

    if (shape && cube && W == 16 && NC <= 2000000000LL) {
        pool_kernel<2, 16><<<(int)NC, 128>>>(input, output, P);
        return;
    }

    const long long stageBytes = 2LL * H * W * 4;
    if (shape && (W % 4) == 0 && W >= 8 && W <= 128 && stageBytes <= 56 * 1024) {
        const int W4 = W / 4;
        const int R = 32 / W4;
        const int G = (P.oH + R - 1) / R;
        // at least about 1024 warps in all, but no chunk shorter than three output depths
        long long want = (1024 + NC * G - 1) / (NC * G);
        const long long most = (P.oD + 2) / 3;
        if (want > most) want = most;
        if (want < 1) want = 1;
        P.T = (int)((P.oD + want - 1) / want);
        P.chunks = (P.oD + P.T - 1) / P.T;
        long long S = (55 * 1024) / stageBytes;
        if (S < 3) S = 3;
        if (S > P.T + 3) S = P.T + 3;
        if (S > 32) S = 32;
        P.S = (int)S;
        const long long blocks = NC * P.chunks;
        if (G <= 11 && blocks <= 2000000000LL) {
            const int smemBytes = (int)(S * stageBytes);
            const int threads = (G + 1) * 32;
            if (cube && W == 24)      launch_ring<24>(input, output, P, (int)blocks, threads, smemBytes);
            else if (cube && W == 32) launch_ring<32>(input, output, P, (int)blocks, threads, smemBytes);
            else if (cube && W == 40) launch_ring<40>(input, output, P, (int)blocks, threads, smemBytes);
            else if (cube && W == 48) launch_ring<48>(input, output, P, (int)blocks, threads, smemBytes);
            else                      launch_ring<0>(input, output, P, (int)blocks, threads, smemBytes);
            return;
        }
    }

    long long blocks = (P.total + 255) / 256;
    if (blocks > 1000000) blocks = 1000000;
    pool_kernel<0, 0><<<(int)blocks, 256>>>(input, output, P);
}
