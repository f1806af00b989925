// SPDX-License-Identifier: Apache-2.0
// A structure by value: 40 threads, each a fused multiply-add of a double: 80.
// expect: apply 0 dp=80
struct Line {
  double* values;
  double slope, start;
  int count;
};

__global__ void apply(Line line) {
  const int i = threadIdx.x;
  if (i < line.count) line.values[i] = line.values[i] * line.slope + line.start;
}

int main() {
  Line line{nullptr, 2, 1, 40};
  cudaMalloc(&line.values, 40 * sizeof(double));
  cudaMemset(line.values, 0, 40 * sizeof(double));
  apply<<<1, 64>>>(line);
  return cudaDeviceSynchronize();
}
