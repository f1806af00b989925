// expect: RUNTIME_ERROR
// Work on a stream of its own that nobody waits for.
__global__ void heavy(float* p) {
  for (int i = 0; i < 1000; ++i) p[threadIdx.x] = p[threadIdx.x] * 1.5f + 1;
}
void run(torch::Tensor x, torch::Tensor w, torch::Tensor y) {
  normalise(x, w, y);
  cudaStream_t side;
  cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
  float* big = nullptr;
  cudaMalloc(&big, 256 * sizeof(float));
  cudaMemsetAsync(big, 0, 256 * sizeof(float), side);
  heavy<<<1, 256, 0, side>>>(big);
}
