// SPDX-License-Identifier: Apache-2.0
// task: mse
// rules: free
// device: NVIDIA H200 (CUDA 13.0 driver)
// date: 2026-11-18
// commit: 77b9da8
// made by: warpwright 0.2.0
// model: merge
// run: mse-1 m1
// median us: 2^10 3.88, 2^12 4.14, 2^14 4.60, 2^16 5.03, 2^18 6.00
// sha256: 5f1519ff2884e313bc79505fd0ca45e9ab9ed999ddb1ab59b16ba1857f86d523

#include <cuda_runtime.h>

namespace part1 {


#define SINGLE  0
#define CLUSTER 1
#define ADD     2
#define CLEAR   3

#define P10 2     // tune: P10 = 1, 2
#define P12 2     // tune: P12 = 1, 2, 4
#define C14 8     // tune: C14 = 4, 8
#define P14 1     // tune: P14 = 1, 2
#define P16 2     // tune: P16 = 1, 2, 4
#define TA  512   // tune: TA = 256, 512, 1024
#define PA  1     // tune: PA = 1, 2
// tune: require C14 * P14 >= 4

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

// SINGLE, CLUSTER: n / 4 <= BLOCKS * THREADS * PAIRS.  ADD: any n and grid (BLOCKS unused).
template <int MODE, int THREADS, int BLOCKS, int PAIRS>
__global__ void __launch_bounds__(THREADS)
mse_kernel(const float* __restrict__ p, const float* __restrict__ t, float* out,
           int n, float inv)
{
    constexpr int WARPS = THREADS / 32;
    constexpr int SLOTS = MODE == CLUSTER ? WARPS * BLOCKS : (WARPS < 4 ? 4 : WARPS);
    __shared__ __align__(16) float slots[SLOTS];
    __shared__ __align__(8) unsigned long long mbar;

    if (MODE == CLEAR) {
        asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
        if (threadIdx.x == 0) atomicExch(out, 0.f);
        return;
    }

    const int tid = threadIdx.x;
    const int lane = tid & 31;
    const int warp = tid >> 5;
    const int gtid = MODE == SINGLE ? tid : (int)blockIdx.x * THREADS + tid;
    const int stride = MODE == ADD ? (int)gridDim.x * THREADS : BLOCKS * THREADS;
    const int n4 = n >> 2;
    const float4* __restrict__ p4 = reinterpret_cast<const float4*>(p);
    const float4* __restrict__ t4 = reinterpret_cast<const float4*>(t);

    float4 a[PAIRS], b[PAIRS];
#pragma unroll
    for (int k = 0; k < PAIRS; ++k) {
        const int i = gtid + k * stride;
        a[k] = load4_if(p4 + i, i < n4);
        b[k] = load4_if(t4 + i, i < n4);
    }
    float d = 0.f;
    if (gtid < (n & 3)) {
        const size_t j = (size_t)n4 * 4 + (size_t)gtid;
        d = __ldg(p + j) - __ldg(t + j);
    }

    const unsigned bar = (unsigned)__cvta_generic_to_shared(&mbar);
    if (MODE == CLUSTER) {
        // the barrier of block 0 is set up while the loads are in flight
        if (gtid == 0) {
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(bar) : "memory");
            asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
            asm volatile(
                "{\n\t"
                ".reg .b64 tok;\n\t"
                "mbarrier.arrive.expect_tx.shared::cta.b64 tok, [%0], %1;\n\t"
                "}\n" :: "r"(bar), "r"(WARPS * BLOCKS * 4) : "memory");
        }
        __syncwarp();
        asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
        asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
    }

    float s = d * d;
#pragma unroll
    for (int k = 0; k < PAIRS; ++k) s += sq4(a[k], b[k]);

    if (MODE == ADD) {
        if (__builtin_expect(n4 > PAIRS * stride, 0)) {     // big arrays only
            float acc0 = 0.f, acc1 = 0.f;
#pragma unroll 1
            for (int i = gtid + PAIRS * stride; i < n4; i += 4 * stride) {
                const int j1 = i + stride, j2 = j1 + stride, j3 = j2 + stride;
                const float4 c0 = load4_if(p4 + i, true), e0 = load4_if(t4 + i, true);
                const float4 c1 = load4_if(p4 + j1, j1 < n4), e1 = load4_if(t4 + j1, j1 < n4);
                const float4 c2 = load4_if(p4 + j2, j2 < n4), e2 = load4_if(t4 + j2, j2 < n4);
                const float4 c3 = load4_if(p4 + j3, j3 < n4), e3 = load4_if(t4 + j3, j3 < n4);
                acc0 += sq4(c0, e0) + sq4(c1, e1);
                acc1 += sq4(c2, e2) + sq4(c3, e3);
            }
            s += acc0 + acc1;
        }
    }

    __syncwarp();
    s = warp_sum(s);

    if (MODE != CLUSTER) {
        if (lane == 0) slots[warp] = s;
        __syncthreads();
        if (tid == 0) {
            const float4* q = reinterpret_cast<const float4*>(slots);
            float r = add4(q[0]);
#pragma unroll
            for (int k = 1; k < WARPS / 4; ++k) r += add4(q[k]);
            r *= inv;
            if (MODE == SINGLE) {
                out[0] = r;
            } else {
                // the first launch is complete and its result visible after this
                asm volatile("griddepcontrol.wait;" ::: "memory");
                atomicAdd(out, r);
            }
        }
        return;
    }

    if (lane == 0) {
        const unsigned slot =
            (unsigned)__cvta_generic_to_shared(&slots[(MODE == CLUSTER ? (int)blockIdx.x * WARPS : 0) + warp]);
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
        const float4* q = reinterpret_cast<const float4*>(slots);
        float r = 0.f;
#pragma unroll
        for (int k = 0; k < SLOTS / 4; k += 32)
            if (k + lane < SLOTS / 4) r += add4(q[k + lane]);
        __syncwarp();
        r = warp_sum(r);
        if (lane == 0) out[0] = r * inv;
    }
}

template <int THREADS, int BLOCKS, int PAIRS>
static void launch_cluster(const float* p, const float* t, float* out, int n, float inv)
{
    if (BLOCKS > 8)
        cudaFuncSetAttribute(mse_kernel<CLUSTER, THREADS, BLOCKS, PAIRS>,
                             cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    cudaLaunchConfig_t cfg = {};
    cfg.gridDim = dim3(BLOCKS, 1, 1);
    cfg.blockDim = dim3(THREADS, 1, 1);
    cfg.dynamicSmemBytes = 0;
    cfg.stream = 0;
    cudaLaunchAttribute attr[1];
    attr[0].id = cudaLaunchAttributeClusterDimension;
    attr[0].val.clusterDim.x = BLOCKS;
    attr[0].val.clusterDim.y = 1;
    attr[0].val.clusterDim.z = 1;
    cfg.attrs = attr;
    cfg.numAttrs = 1;
    cudaLaunchKernelEx(&cfg, mse_kernel<CLUSTER, THREADS, BLOCKS, PAIRS>, p, t, out, n, inv);
}

           void solve(const float* predictions, const float* targets, float* mse, int N)
{
    const float inv = (float)(1.0 / (double)N);
    const int n4 = N >> 2;

    if (n4 <= 256) {
        mse_kernel<SINGLE, 256 / P10, 1, P10><<<1, 256 / P10>>>(predictions, targets, mse, N, inv);
        return;
    }
    if (n4 <= 1024) {
        mse_kernel<SINGLE, 1024 / P12, 1, P12><<<1, 1024 / P12>>>(predictions, targets, mse, N, inv);
        return;
    }
    if (n4 <= 4096) {
        launch_cluster<4096 / (C14 * P14), C14, P14>(predictions, targets, mse, N, inv);
        return;
    }
    if (n4 <= 16384) {
        launch_cluster<1024 / P16, 16, P16>(predictions, targets, mse, N, inv);
        return;
    }
    if (n4 <= 32768) {
        launch_cluster<512, 16, 4>(predictions, targets, mse, N, inv);
        return;
    }

    // one warp clears the result; a dependent grid starts beside it and adds
    mse_kernel<CLEAR, 32, 1, 1><<<1, 32>>>(predictions, targets, mse, N, inv);

    int blocks = (n4 + TA * PA - 1) / (TA * PA);
    if (blocks > 132 * 2) blocks = 132 * 2;
    cudaLaunchConfig_t cfg = {};
    cfg.gridDim = dim3(blocks, 1, 1);
    cfg.blockDim = dim3(TA, 1, 1);
    cfg.dynamicSmemBytes = 0;
    cfg.stream = 0;
    cudaLaunchAttribute attr[1];
    attr[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attr[0].val.programmaticStreamSerializationAllowed = 1;
    cfg.attrs = attr;
    cfg.numAttrs = 1;
    cudaLaunchKernelEx(&cfg, mse_kernel<ADD, TA, 1, PA>, predictions, targets, mse, N, inv);
}
}  // namespace part1
#undef ADD
#undef C14
#undef CLEAR
#undef CLUSTER
#undef P10
#undef P12
#undef P14
#undef P16
#undef PA
#undef SINGLE
#undef TA

namespace part2 {


#define ONE_T10 128   // tune: ONE_T10 = 128, 256
#define ONE_T12 512   // tune: ONE_T12 = 256, 512, 1024
#define T 256         // tune: T = 128, 256, 512
#define V14 2         // tune: V14 = 1, 2, 4
#define V16 2         // tune: V16 = 1, 2, 4
#define V18 2         // tune: V18 = 1, 2, 4

__device__ __align__(256) unsigned box[512];   // all zero before and after each call

__device__ __forceinline__ float sq4(float4 a, float4 b) {
    float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z, w = a.w - b.w;
    return fmaf(x, x, y * y) + fmaf(z, z, w * w);
}

__device__ __forceinline__ float add4(float4 u) { return (u.x + u.y) + (u.z + u.w); }

// load if ok, else zeros
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

// any grid of at most blockDim.x blocks; the other blocks never wait for block 0
__global__ void __launch_bounds__(1024)
mse_kernel(const float* __restrict__ p, const float* __restrict__ t, float* out,
           int n, float inv)
{
    __shared__ __align__(16) float slots[32];

    const int tid = threadIdx.x;
    const int gtid = blockIdx.x * blockDim.x + tid;
    const int n4 = n >> 2;
    const int stride = gridDim.x * blockDim.x;
    const float4* __restrict__ p4 = reinterpret_cast<const float4*>(p);
    const float4* __restrict__ t4 = reinterpret_cast<const float4*>(t);

    const int i0 = gtid, i1 = i0 + stride, i2 = i1 + stride, i3 = i2 + stride;
    const float4 a0 = load4_if(p4 + i0, i0 < n4), b0 = load4_if(t4 + i0, i0 < n4);
    const float4 a1 = load4_if(p4 + i1, i1 < n4), b1 = load4_if(t4 + i1, i1 < n4);
    const float4 a2 = load4_if(p4 + i2, i2 < n4), b2 = load4_if(t4 + i2, i2 < n4);
    const float4 a3 = load4_if(p4 + i3, i3 < n4), b3 = load4_if(t4 + i3, i3 < n4);

    // does this thread collect the sum of block number tid?
    const bool collect = blockIdx.x == 0 && tid > 0 && tid < (int)gridDim.x;
    // bring the mailbox into L2 while the loads are in flight (one prefetch per 128 bytes)
    if (collect && ((tid & 31) == 0 || tid == 1))
        asm volatile("prefetch.global.L2 [%0];" :: "l"(box + tid) : "memory");

    float d = 0.f;
    if (gtid < (n & 3)) {
        const size_t j = (size_t)n4 * 4 + (size_t)gtid;
        d = __ldg(p + j) - __ldg(t + j);
    }

    float s = fmaf(d, d, sq4(a0, b0) + sq4(a1, b1)) + (sq4(a2, b2) + sq4(a3, b3));

    // big arrays only
    if (__builtin_expect(n4 > 4 * stride, 0)) {
        float acc0 = 0.f, acc1 = 0.f;
#pragma unroll 1
        for (int i = gtid + 4 * stride; i < n4; i += 4 * stride) {
            const int j1 = i + stride, j2 = j1 + stride, j3 = j2 + stride;
            const float4 c0 = load4_if(p4 + i, true), e0 = load4_if(t4 + i, true);
            const float4 c1 = load4_if(p4 + j1, j1 < n4), e1 = load4_if(t4 + j1, j1 < n4);
            const float4 c2 = load4_if(p4 + j2, j2 < n4), e2 = load4_if(t4 + j2, j2 < n4);
            const float4 c3 = load4_if(p4 + j3, j3 < n4), e3 = load4_if(t4 + j3, j3 < n4);
            acc0 += sq4(c0, e0) + sq4(c1, e1);
            acc1 += sq4(c2, e2) + sq4(c3, e3);
        }
        s += acc0 + acc1;
    }

    if (collect) {
        unsigned u;
        do { u = atomicExch(&box[tid], 0u); } while (u == 0u);
        s += __uint_as_float(u & 0x7fffffffu);
    }
    __syncwarp();
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
    if ((tid & 31) == 0) slots[tid >> 5] = s;
    __syncthreads();
    if (tid == 0) {
        const int threads = blockDim.x;
        const float4* q = reinterpret_cast<const float4*>(slots);
        float r = add4(q[0]);                           // 4, 8, 16 or 32 warps
        if (threads > 128) r += add4(q[1]);
        if (threads > 256) r += add4(q[2]) + add4(q[3]);
        if (threads > 512) r += (add4(q[4]) + add4(q[5])) + (add4(q[6]) + add4(q[7]));
        if (blockIdx.x != 0)
            atomicExch(&box[blockIdx.x], __float_as_uint(r) | 0x80000000u);
        else
            out[0] = r * inv;
    }
}

           void solve(const float* predictions, const float* targets, float* mse, int N)
{
    const float inv = (float)(1.0 / (double)N);
    const int n4 = N >> 2;

    if (N <= 2048) {
        mse_kernel<<<1, ONE_T10>>>(predictions, targets, mse, N, inv);
        return;
    }
    if (N <= 8192) {
        mse_kernel<<<1, ONE_T12>>>(predictions, targets, mse, N, inv);
        return;
    }
    if (N > (1 << 20)) {
        mse_kernel<<<264, 512>>>(predictions, targets, mse, N, inv);
        return;
    }
    const int v = N <= 32768 ? V14 : (N <= 131072 ? V16 : V18);
    int blocks = (n4 + T * v - 1) / (T * v);
    if (blocks > T) blocks = T;                         // one mailbox word per thread of block 0
    mse_kernel<<<blocks, T>>>(predictions, targets, mse, N, inv);
}
}  // namespace part2
#undef ONE_T10
#undef ONE_T12
#undef T
#undef V14
#undef V16
#undef V18

extern "C" void solve(const float* predictions, const float* targets, float* mse, int N) {
  const double size = (double)(N > 1 ? N : 1);
  if (size > 131072.5) {
    part2::solve(predictions, targets, mse, N);
    return;
  }
  part1::solve(predictions, targets, mse, N);
}
