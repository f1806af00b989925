// bug: kind=misaligned line=7
// Bytes are read as an int at every offset.
// run: --grid 1 --block 16 --arg x=buf:u8:64:iota --arg y=buf:i32:16
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(const unsigned char* x, int* y) {
  y[threadIdx.x] = *reinterpret_cast<const int*>(x + threadIdx.x);  // BUG
}
