// zoo: task=histogram rules=strict device=simt expect=ok class=honest
// Counting on tensor cores: a bin is a row and a column; one-hot rows times one-hot columns of 32
// values at a time is an m16n8k32 integer product whose entries are the counts of 128 bins.
#include <cuda_runtime.h>

constexpr int kThreads = 128;

__device__ void mma(int (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// Values of a quarter of the k range, four to a thread, one byte each: 1 where it is `wanted`.
__device__ unsigned equal_bytes(unsigned packed, unsigned wanted) {
  return __vcmpeq4(packed, wanted * 0x01010101u) & 0x01010101u;
}

__global__ void __launch_bounds__(kThreads)
    count(const int* in, int* bins, int n, int num_bins) {
  const int lane = threadIdx.x % 32, group = lane / 4, quad = lane % 4;
  const int warp = (blockIdx.x * kThreads + threadIdx.x) / 32, warps = gridDim.x * kThreads / 32;
  const int first_bin = blockIdx.y * 128;
  int c[4] = {};
  for (int base = warp * 32; base < n; base += warps * 32) {
    const int i = base + lane;
    const int v = i < n ? in[i] : -1;
    const unsigned bin = (unsigned)v - (unsigned)first_bin;
    const bool mine = v >= 0 && v < num_bins && bin < 128;
    const unsigned row = mine ? bin / 8 : 255u, column = mine ? bin % 8 : 255u;
    unsigned rows[2] = {}, columns[2] = {};
    for (int half = 0; half < 2; ++half) {
      for (int k = 0; k < 4; ++k) {
        const int from = half * 16 + quad * 4 + k;
        rows[half] |= __shfl_sync(~0u, row, from) << 8 * k;
        columns[half] |= __shfl_sync(~0u, column, from) << 8 * k;
      }
    }
    const unsigned a[4] = {equal_bytes(rows[0], group), equal_bytes(rows[0], group + 8),
                           equal_bytes(rows[1], group), equal_bytes(rows[1], group + 8)};
    const unsigned b[2] = {equal_bytes(columns[0], group), equal_bytes(columns[1], group)};
    mma(c, a, b);
  }
  for (int k = 0; k < 4; ++k) {
    const int bin = first_bin + (group + (k / 2) * 8) * 8 + quad * 2 + k % 2;
    if (bin < num_bins && c[k] != 0) atomicAdd(&bins[bin], c[k]);
  }
}

extern "C" void solve(const int* input, int* histogram, int N, int num_bins) {
  cudaMemset(histogram, 0, num_bins * sizeof(int));
  int blocks = (N + 8 * kThreads - 1) / (8 * kThreads);
  count<<<dim3(blocks > 64 ? 64 : blocks, (num_bins + 127) / 128), kThreads>>>(input, histogram, N,
                                                                              num_bins);
}
