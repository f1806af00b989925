// bug: kind=global_race line=9
// The first guess is stored as well as tried: what it was depends on who came first.
// run: --grid 4 --block 32 --arg sum=buf:u32:1:fill,0 --arg seen=buf:u32:4
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(unsigned* sum, unsigned* seen) {
  if (threadIdx.x != 0) return;
  const unsigned* place = sum;
  unsigned assumed = __ldcg(place);  // BUG
  seen[blockIdx.x] = assumed;
  for (unsigned old; (old = atomicCAS(sum, assumed, assumed + 1)) != assumed;) assumed = old;
}
