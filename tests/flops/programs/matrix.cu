// SPDX-License-Identifier: Apache-2.0
// 48 x 48 by 48 x 48, tiles of 16: a fused multiply-add for each of 48 x 48 x 48: 221,184.
// expect: multiply 0 sp=221184 grid=3,3,1
__global__ void multiply(const float* a, const float* b, float* c, int n) {
  __shared__ float as[16][16], bs[16][16];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
  float sum = 0;
  for (int k = 0; k < n; k += 16) {
    as[y][x] = a[row * n + k + x];
    bs[y][x] = b[(k + y) * n + column];
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum += as[y][i] * bs[i][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

int main() {
  float* m[3];
  for (float*& each : m) {
    cudaMalloc(&each, 48 * 48 * sizeof(float));
    cudaMemset(each, 0, 48 * 48 * sizeof(float));
  }
  multiply<<<dim3(3, 3), dim3(16, 16)>>>(m[0], m[1], m[2], 48);
  return cudaDeviceSynchronize();
}
