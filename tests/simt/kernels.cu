// SPDX-License-Identifier: Apache-2.0
// Source of kernels.ptx, which the tests load; made as docs/simt.md says.
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define TID ((int)__nvvm_read_ptx_sreg_tid_x())
#define TIDY ((int)__nvvm_read_ptx_sreg_tid_y())
#define BLOCK ((int)__nvvm_read_ptx_sreg_ctaid_x())
#define BLOCKY ((int)__nvvm_read_ptx_sreg_ctaid_y())
#define THREADS ((int)__nvvm_read_ptx_sreg_ntid_x())
#define BLOCKS ((int)__nvvm_read_ptx_sreg_nctaid_x())
typedef float Float4 __attribute__((ext_vector_type(4)));

extern "C" __global__ void copy(const float* in, float* out, int n) {
  int i = BLOCK * THREADS + TID;
  if (i < n) out[i] = in[i];
}

extern "C" __global__ void copy4(const Float4* in, Float4* out, int n) {
  int i = BLOCK * THREADS + TID;
  if (i < n) out[i] = in[i];
}

extern "C" __global__ void transpose_naive(const float* in, float* out, int n) {
  int x = BLOCK * 32 + TID, y = BLOCKY * 32 + TIDY;
  out[x * n + y] = in[y * n + x];
}

extern "C" __global__ void transpose_tiled(const float* in, float* out, int n) {
  __shared__ float t[32][32];
  t[TIDY][TID] = in[(BLOCKY * 32 + TIDY) * n + BLOCK * 32 + TID];
  __syncthreads();
  out[(BLOCK * 32 + TIDY) * n + BLOCKY * 32 + TID] = t[TID][TIDY];
}

extern "C" __global__ void transpose_padded(const float* in, float* out, int n) {
  __shared__ float t[32][33];
  t[TIDY][TID] = in[(BLOCKY * 32 + TIDY) * n + BLOCK * 32 + TID];
  __syncthreads();
  out[(BLOCK * 32 + TIDY) * n + BLOCKY * 32 + TID] = t[TID][TIDY];
}

extern "C" __global__ void histogram(const unsigned* in, unsigned* bins, int n) {
  __shared__ unsigned local[64];
  if (TID < 64) local[TID] = 0;
  __syncthreads();
  int i = BLOCK * THREADS + TID;
  if (i < n) __nvvm_atom_add_gen_i((int*)&local[in[i]], 1);
  __syncthreads();
  if (TID < 64) __nvvm_atom_add_gen_i((int*)&bins[TID], local[TID]);
}

extern "C" __global__ void sum_atomics(const float* in, float* out, int n) {
  int i = BLOCK * THREADS + TID;
  if (i < n) __nvvm_atom_add_gen_f(out, in[i]);
}

extern "C" __global__ void sum_tree(const float* in, float* out, int n) {
  __shared__ float s[256];
  float v = 0;
  for (int i = BLOCK * THREADS + TID; i < n; i += THREADS * BLOCKS) v += in[i];
  s[TID] = v;
  __syncthreads();
  for (int o = 128; o > 0; o >>= 1) {
    if (TID < o) s[TID] += s[TID + o];
    __syncthreads();
  }
  if (TID == 0) __nvvm_atom_add_gen_f(out, s[0]);
}
