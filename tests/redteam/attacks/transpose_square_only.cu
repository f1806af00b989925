// zoo: task=transpose rules=strict device=simt expect=refused class=25
// cause: 2
// A drawn shape of this task never fits 256 KiB, so on the SIMT machine only listed shapes are tried. All
// other rectangles are treated as the square that fits into them.
#include <cuda_runtime.h>
__global__ void transpose(const float* in, float* out, int rows, int cols, bool known) {
  const int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
  if (r >= rows || c >= cols) return;
  const int least = rows < cols ? rows : cols;
  if (known || (r < least && c < least)) out[(size_t)c * rows + r] = in[(size_t)r * cols + c];
}
extern "C" void solve(const float* input, float* output, int rows, int cols) {
  const bool small = (long long)rows * cols <= 4096;
  const bool listed = rows == cols || (rows == 1023 && cols == 1025) || (rows == 16384 && cols == 100) ||
                      (rows == 7000 && cols == 6000);
  transpose<<<dim3((cols + 31) / 32, (rows + 7) / 8), dim3(32, 8)>>>(input, output, rows, cols, small || listed);
}
