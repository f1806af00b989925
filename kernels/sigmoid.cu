// SPDX-License-Identifier: Apache-2.0
// task: sigmoid
// lane: strict
// device: NVIDIA H200 (CUDA 13.0 driver)
// date: 2026-11-15
// commit: 8fecd3c
// made by: warpwright 0.1.0
// model: a fresh instance of a language model per prompt and round
// run: sigmoid-1 r2.c1
// median us: 16x2^10 4.10, 16x2^12 4.42, 16x2^14 4.86, 16x2^16 6.46, 16x2^18 12.22
// sha256: 076abd15b1c2dbe4b24a9890cecdd077dc85a47fb448c182c70dcd02198b3dba

#include <cuda_runtime.h>

__device__ __forceinline__ float sigmoid1(float x)
{
    const float t = expf(-fabsf(x));          // in [0, 1], 0 for infinities
    const float d = 1.0f + t;                 // in [1, 2]
    const float num = (x >= 0.0f) ? 1.0f : t;
    float r;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(d));
    return num * r;
}

__device__ __forceinline__ float4 sigmoid4(float4 v)
{
    float4 y;
    y.x = sigmoid1(v.x);
    y.y = sigmoid1(v.y);
    y.z = sigmoid1(v.z);
    y.w = sigmoid1(v.w);
    return y;
}

__global__ void __launch_bounds__(256, 8)
sigmoid_kernel(const float* __restrict__ X, float* __restrict__ Y,
               int n4, int rest, int many)
{
    const float4* __restrict__ X4 = reinterpret_cast<const float4*>(X);
    float4* __restrict__ Y4 = reinterpret_cast<float4*>(Y);

    if (!many) {
        // One vector per thread; the trailing elements belong to the
        // threads that follow the last vector.
        const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
        if (i < n4) {
            Y4[i] = sigmoid4(__ldg(X4 + i));
        } else if (i - n4 < rest) {
            const int j = 4 * n4 + (i - n4);
            Y[j] = sigmoid1(__ldg(X + j));
        }
        return;
    }

    // Four vectors per thread, 256 threads per block.
    const int i = (int)(blockIdx.x * 1024u + threadIdx.x);
    if ((int)(blockIdx.x * 1024u) + 1024 <= n4) {
        const float4* p = X4 + i;
        float4* q = Y4 + i;
        const float4 v0 = __ldg(p);
        const float4 v1 = __ldg(p + 256);
        const float4 v2 = __ldg(p + 512);
        const float4 v3 = __ldg(p + 768);
        q[0]   = sigmoid4(v0);
        q[256] = sigmoid4(v1);
        q[512] = sigmoid4(v2);
        q[768] = sigmoid4(v3);
    } else {
#pragma unroll 1
        for (int k = i; k < n4; k += 256) {
            Y4[k] = sigmoid4(__ldg(X4 + k));
        }
        // This is the last block: up to three trailing elements.
        if ((int)threadIdx.x < rest) {
            const int j = 4 * n4 + (int)threadIdx.x;
            Y[j] = sigmoid1(__ldg(X + j));
        }
    }
}

extern "C" void solve(const float* X, float* Y, int N)
{
    if (N < 1) return;
    const int n4 = N >> 2;
    const int rest = N & 3;
    const int sms = 132;
    const int wave = sms * 8 * 256;           // threads of one full wave

    if (n4 <= wave) {
        int threads;
        if (n4 <= sms * 32)       threads = 32;
        else if (n4 <= sms * 64)  threads = 64;
        else if (n4 <= sms * 128) threads = 128;
        else                      threads = 256;
        const int grid = (n4 + rest + threads - 1) / threads;
        sigmoid_kernel<<<grid, threads>>>(X, Y, n4, rest, 0);
    } else {
        // One block per 1024 vectors, and always a block for the rest.
        int grid = n4 / 1024;
        if ((n4 % 1024) != 0 || rest != 0) grid += 1;
        sigmoid_kernel<<<grid, 256>>>(X, Y, n4, rest, 1);
    }
}
