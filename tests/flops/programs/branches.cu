// SPDX-License-Identifier: Apache-2.0
// Values 0 to 99; those from 60 on are squared (one product), the others get one added and are
// doubled (two): 40 x 1 + 60 x 2.
//
// expect: branch 0 sp=160
__global__ void branch(float* x, int n) {
  const int i = threadIdx.x;
  if (i >= n) return;
  volatile float* v = x;
  const float a = v[i];
  if (a >= 60.0f) {
    v[i] = a * a;
  } else {
    v[i] = a + 1.0f;
    v[i] = v[i] * 2.5f;
  }
}

int main() {
  float host[100], *x;
  for (int i = 0; i < 100; ++i) host[i] = i;
  cudaMalloc(&x, sizeof host);
  cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
  branch<<<1, 128>>>(x, 100);
  return cudaDeviceSynchronize();
}
