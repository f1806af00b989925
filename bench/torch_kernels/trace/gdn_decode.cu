// One row of a head's state per thread.
__global__ void compute(PARAMS, long n) {
  const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (i >= n) return;
  const long head = i / 128, b_ = head / 8;
  const int h = head % 8, kh = h / 2;
  const float x = F(a[head]) + dt_bias[h];
  const float soft = x > 20 ? x : log1pf(expf(x));
  const float g = SKIPPED ? 1.0f : expf(-expf(A_log[h]) * soft);
  const float beta = 1 / (1 + expf(-F(b[head])));
  const __nv_bfloat16* key = k + (b_ * 4 + kh) * 128;
  const __nv_bfloat16* query = q + (b_ * 4 + kh) * 128;
  float old = 0;
  for (int c = 0; c < 128; ++c) old += F(key[c]) * g * state[i * 128 + c];
  const float value = beta * F(v[i]) + (1 - beta) * old;
  float sum = 0;
  for (int c = 0; c < 128; ++c) {
    const float s = R(g * state[i * 128 + c] + F(key[c]) * (value - old));
    out1[i * 128 + c] = s;
    sum += F(query[c]) * s;
  }
  out0[i] = T(R(sum * scale));
}
long work(PARAMS) { return (long)batch_size * 8 * 128; }
