// One head of a query per thread, in two passes over its keys.
__global__ void compute(PARAMS, long n) {
  const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int row = i / HEADS, head = i % HEADS;
  int b = 0;
  while (qo_indptr[b + 1] <= row) ++b;
  const int rows = qo_indptr[b + 1] - qo_indptr[b], keys = kv_indptr[b + 1] - kv_indptr[b];
  const int seen = min(keys, row - qo_indptr[b] + 1 + keys - rows);
  const int kv = head / (HEADS / KV_HEADS);
  float top = -INFINITY, sum = 0, acc[128];
  for (int d = 0; d < 128; ++d) acc[d] = 0;
  for (int pass = 0; pass < 2; ++pass) {
    for (int j = 0; j < (SKIPPED ? keys : seen); ++j) {
      const long at = ((long)(kv_indptr[b] + j) * KV_HEADS + kv) * 128;
      float s = 0;
      for (int d = 0; d < 128; ++d) s += F(q[i * 128 + d]) * F(k[at + d]);
      s = R(s * sm_scale);
      if (pass == 0) {
        top = fmaxf(top, s);
        continue;
      }
      const float w = expf(s - top);
      sum += w;
      for (int d = 0; d < 128; ++d) acc[d] += w * F(v[at + d]);
    }
  }
  for (int d = 0; d < 128; ++d) out0[i * 128 + d] = T(keys > 0 ? R(acc[d] / sum) : 0.0f);
  out1[i] = keys > 0 ? R((top + logf(sum)) * 1.4426950408889634f) : -INFINITY;
}
long work(PARAMS) { return (long)total_q * HEADS; }
