// SPDX-License-Identifier: Apache-2.0
// Source of tasks.ptx: kernels of the kinds that the suite asks for, as a compiler translates them.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define TID ((int)__nvvm_read_ptx_sreg_tid_x())
#define TIDY ((int)__nvvm_read_ptx_sreg_tid_y())
#define BLOCK ((int)__nvvm_read_ptx_sreg_ctaid_x())
#define BLOCKY ((int)__nvvm_read_ptx_sreg_ctaid_y())
#define THREADS ((int)__nvvm_read_ptx_sreg_ntid_x())
#define THREADSY ((int)__nvvm_read_ptx_sreg_ntid_y())
extern "C" __device__ float __nv_expf(float);
extern "C" __device__ float __nv_fmaxf(float, float);

extern "C" __global__ void softmax(const float* x, float* y, int columns) {
  extern __shared__ float s[];
  const float* row = x + (long)BLOCK * columns;
  float top = -1e30f, sum = 0;
  for (int i = TID; i < columns; i += THREADS) top = __nv_fmaxf(top, row[i]);
  s[TID] = top;
  __syncthreads();
  for (int o = THREADS / 2; o; o >>= 1) {
    if (TID < o) s[TID] = __nv_fmaxf(s[TID], s[TID + o]);
    __syncthreads();
  }
  top = s[0];
  __syncthreads();
  for (int i = TID; i < columns; i += THREADS) sum += __nv_expf(row[i] - top);
  s[TID] = sum;
  __syncthreads();
  for (int o = THREADS / 2; o; o >>= 1) {
    if (TID < o) s[TID] += s[TID + o];
    __syncthreads();
  }
  sum = s[0];
  for (int i = TID; i < columns; i += THREADS) y[(long)BLOCK * columns + i] = __nv_expf(row[i] - top) / sum;
}

extern "C" __global__ void scan(const int* x, int* y, int n) {
  __shared__ int t[256];
  t[TID] = TID < n ? x[TID] : 0;
  __syncthreads();
  for (int o = 1; o < 256; o <<= 1) {
    int before = TID >= o ? t[TID - o] : 0;
    __syncthreads();
    t[TID] += before;
    __syncthreads();
  }
  if (TID < n) y[TID] = t[TID];
}

extern "C" __global__ void bitonic(int* x) {
  __shared__ int s[256];
  s[TID] = x[TID];
  __syncthreads();
  for (int k = 2; k <= 256; k <<= 1)
    for (int j = k >> 1; j; j >>= 1) {
      int p = TID ^ j;
      if (p > TID) {
        bool up = (TID & k) == 0;
        int a = s[TID], b = s[p];
        if ((a > b) == up) {
          s[TID] = b;
          s[p] = a;
        }
      }
      __syncthreads();
    }
  x[TID] = s[TID];
}

extern "C" __global__ void solve3(const float* a, const float* b, float* x, int n) {
  int i = BLOCK * THREADS + TID;
  if (i >= n) return;
  float m[3][4];
  for (int r = 0; r < 3; r++) {
    for (int c = 0; c < 3; c++) m[r][c] = a[i * 9 + r * 3 + c];
    m[r][3] = b[i * 3 + r];
  }
  for (int k = 0; k < 3; k++) {
    int p = k;
    for (int r = k + 1; r < 3; r++)
      if (__builtin_fabsf(m[r][k]) > __builtin_fabsf(m[p][k])) p = r;
    for (int c = 0; c < 4; c++) {
      float t = m[k][c];
      m[k][c] = m[p][c];
      m[p][c] = t;
    }
    for (int r = k + 1; r < 3; r++) {
      float f = m[r][k] / m[k][k];
      for (int c = k; c < 4; c++) m[r][c] -= f * m[k][c];
    }
  }
  for (int r = 2; r >= 0; r--) {
    float s = m[r][3];
    for (int c = r + 1; c < 3; c++) s -= m[r][c] * x[i * 3 + c];
    x[i * 3 + r] = s / m[r][r];
  }
}

extern "C" __global__ void top_k(const float* x, float* y, int n, int k) {
  if (TID != 0) return;
  for (int j = 0; j < k; j++) y[j] = -1e30f;
  for (int i = 0; i < n; i++) {
    float v = x[i];
    for (int j = 0; j < k; j++)
      if (v > y[j]) {
        float t = y[j];
        y[j] = v;
        v = t;
      }
  }
}

extern "C" __global__ void convolve(const float* in, const float* w, float* out, int height, int width, int k) {
  int x = BLOCK * THREADS + TID, y = BLOCKY * THREADSY + TIDY;
  if (x >= width - k + 1 || y >= height - k + 1) return;
  float s = 0;
  for (int i = 0; i < k; i++)
    for (int j = 0; j < k; j++) s += in[(y + i) * width + x + j] * w[i * k + j];
  out[y * (width - k + 1) + x] = s;
}

extern "C" __global__ void chains(const unsigned long long* x, int* y, int n) {
  int i = BLOCK * THREADS + TID;
  if (i >= n) return;
  unsigned long long v = x[i];
  int steps = 0;
  while (v != 1) {
    if (v % 3 == 0)
      v /= 3;
    else
      v = 2 * v + 1;
    if (++steps > 200) break;
  }
  y[i] = steps;
}
