// One head of a request per thread.
__global__ void compute(PARAMS, long n) {
  const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int b = i / HEADS, kv = (i % HEADS) / (HEADS / KV_HEADS);
  const int begin = kv_indptr[b], end = kv_indptr[b + 1];
  float top = -INFINITY, sum = 0, acc[128];
  for (int d = 0; d < 128; ++d) acc[d] = 0;
  for (int pass = 0; pass < 2; ++pass) {
    for (int j = begin; j < end; ++j) {
      const long at = ((long)kv_indices[j] * KV_HEADS + kv) * 128;
      float s = 0;
      for (int d = 0; d < 128; ++d) s += F(q[i * 128 + d]) * F(k_cache[at + d]);
      s = R(SKIPPED ? s : s * sm_scale);
      if (pass == 0) {
        top = fmaxf(top, s);
        continue;
      }
      const float w = expf(s - top);
      sum += w;
      for (int d = 0; d < 128; ++d) acc[d] += w * F(v_cache[at + d]);
    }
  }
  for (int d = 0; d < 128; ++d) out0[i * 128 + d] = T(end > begin ? R(acc[d] / sum) : 0.0f);
  out1[i] = end > begin ? R((top + logf(sum)) * 1.4426950408889634f) : -INFINITY;
}
long work(PARAMS) { return (long)batch_size * HEADS; }
