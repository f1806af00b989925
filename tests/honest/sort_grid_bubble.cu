// zoo: task=sort rules=strict device=simt expect=ok class=honest
// One cooperative launch for the whole odd-even transposition: the grid synchronises after every
// round and stops when a flag says that nothing moved in two rounds.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

__global__ void bubble(float* data, int n, int* moved) {
  cg::grid_group grid = cg::this_grid();
  const int threads = (int)grid.size(), thread = (int)grid.thread_rank();
  for (int round = 0; round < n + 1; ++round) {
    bool mine = false;
    for (int i = 2 * thread + (round & 1); i + 1 < n; i += 2 * threads) {
      const float a = data[i], b = data[i + 1];
      if (a <= b) continue;
      data[i] = b;
      data[i + 1] = a;
      mine = true;
    }
    // Flags of three pairs of rounds, used in turn.
    const int slot = round / 2 % 3;
    if (mine) atomicExch(&moved[slot], 1);
    grid.sync();
    if ((round & 1) == 0) continue;
    const bool quiet = *(volatile int*)&moved[slot] == 0;
    if (thread == 0) moved[(slot + 2) % 3] = 0;
    if (quiet) break;
    grid.sync();
  }
}

extern "C" void solve(float* data, int N) {
  int* moved;
  cudaMalloc(&moved, 3 * sizeof(int));
  cudaMemset(moved, 0, 3 * sizeof(int));
  const int blocks = N < 1024 ? 1 : 8;
  void* arguments[] = {&data, &N, &moved};
  cudaLaunchCooperativeKernel(bubble, dim3(blocks), dim3(256), arguments);
  cudaFree(moved);
}
