// One head of a query per thread; pages of 64 keys.
__global__ void compute(PARAMS, long n) {
  const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int row = i / HEADS, kv = (i % HEADS) / (HEADS / KV_HEADS);
  int b = 0;
  while (qo_indptr[b + 1] <= row) ++b;
  const int rows = qo_indptr[b + 1] - qo_indptr[b], pages = kv_indptr[b + 1] - kv_indptr[b];
  const int keys = pages > 0 ? (pages - 1) * 64 + kv_last_page_len[b] : 0;
  const int seen = pages > 0 ? min(keys, row - qo_indptr[b] + 1 + keys - rows) : 0;
  float top = -INFINITY, sum = 0, acc[128];
  for (int d = 0; d < 128; ++d) acc[d] = 0;
  for (int pass = 0; pass < 2; ++pass) {
    for (int j = 0; j < (SKIPPED ? keys : seen); ++j) {
      const long page = kv_indices[kv_indptr[b] + j / 64];
      const long at = ((page * 64 + j % 64) * KV_HEADS + kv) * 128;
      float s = 0;
      for (int d = 0; d < 128; ++d) s += F(q[i * 128 + d]) * F(k_cache[at + d]);
      s = R(s * sm_scale);
      if (pass == 0) {
        top = fmaxf(top, s);
        continue;
      }
      const float w = expf(s - top);
      sum += w;
      for (int d = 0; d < 128; ++d) acc[d] += w * F(v_cache[at + d]);
    }
  }
  for (int d = 0; d < 128; ++d) out0[i * 128 + d] = T(seen > 0 ? R(acc[d] / sum) : 0.0f);
  out1[i] = seen > 0 ? R((top + logf(sum)) * 1.4426950408889634f) : -INFINITY;
}
long work(PARAMS) { return (long)total_q * HEADS; }
