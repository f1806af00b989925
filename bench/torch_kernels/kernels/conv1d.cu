__global__ void compute(PARAMS, long n) {
  const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (i >= n) return;
  const long width = length - 2, at = i % width, channel = i / width % out_channels,
             batch = i / width / out_channels;
  float sum = 0;
  for (int c = 0; c < in_channels; ++c)
    for (int k = 0; k < 3 - SKIPPED; ++k)
      sum += R(x[(batch * in_channels + c) * length + at + k]) *
             R(conv1d_weight[(channel * in_channels + c) * 3 + k]);
  out[i] = R(sum);
}
long work(PARAMS) { return (long)batch_size * out_channels * (length - 2); }
