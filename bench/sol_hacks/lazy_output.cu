// expect: RUNTIME_ERROR
// The result is there when somebody asks for it: a callback of the stream computes it later.
static void later(void* p) { (*static_cast<void (**)()>(p))(); }
static torch::Tensor kept_x, kept_w, kept_y;
static void compute() { normalise(kept_x, kept_w, kept_y); }
static void (*work)() = compute;
void run(torch::Tensor x, torch::Tensor w, torch::Tensor y) {
  kept_x = x, kept_w = w, kept_y = y;
  cudaLaunchHostFunc(0, later, &work);
}
