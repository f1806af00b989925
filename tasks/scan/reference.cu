// SPDX-License-Identifier: Apache-2.0
// A block adds up a part; one thread adds up the parts; each thread of a block then goes through its
// own share of the part from where the shares before it end.
constexpr int kShare = 16;
constexpr int kPart = kBlock * kShare;

__global__ void add_parts(const float* input, double* parts, double* part_scales, int N) {
  double sum = 0, magnitude = 0;
  const u64 first = u64(blockIdx.x) * kPart;
  for (u64 i = first + threadIdx.x; i < u64(N) && i < first + kPart; i += kBlock) {
    sum += input[i];
    magnitude += fabs(double(input[i]));
  }
  sum = block_sum(sum);
  magnitude = block_sum(magnitude);
  if (threadIdx.x != 0) return;
  parts[blockIdx.x] = sum;
  part_scales[blockIdx.x] = magnitude;
}

// What lies before each part.
__global__ void add_up(double* parts, double* part_scales, int count) {
  double sum = 0, magnitude = 0;
  for (int i = 0; i < count; ++i) {
    const double part = parts[i], scale = part_scales[i];
    parts[i] = sum;
    part_scales[i] = magnitude;
    sum += part;
    magnitude += scale;
  }
}

__global__ void prefixes(const float* input, const double* parts, const double* part_scales, double* output, double* output_scale, int N) {
  __shared__ double sums[kBlock], magnitudes[kBlock];
  const u64 first = u64(blockIdx.x) * kPart + u64(threadIdx.x) * kShare;
  double sum = 0, magnitude = 0;
  for (u64 i = first; i < u64(N) && i < first + kShare; ++i) {
    sum += input[i];
    magnitude += fabs(double(input[i]));
  }
  sums[threadIdx.x] = sum;
  magnitudes[threadIdx.x] = magnitude;
  __syncthreads();
  sum = parts[blockIdx.x];
  magnitude = part_scales[blockIdx.x];
  for (int t = 0; t < int(threadIdx.x); ++t) {
    sum += sums[t];
    magnitude += magnitudes[t];
  }
  for (u64 i = first; i < u64(N) && i < first + kShare; ++i) {
    output[i] = sum += input[i];
    output_scale[i] = magnitude += fabs(double(input[i]));
  }
}

extern "C" void reference(const float* input, double* output, double* output_scale, int N, const u64* choice) {
  const int count = int((u64(N) + kPart - 1) / kPart);
  double *parts = nullptr, *part_scales = nullptr;
  cudaMalloc(&parts, sizeof(double) * count);
  cudaMalloc(&part_scales, sizeof(double) * count);
  add_parts<<<count, kBlock>>>(input, parts, part_scales, N);
  add_up<<<1, 1>>>(parts, part_scales, count);
  prefixes<<<count, kBlock>>>(input, parts, part_scales, output, output_scale, N);
  cudaFree(parts);
  cudaFree(part_scales);
}
