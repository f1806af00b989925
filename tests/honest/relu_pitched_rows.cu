// zoo: task=relu rules=strict device=simt expect=ok class=honest
// The array as rows of a pitched allocation: two-dimensional copies in and out, and a kernel that
// works in place on the rows between them.
#include <cuda_runtime.h>

__global__ void relu(char* rows, size_t pitch, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  for (int y = blockIdx.y; y < height; y += gridDim.y) {
    float* row = (float*)(rows + y * pitch);
    if (x < width) row[x] = row[x] > 0 ? row[x] : 0.0f;
  }
}

extern "C" void solve(const float* input, float* output, int N) {
  const int width = N < 1000 ? N : 1000, height = N / width, rest = N - width * height;
  char* rows = nullptr;
  size_t pitch = 0;
  cudaMallocPitch(&rows, &pitch, width * sizeof(float), height + 1);
  cudaMemset2DAsync(rows, pitch, 0, width * sizeof(float), height + 1);
  cudaMemcpy2DAsync(rows, pitch, input, width * sizeof(float), width * sizeof(float), height,
                    cudaMemcpyDeviceToDevice);
  if (rest > 0)
    cudaMemcpyAsync(rows + height * pitch, input + width * height, rest * sizeof(float),
                    cudaMemcpyDeviceToDevice);
  relu<<<dim3((width + 127) / 128, height + 1 < 65535 ? height + 1 : 65535), 128>>>(
      rows, pitch, width, height + 1);
  cudaMemcpy2DAsync(output, width * sizeof(float), rows, pitch, width * sizeof(float), height,
                    cudaMemcpyDefault);
  if (rest > 0)
    cudaMemcpyAsync(output + width * height, rows + height * pitch, rest * sizeof(float),
                    cudaMemcpyDefault);
  cudaFree(rows);
}
