// SPDX-License-Identifier: Apache-2.0
// Source of simt_kernels.ptx: see the command in simt_bench.cpp.
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define TID ((int)__nvvm_read_ptx_sreg_tid_x())
#define BLOCK ((int)__nvvm_read_ptx_sreg_ctaid_x())
#define THREADS ((int)__nvvm_read_ptx_sreg_ntid_x())
#define BLOCKS ((int)__nvvm_read_ptx_sreg_nctaid_x())

extern "C" __global__ void saxpy(float a, const float* x, float* y, int n) {
  int i = BLOCK * THREADS + TID;
  if (i < n) y[i] = a * x[i] + y[i];
}

extern "C" __global__ void matmul(const float* a, const float* b, float* c, int n) {
  __shared__ float ta[32][32], tb[32][32];
  int tx = TID, ty = __nvvm_read_ptx_sreg_tid_y();
  int row = __nvvm_read_ptx_sreg_ctaid_y() * 32 + ty, col = BLOCK * 32 + tx;
  float sum = 0;
  for (int t = 0; t < n; t += 32) {
    ta[ty][tx] = a[row * n + t + tx];
    tb[ty][tx] = b[(t + ty) * n + col];
    __syncthreads();
    for (int k = 0; k < 32; ++k) sum += ta[ty][k] * tb[k][tx];
    __syncthreads();
  }
  c[row * n + col] = sum;
}

extern "C" __global__ void reduce(const float* x, float* out, int n) {
  __shared__ float s[32];
  float v = 0;
  for (int i = BLOCK * THREADS + TID; i < n; i += THREADS * BLOCKS) v += x[i];
  for (int o = 16; o; o >>= 1) v += __nvvm_shfl_sync_bfly_f32(0xffffffff, v, o, 31);
  if ((TID & 31) == 0) s[TID >> 5] = v;
  __syncthreads();
  if (TID >= 32) return;
  v = TID < THREADS / 32 ? s[TID] : 0;
  for (int o = 16; o; o >>= 1) v += __nvvm_shfl_sync_bfly_f32(0xffffffff, v, o, 31);
  if (TID == 0) out[BLOCK] = v;
}

extern "C" __global__ void transpose(const float* in, float* out, int n) {
  __shared__ float t[32][33];
  int tx = TID, ty = __nvvm_read_ptx_sreg_tid_y();
  int x = BLOCK * 32 + tx, y = __nvvm_read_ptx_sreg_ctaid_y() * 32 + ty;
  for (int j = 0; j < 32; j += 8) t[ty + j][tx] = in[(y + j) * n + x];
  __syncthreads();
  x = __nvvm_read_ptx_sreg_ctaid_y() * 32 + tx;
  y = BLOCK * 32 + ty;
  for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = t[tx][ty + j];
}
