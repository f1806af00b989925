// SPDX-License-Identifier: Apache-2.0
// The host halves 8 until it is below 1: 4, 2, 1, 0.5. Four launches of one thread, one product
// each; how many there are depends on what each of them wrote.
//
// expect: halve 0 sp=1
// expect: halve 3 sp=1
// expect-not: halve 4
__global__ void halve(float* x) { *x *= 0.5f; }

int main() {
  float host = 8, *x;
  cudaMalloc(&x, sizeof host);
  cudaMemcpy(x, &host, sizeof host, cudaMemcpyHostToDevice);
  while (host >= 1) {
    halve<<<1, 1>>>(x);
    cudaMemcpy(&host, x, sizeof host, cudaMemcpyDeviceToHost);
  }
}
