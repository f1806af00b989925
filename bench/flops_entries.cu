// SPDX-License-Identifier: Apache-2.0
// A kernel for every row of the table of machine sequences (src/flops/cost.cpp), for
// bench/flops_ncu: each of 8,192 threads does one such operation on ordinary operands and stores
// the result.
#include <cuda_fp16.h>

#define ONE(name, type, text)                                          \
  __global__ void name(const type* in, const type* other, type* out) { \
    const int i = blockIdx.x * blockDim.x + threadIdx.x;               \
    const type x = in[i], y = other[i];                                \
    type z = y;                                                        \
    text;                                                              \
    out[i] = z;                                                        \
  }

ONE(add_f32, float, z = x + y)
ONE(mul_f32, float, z = x * y)
ONE(fma_f32, float, z = fmaf(x, y, x))
ONE(div_rn_f32, float, z = __fdiv_rn(x, y))
ONE(div_rz_f32, float, z = __fdiv_rz(x, y))
ONE(div_full_f32, float, asm("div.full.f32 %0, %1, %2;" : "=f"(z) : "f"(x), "f"(y)))
ONE(div_approx_f32, float, asm("div.approx.f32 %0, %1, %2;" : "=f"(z) : "f"(x), "f"(y)))
ONE(rcp_rn_f32, float, z = __frcp_rn(x))
ONE(rcp_approx_f32, float, asm("rcp.approx.f32 %0, %1;" : "=f"(z) : "f"(x)))
ONE(rcp_approx_ftz_f32, float, asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(z) : "f"(x)))
ONE(sqrt_rn_f32, float, z = __fsqrt_rn(x))
ONE(sqrt_approx_f32, float, asm("sqrt.approx.f32 %0, %1;" : "=f"(z) : "f"(x)))
ONE(rsqrt_approx_f32, float, asm("rsqrt.approx.f32 %0, %1;" : "=f"(z) : "f"(x)))
ONE(sin_approx_f32, float, z = __sinf(x))
ONE(cos_approx_f32, float, z = __cosf(x))
ONE(ex2_approx_f32, float, asm("ex2.approx.f32 %0, %1;" : "=f"(z) : "f"(x)))
ONE(lg2_approx_f32, float, asm("lg2.approx.f32 %0, %1;" : "=f"(z) : "f"(x)))
ONE(neg_f32, float, z = -x)
ONE(abs_f32, float, z = fabsf(x))
ONE(add_f64, double, z = x + y)
ONE(fma_f64, double, z = fma(x, y, x))
ONE(div_rn_f64, double, z = x / y)
ONE(rcp_rn_f64, double, z = __drcp_rn(x))
ONE(sqrt_rn_f64, double, z = __dsqrt_rn(x))
ONE(rsqrt_approx_f64, double, asm("rsqrt.approx.f64 %0, %1;" : "=d"(z) : "d"(x)))
ONE(neg_f64, double, z = -x)
ONE(exp_f32, float, z = expf(x))
ONE(log_f32, float, z = logf(x))
ONE(pow_f32, float, z = powf(x, y))
ONE(sin_f32, float, z = sinf(x))
ONE(tanh_f32, float, z = tanhf(x))
ONE(exp_f64, double, z = exp(x))
ONE(log_f64, double, z = log(x))
ONE(sin_f64, double, z = sin(x))

__global__ void add_shared_f32(const float* in, const float*, float* out) {
  __shared__ float sum[256];
  sum[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&sum[threadIdx.x], in[blockIdx.x * blockDim.x + threadIdx.x]);
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum[threadIdx.x];
}

__global__ void add_shared_f64(const double* in, const double*, double* out) {
  __shared__ double sum[256];
  sum[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&sum[threadIdx.x], in[blockIdx.x * blockDim.x + threadIdx.x]);
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum[threadIdx.x];
}

__global__ void fma_f16x2(const float* in, const float* other, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const __half2 x = __float2half2_rn(in[i]), y = __float2half2_rn(other[i]);
  out[i] = __low2float(__hfma2(x, y, x));
}

__global__ void add_f16x2(const float* in, const float* other, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const __half2 x = __float2half2_rn(in[i]), y = __float2half2_rn(other[i]);
  out[i] = __low2float(__hadd2(x, y));
}

template <class T>
struct Buffers {
  static constexpr int kCount = 8192;
  T *in, *other, *out;
  Buffers() {
    static T x[kCount], y[kCount];
    for (int i = 0; i < kCount; ++i) {
      x[i] = T(1) + T(i) / kCount;
      y[i] = T(2) - T(i) / kCount / 2;
    }
    cudaMalloc(&in, sizeof x);
    cudaMalloc(&other, sizeof y);
    cudaMalloc(&out, sizeof x);
    cudaMemcpy(in, x, sizeof x, cudaMemcpyHostToDevice);
    cudaMemcpy(other, y, sizeof y, cudaMemcpyHostToDevice);
  }
  void run(void (*kernel)(const T*, const T*, T*)) const {
    kernel<<<kCount / 256, 256>>>(in, other, out);
  }
};

int main() {
  const Buffers<float> single;
  for (auto kernel :
       {add_f32,        mul_f32,         fma_f32,          div_rn_f32,     div_rz_f32,
        div_full_f32,   div_approx_f32,  rcp_rn_f32,       rcp_approx_f32, rcp_approx_ftz_f32,
        sqrt_rn_f32,    sqrt_approx_f32, rsqrt_approx_f32, sin_approx_f32, cos_approx_f32,
        ex2_approx_f32, lg2_approx_f32,  neg_f32,          abs_f32,        exp_f32,
        log_f32,        pow_f32,         sin_f32,          tanh_f32,       add_shared_f32,
        fma_f16x2,      add_f16x2})
    single.run(kernel);
  const Buffers<double> twice;
  for (auto kernel : {add_f64, fma_f64, div_rn_f64, rcp_rn_f64, sqrt_rn_f64, rsqrt_approx_f64,
                      neg_f64, exp_f64, log_f64, sin_f64, add_shared_f64})
    twice.run(kernel);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
