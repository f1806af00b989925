__global__ void compute(PARAMS, long n) {
  const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (i >= n) return;
  const long column = i % width, row = i / width % height, filter = i / width / height % filters,
             batch = i / width / height / filters;
  float sum = conv_bias[filter];
  for (int c = 0; c < channels; ++c)
    for (int r = -1; r < 2; ++r)
      for (int k = -1; k < 2; ++k)
        if (row + r >= 0 && row + r < height && column + k >= 0 && column + k < width)
          sum += R(x[((batch * channels + c) * height + row + r) * width + column + k]) *
                 R(conv_weight[((filter * channels + c) * 3 + r + 1) * 3 + k + 1]);
  out[i] = R(OP(tanhf, sum));
}
long work(PARAMS) { return (long)batch_size * filters * height * width; }
