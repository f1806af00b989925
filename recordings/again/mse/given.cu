// SPDX-License-Identifier: Apache-2.0
// task: mse
// rules: strict
// device: NVIDIA H200 (CUDA 13.0 driver)
// date: 2026-11-15
// commit: 8fecd3c
// made by: warpwright 0.1.0
// model: a fresh instance of a language model per prompt and round
// run: mse-1 r3.c3
// median us: 2^10 4.10, 2^12 4.22, 2^14 4.77, 2^16 5.02, 2^18 6.50
// sha256: 2e4465085248d7e1ffc93f481162bcea84b64e7bc3a6e1c79a247f72ac6ae35a

#include <cuda_runtime.h>

#define MODE_SINGLE  0
#define MODE_CLUSTER 1
#define MODE_ADD     2
#define HEAD 16384            // elements summed by the first of two launches

__device__ __forceinline__ float warp_sum(float v) {
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
    return v;
}

__device__ __forceinline__ float sq4(float4 a, float4 b) {
    float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z, w = a.w - b.w;
    return fmaf(x, x, y * y) + fmaf(z, z, w * w);
}

__device__ __forceinline__ float add4(float4 u) { return (u.x + u.y) + (u.z + u.w); }

__device__ __forceinline__ float4 load4(const float4* q) {
    float4 v;
    asm volatile("ld.global.nc.L1::no_allocate.L2::256B.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(q));
    return v;
}

// load if ok, else zeros; volatile, so that the loads stay in front of the barriers
__device__ __forceinline__ float4 load4_if(const float4* q, bool ok) {
    float4 v = make_float4(0.f, 0.f, 0.f, 0.f);
    asm volatile(
        "{\n\t"
        ".reg .pred pp;\n\t"
        "setp.ne.s32 pp, %5, 0;\n\t"
        "@pp ld.global.nc.L1::no_allocate.L2::256B.v4.f32 {%0, %1, %2, %3}, [%4];\n\t"
        "}\n"
        : "+f"(v.x), "+f"(v.y), "+f"(v.z), "+f"(v.w)
        : "l"(q), "r"((int)ok));
    return v;
}

// MODE_SINGLE : one block, writes its scaled sum
// MODE_CLUSTER: the grid is one cluster, block 0 writes the scaled sum of all
// MODE_ADD    : every block adds its scaled sum to what the previous launch wrote
__global__ void __launch_bounds__(512)
mse_kernel(const float* __restrict__ p, const float* __restrict__ t, float* out,
           int n, float inv, int mode)
{
    __shared__ __align__(16) float slots[256];
    __shared__ __align__(8) unsigned long long mbar;

    const int tid = threadIdx.x;
    const int gtid = blockIdx.x * blockDim.x + tid;
    const int lane = tid & 31;
    const int warp = tid >> 5;
    const int nwarps = blockDim.x >> 5;
    const int n4 = n >> 2;
    const int stride = gridDim.x * blockDim.x;
    const float4* __restrict__ p4 = reinterpret_cast<const float4*>(p);
    const float4* __restrict__ t4 = reinterpret_cast<const float4*>(t);
    const unsigned bar = (unsigned)__cvta_generic_to_shared(&mbar);

    // lets a second launch fill the other SMs at once (no effect without one)
    if (mode == MODE_CLUSTER)
        asm volatile("griddepcontrol.launch_dependents;" ::: "memory");

    float acc0 = 0.f, acc1 = 0.f;
    int i = gtid;
    // big arrays only: whole rounds of four pairs, until at most four are left
    int left = n4;
#pragma unroll 1
    while (left > 4 * stride) {
        float4 c0 = load4(p4 + i), d0 = load4(t4 + i);
        float4 c1 = load4(p4 + i + stride), d1 = load4(t4 + i + stride);
        float4 c2 = load4(p4 + i + 2 * stride), d2 = load4(t4 + i + 2 * stride);
        float4 c3 = load4(p4 + i + 3 * stride), d3 = load4(t4 + i + 3 * stride);
        acc0 += sq4(c0, d0) + sq4(c1, d1);
        acc1 += sq4(c2, d2) + sq4(c3, d3);
        i += 4 * stride;
        left -= 4 * stride;
    }
    const int i1 = i + stride, i2 = i + 2 * stride, i3 = i + 3 * stride;
    const float4 a0 = load4_if(p4 + i, i < n4), b0 = load4_if(t4 + i, i < n4);
    const float4 a1 = load4_if(p4 + i1, i1 < n4), b1 = load4_if(t4 + i1, i1 < n4);
    const float4 a2 = load4_if(p4 + i2, i2 < n4), b2 = load4_if(t4 + i2, i2 < n4);
    const float4 a3 = load4_if(p4 + i3, i3 < n4), b3 = load4_if(t4 + i3, i3 < n4);
    float d = 0.f;
    if (gtid < (n & 3)) {
        const size_t j = (size_t)n4 * 4 + (size_t)gtid;
        d = __ldg(p + j) - __ldg(t + j);
    }

    if (mode == MODE_CLUSTER) {
        // the barrier of block 0 is set up while the loads are in flight
        if (gtid == 0) {
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(bar) : "memory");
            asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
            asm volatile(
                "{\n\t"
                ".reg .b64 tok;\n\t"
                "mbarrier.arrive.expect_tx.shared::cta.b64 tok, [%0], %1;\n\t"
                "}\n" :: "r"(bar), "r"(nwarps * (int)gridDim.x * 4) : "memory");
        }
        __syncwarp();
        asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
        asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
    }

    __syncwarp();
    float s = ((acc0 + acc1) + fmaf(d, d, sq4(a0, b0) + sq4(a1, b1))) +
              (sq4(a2, b2) + sq4(a3, b3));
    s = warp_sum(s);

    if (mode != MODE_CLUSTER) {
        if (lane == 0) slots[warp] = s;
        __syncthreads();
        if (tid == 0) {
            const float4* q = reinterpret_cast<const float4*>(slots);
            float r = add4(q[0]);                       // 4, 8 or 16 warps
            if (nwarps > 4) r += add4(q[1]);
            if (nwarps > 8) r += add4(q[2]) + add4(q[3]);
            r *= inv;
            if (mode == MODE_SINGLE) {
                out[0] = r;
            } else {
                // the first launch is complete and its store visible after this
                asm volatile("griddepcontrol.wait;" ::: "memory");
                atomicAdd(out, r);
            }
        }
        return;
    }

    if (lane == 0) {
        const unsigned slot =
            (unsigned)__cvta_generic_to_shared(&slots[blockIdx.x * nwarps + warp]);
        unsigned rslot, rbar;
        asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(rslot) : "r"(slot), "r"(0));
        asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(rbar) : "r"(bar), "r"(0));
        asm volatile(
            "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];"
            :: "r"(rslot), "r"(__float_as_uint(s)), "r"(rbar) : "memory");
    }
    if (blockIdx.x == 0 && warp == 0) {
        __syncwarp();
        unsigned done = 0;
        while (!done) {
            asm volatile(
                "{\n\t"
                ".reg .pred pp;\n\t"
                "mbarrier.try_wait.parity.shared::cta.b64 pp, [%1], %2;\n\t"
                "selp.u32 %0, 1, 0, pp;\n\t"
                "}\n" : "=r"(done) : "r"(bar), "r"(0) : "memory");
        }
        __syncwarp();
        // 128 or 256 slots
        const float4* q = reinterpret_cast<const float4*>(slots);
        float r = add4(q[lane]);
        if (nwarps * gridDim.x > 128) r += add4(q[lane + 32]);
        r = warp_sum(r);
        if (lane == 0) out[0] = r * inv;
    }
}

static void launch(const float* p, const float* t, float* out, int n, float inv, int mode,
                   int blocks, int threads)
{
    cudaLaunchConfig_t cfg = {};
    cfg.gridDim = dim3(blocks, 1, 1);
    cfg.blockDim = dim3(threads, 1, 1);
    cfg.dynamicSmemBytes = 0;
    cfg.stream = 0;
    cudaLaunchAttribute attr[1];
    if (mode == MODE_CLUSTER) {
        attr[0].id = cudaLaunchAttributeClusterDimension;
        attr[0].val.clusterDim.x = blocks;
        attr[0].val.clusterDim.y = 1;
        attr[0].val.clusterDim.z = 1;
    } else {
        attr[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
        attr[0].val.programmaticStreamSerializationAllowed = 1;
    }
    cfg.attrs = attr;
    cfg.numAttrs = 1;
    cudaLaunchKernelEx(&cfg, mse_kernel, p, t, out, n, inv, mode);
}

extern "C" void solve(const float* predictions, const float* targets, float* mse, int N)
{
    const float inv = (float)(1.0 / (double)N);

    if (N <= 8192) {
        int threads = N <= 2048 ? 128 : (N <= 4096 ? 256 : 512);
        int mode = MODE_SINGLE;
        mse_kernel<<<1, threads>>>(predictions, targets, mse, N, inv, mode);
        return;
    }
    if (N <= 32768) {
        // 8 blocks of 16 warps: 128 slots, one or two pairs per thread
        launch(predictions, targets, mse, N, inv, MODE_CLUSTER, 8, 512);
        return;
    }
    if (N <= 131072) {
        // 16 blocks: 128 slots (256 threads) or 256 slots (512 threads)
        cudaFuncSetAttribute(mse_kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
        launch(predictions, targets, mse, N, inv, MODE_CLUSTER, 16, N <= 65536 ? 256 : 512);
        return;
    }

    // head: written by one cluster; rest: added by a dependent grid that runs beside it
    launch(predictions, targets, mse, HEAD, inv, MODE_CLUSTER, 8, 512);
    const int rest = N - HEAD;
    const int threads = 512;
    const int rest4 = (int)(((long long)rest + 3) / 4);
    int blocks = (rest4 + threads - 1) / threads;        // 120 blocks at 2^18
    if (blocks > 132 * 2) blocks = 132 * 2;
    launch(predictions + HEAD, targets + HEAD, mse, rest, inv, MODE_ADD, blocks, threads);
}
