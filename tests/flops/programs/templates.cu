// SPDX-License-Identifier: Apache-2.0
// Two instances of one template: 128 single products, then 64 double ones.
// expect: scale 0 sp=128 block=128,1,1
// expect: scale 0 dp=64 block=64,1,1
template <class T>
__global__ void scale(T* x, T by) {
  x[threadIdx.x] *= by;
}

int main() {
  float* f;
  double* d;
  cudaMalloc(&f, 128 * sizeof(float));
  cudaMalloc(&d, 64 * sizeof(double));
  scale<float><<<1, 128>>>(f, 3.0f);
  scale<double><<<1, 64>>>(d, 3.0);
  return cudaDeviceSynchronize();
}
