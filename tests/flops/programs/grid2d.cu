// SPDX-License-Identifier: Apache-2.0
// A picture of 50 x 30 points in blocks of 16 x 16, three additions each: 4,500.
// expect: smooth 0 sp=4500 grid=4,2,1 block=16,16,1
__global__ void smooth(const float* in, float* out, int width, int height) {
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x >= width || y >= height) return;
  const int right = x + 1 < width ? 1 : 0, down = y + 1 < height ? width : 0;
  const float* at = in + y * width + x;
  out[y * width + x] = at[0] + at[right] + at[down] + at[right + down];
}

int main() {
  float *in, *out;
  cudaMalloc(&in, 1500 * sizeof(float));
  cudaMalloc(&out, 1500 * sizeof(float));
  cudaMemset(in, 0, 1500 * sizeof(float));
  smooth<<<dim3(4, 2), dim3(16, 16)>>>(in, out, 50, 30);
  return cudaDeviceSynchronize();
}
