__device__ float after(float v) {
  v = fmaxf(v, 0.0f);
  return v * fminf(fmaxf((v + 3.0f) / 6.0f, 0.0f), 1.0f);
}
__global__ void compute(PARAMS, long n) {
  const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (i >= n) return;
  const long h = height - 2, w = width - 2, column = i % w, row = i / w % h, channel = i / w / h % out_channels,
             batch = i / w / h / out_channels;
  float sum = conv_bias[channel];
  for (int c = 0; c < in_channels; ++c)
    for (int r = 0; r < 3; ++r)
      for (int k = 0; k < 3; ++k)
        sum += R(x[((batch * in_channels + c) * height + row + r) * width + column + k]) *
               R(conv_weight[((channel * in_channels + c) * 3 + r) * 3 + k]);
  out[i] = R(OP(after, sum));
}
long work(PARAMS) { return (long)batch_size * out_channels * (height - 2) * (width - 2); }
