// One head of a request per thread: keys have a part that values share, and one of positions.
__global__ void compute(PARAMS, long n) {
  const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int b = i / 8, begin = kv_indptr[b], end = kv_indptr[b + 1];
  float top = -INFINITY, sum = 0, acc[512];
  for (int d = 0; d < 512; ++d) acc[d] = 0;
  for (int pass = 0; pass < 2; ++pass) {
    for (int j = begin; j < end; ++j) {
      const long page = kv_indices[j];
      float s = 0;
      for (int d = 0; d < 512; ++d) s += F(q_nope[i * 512 + d]) * F(ckv_cache[page * 512 + d]);
      for (int d = 0; d < (SKIPPED ? 0 : 64); ++d)
        s += F(q_pe[i * 64 + d]) * F(kpe_cache[page * 64 + d]);
      s = R(s * sm_scale);
      if (pass == 0) {
        top = fmaxf(top, s);
        continue;
      }
      const float w = expf(s - top);
      sum += w;
      for (int d = 0; d < 512; ++d) acc[d] += w * F(ckv_cache[page * 512 + d]);
    }
  }
  for (int d = 0; d < 512; ++d) out0[i * 512 + d] = T(end > begin ? R(acc[d] / sum) : 0.0f);
  out1[i] = end > begin ? R((top + logf(sum)) * 1.4426950408889634f) : -INFINITY;
}
long work(PARAMS) { return (long)batch_size * 8; }
