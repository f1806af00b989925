// SPDX-License-Identifier: Apache-2.0
// The k-th largest value is found digit by digit, from the highest byte of the values' ordered bits on. Then
// all larger ones are gathered, and put where the number of larger ones says.
struct Search {
  unsigned prefix;      // the digits found so far
  unsigned mask;        // where they are
  int wanted;           // how many values with that prefix are among the k
  int gathered;         // larger than the k-th
  unsigned count[256];  // values with the prefix, by their next digit
};

// Larger values have larger numbers.
__device__ unsigned ordered(float value) {
  const unsigned bits = __float_as_uint(value);
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}
__device__ float value_of(unsigned number) {
  return __uint_as_float(number & 0x80000000u ? number & 0x7FFFFFFFu : ~number);
}

__global__ void begin(Search* s, int k) {
  if (threadIdx.x == 0) {
    s->prefix = s->mask = 0;
    s->wanted = k;
    s->gathered = 0;
  }
  s->count[threadIdx.x] = 0;
}

__global__ void count_digits(const float* input, Search* s, int N, int shift) {
  __shared__ unsigned count[256];
  count[threadIdx.x] = 0;
  __syncthreads();
  for (u64 i = grid_thread(); i < u64(N); i += grid_threads()) {
    const unsigned number = ordered(input[i]);
    if ((number & s->mask) == s->prefix) atomicAdd(&count[number >> shift & 255], 1u);
  }
  __syncthreads();
  if (count[threadIdx.x] != 0) atomicAdd(&s->count[threadIdx.x], count[threadIdx.x]);
}

__global__ void pick_digit(Search* s, int shift) {
  int digit = 255;
  while (int(s->count[digit]) < s->wanted) s->wanted -= int(s->count[digit--]);
  s->prefix |= unsigned(digit) << shift;
  s->mask |= 255u << shift;
  for (int i = 0; i < 256; ++i) s->count[i] = 0;
}

__global__ void gather(const float* input, Search* s, unsigned* larger, int N) {
  for (u64 i = grid_thread(); i < u64(N); i += grid_threads()) {
    const unsigned number = ordered(input[i]);
    if (number > s->prefix) larger[atomicAdd(&s->gathered, 1)] = number;
  }
}

__global__ void place(const Search* s, const unsigned* larger, float* output, int k) {
  const int n = s->gathered;
  for (u64 i = grid_thread(); i < u64(k); i += grid_threads()) {
    if (i >= u64(n)) {
      output[i] = value_of(s->prefix);
      continue;
    }
    int rank = 0;
    for (int j = 0; j < n; ++j) rank += larger[j] > larger[i] || (larger[j] == larger[i] && j < int(i));
    output[rank] = value_of(larger[i]);
  }
}

extern "C" void reference(const float* input, float* output, int N, int k, const u64* choice) {
  Search* search = nullptr;
  unsigned* larger = nullptr;
  cudaMalloc(&search, sizeof(Search));
  cudaMalloc(&larger, sizeof(unsigned) * size_t(k));
  begin<<<1, 256>>>(search, k);
  for (int shift = 24; shift >= 0; shift -= 8) {
    count_digits<<<blocks_for(N / 4), kBlock>>>(input, search, N, shift);
    pick_digit<<<1, 1>>>(search, shift);
  }
  gather<<<blocks_for(N), kBlock>>>(input, search, larger, N);
  place<<<blocks_for(k), kBlock>>>(search, larger, output, k);
  cudaFree(search);
  cudaFree(larger);
}
