// bug: kind=benign_race line=11
// The first guess of two halves comes from the L2 cache, by another form of the address than the swap's.
// run: --grid 4 --block 32 --arg sum=buf:u32:64:fill,0
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(unsigned* sum) {
  struct Two {
    unsigned low, high;
  };
  Two* pair = reinterpret_cast<Two*>(sum) + threadIdx.x;
  unsigned assumed = __ldcg(&pair->high);  // BUG
  unsigned old = atomicCAS(&pair->high, assumed, assumed + 3);
  while (old != assumed) {
    assumed = old;
    old = atomicCAS(&pair->high, assumed, assumed + 3);
  }
}
