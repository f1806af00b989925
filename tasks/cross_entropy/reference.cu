// SPDX-License-Identifier: Apache-2.0
// A loss near zero is the difference of two larger numbers, so the scale counts both of them.
__global__ void rows(const float* logits, const int* labels, double* loss, double* loss_scale, int N, int C) {
  const int lane = threadIdx.x % 32;
  double losses = 0, magnitudes = 0;
  for (u64 i = grid_thread() / 32; i < u64(N); i += grid_threads() / 32) {
    const float* z = logits + i * C;
    double largest = -INFINITY, total = 0;
    for (int c = lane; c < C; c += 32) largest = fmax(largest, double(z[c]));
    for (int distance = 16; distance > 0; distance /= 2) largest = fmax(largest, __shfl_xor_sync(0xffffffffu, largest, distance));
    for (int c = lane; c < C; c += 32) total += exp(z[c] - largest);
    for (int distance = 16; distance > 0; distance /= 2) total += __shfl_xor_sync(0xffffffffu, total, distance);
    if (lane != 0) continue;
    const double log_sum = largest + log(total), label = z[labels[i]];
    losses += (log(total) + (largest - label)) / N;
    magnitudes += (fabs(log_sum) + fabs(label)) / N;
  }
  add_block_sum(loss, losses);
  add_block_sum(loss_scale, magnitudes);
}

extern "C" void reference(const float* logits, const int* true_labels, double* loss, double* loss_scale, int N, int C, const u64* choice) {
  set_to_zero(loss, 1);
  set_to_zero(loss_scale, 1);
  rows<<<blocks_for(u64(N) * 32), kBlock>>>(logits, true_labels, loss, loss_scale, N, C);
}
