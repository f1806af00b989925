// zoo: task=relu rules=strict device=simt expect=ok class=honest
// The input is read through a texture object over linear memory.
#include <cuda_runtime.h>

__global__ void relu(cudaTextureObject_t input, float* output, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) output[i] = fmaxf(tex1Dfetch<float>(input, i), 0.0f);
}

extern "C" void solve(const float* input, float* output, int N) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = (void*)input;
  resource.res.linear.desc = cudaCreateChannelDesc<float>();
  resource.res.linear.sizeInBytes = (size_t)N * sizeof(float);
  cudaTextureDesc how = {};
  how.readMode = cudaReadModeElementType;
  cudaTextureObject_t texture = 0;
  cudaCreateTextureObject(&texture, &resource, &how, nullptr);
  relu<<<(N + 255) / 256, 256>>>(texture, output, N);
  cudaDestroyTextureObject(texture);
}
