// SPDX-License-Identifier: Apache-2.0
__global__ void count_tokens(const int* labels, double* tokens, int N) {
  double count = 0;
  for (u64 n = grid_thread(); n < u64(N); n += grid_threads()) count += labels[n] != -100;
  add_block_sum(tokens, count);
}

__global__ void rows(const float* logits, const int* labels, const double* tokens, double* loss, double* loss_scale, double* dlogits,
                     double* dlogits_scale, int N, int V, float grad_scale) {
  for (int n = blockIdx.x; n < N; n += gridDim.x) {
    const float* row = logits + size_t(n) * V;
    double* to = dlogits + size_t(n) * V;
    double* scale = dlogits_scale + size_t(n) * V;
    const int label = labels[n];
    if (label == -100) {
      for (int v = threadIdx.x; v < V; v += kBlock) to[v] = scale[v] = 0;
      continue;
    }
    double largest = -INFINITY, sum = 0;
    for (int v = threadIdx.x; v < V; v += kBlock) largest = fmax(largest, double(row[v]));
    largest = block_max(largest);
    for (int v = threadIdx.x; v < V; v += kBlock) sum += exp(row[v] - largest);
    sum = block_sum(sum);
    const double factor = grad_scale / *tokens;
    const double lse = largest + log(sum);
    for (int v = threadIdx.x; v < V; v += kBlock) {
      const double p = exp(row[v] - largest) / sum;
      // The difference first: the label's share may be all but 1.
      to[v] = factor * (v == label ? p - 1 : p);
      scale[v] = factor * p * (1 + fabs(double(row[v])) + fabs(lse)) + (v == label ? factor : 0);
    }
    if (threadIdx.x != 0) continue;
    atomicAdd(loss, (lse - row[label]) / *tokens);
    atomicAdd(loss_scale, (fabs(lse) + fabs(double(row[label]))) / *tokens);
  }
}

extern "C" void reference(const float* logits, const int* labels, double* loss, double* loss_scale, double* dlogits,
                          double* dlogits_scale, int N, int V, float grad_scale, const u64* choice) {
  double* tokens = nullptr;
  cudaMalloc(&tokens, sizeof(double));
  set_to_zero(tokens, 1);
  set_to_zero(loss, 1);
  set_to_zero(loss_scale, 1);
  count_tokens<<<blocks_for(N), kBlock>>>(labels, tokens, N);
  rows<<<blocks_of_rows(N), kBlock>>>(logits, labels, tokens, loss, loss_scale, dlogits, dlogits_scale, N, V, grad_scale);
  cudaFree(tokens);
}
