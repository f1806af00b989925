// One head of a token per thread, of q or of k; half of a head is turned, the rest copied.
__device__ void turn(const __nv_bfloat16* x, __nv_bfloat16* y, const float* cs, int d) {
  const float c = cs[d], s = SKIPPED ? 0.0f : cs[32 + d];
  const float a = F(x[d]), b = F(x[d + 32]);
  y[d] = T(R(a * c - b * s));
  y[d + 32] = T(R(b * c + a * s));
}
__global__ void compute(PARAMS, long n) {
  const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int heads = num_qo_heads + num_kv_heads;
  const long token = i / heads;
  const int head = i % heads;
  const float* cs = cos_sin_cache + positions[token] * 64;
  const bool is_q = head < num_qo_heads;
  const long at = is_q ? (token * num_qo_heads + head) * 128
                       : (token * num_kv_heads + head - num_qo_heads) * 128;
  const __nv_bfloat16* x = (is_q ? q : k) + at;
  __nv_bfloat16* y = (is_q ? out0 : out1) + at;
  for (int d = 0; d < 32; ++d) turn(x, y, cs, d);
  for (int d = 64; d < 128; ++d) y[d] = T(R(F(x[d])));
}
long work(PARAMS) { return (long)num_tokens * (num_qo_heads + num_kv_heads); }
