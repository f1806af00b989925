// SPDX-License-Identifier: Apache-2.0
__global__ void words(const unsigned* from, unsigned* to, u64 count) {
  for (u64 i = grid_thread(); i < count; i += grid_threads()) to[i] = from[i];
}

extern "C" void reference(const float* A, float* B, int N, const u64* choice) {
  const u64 count = u64(N) * N;
  words<<<blocks_for(count), kBlock>>>(reinterpret_cast<const unsigned*>(A), reinterpret_cast<unsigned*>(B), count);
}
