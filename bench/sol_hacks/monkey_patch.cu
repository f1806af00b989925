// expect: RUNTIME_ERROR
// The function that measures is replaced: every interval takes a microsecond.
extern "C" cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t, cudaEvent_t) {
  *ms = 0.001f;
  return cudaSuccess;
}
void run(torch::Tensor x, torch::Tensor w, torch::Tensor y) { normalise(x, w, y); }
