// SPDX-License-Identifier: Apache-2.0
// Rows may be long and few: several blocks share one. Row i has three sums: values, squared distances from the mean,
// magnitudes.
enum { kValues, kSquares, kMagnitudes, kSums };
constexpr int kPart = 16384;

__global__ void add_up(const float* input, double* sums, int N, int C, int parts, bool centred) {
  for (u64 at = blockIdx.x; at < u64(N) * parts; at += gridDim.x) {
    const u64 row = at / parts;
    const int first = int(at % parts) * kPart;
    const double mean = centred ? sums[kSums * row + kValues] / C : 0;
    double sum = 0, magnitude = 0;
    for (int c = first + threadIdx.x; c < C && c < first + kPart; c += kBlock) {
      const double d = input[row * C + c] - mean;
      sum += centred ? d * d : d;
      magnitude += fabs(d);
    }
    add_block_sum(&sums[kSums * row + (centred ? kSquares : kValues)], sum);
    if (!centred) add_block_sum(&sums[kSums * row + kMagnitudes], magnitude);
  }
}

__global__ void normalise(const float* input, const float* weight, const float* bias, const double* sums, double* output,
                          double* output_scale, int N, int C, float eps) {
  for (u64 i = grid_thread(); i < u64(N) * C; i += grid_threads()) {
    const u64 row = i / C, c = i % C;
    const double* of_row = sums + kSums * row;
    const double scale = 1 / sqrt(of_row[kSquares] / C + eps);
    output[i] = (input[i] - of_row[kValues] / C) * scale * weight[c] + bias[c];
    output_scale[i] = (fabs(double(input[i])) + of_row[kMagnitudes] / C) * scale * fabs(double(weight[c])) + fabs(double(bias[c]));
  }
}

extern "C" void reference(const float* input, const float* weight, const float* bias, double* output, double* output_scale, int N,
                          int C, float eps, const u64* choice) {
  const int parts = (C + kPart - 1) / kPart;
  double* sums = nullptr;
  cudaMalloc(&sums, sizeof(double) * kSums * size_t(N));
  set_to_zero(sums, kSums * u64(N));
  add_up<<<blocks_of_rows(u64(N) * parts), kBlock>>>(input, sums, N, C, parts, false);
  add_up<<<blocks_of_rows(u64(N) * parts), kBlock>>>(input, sums, N, C, parts, true);
  normalise<<<blocks_for(u64(N) * C), kBlock>>>(input, weight, bias, sums, output, output_scale, N, C, eps);
  cudaFree(sums);
}
