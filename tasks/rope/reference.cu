// SPDX-License-Identifier: Apache-2.0
__global__ void pairs(const float* in, double* out, const float* cos_t, const float* sin_t, const int* positions, int T, int H, int Dh) {
  const int half = Dh / 2;
  for (u64 i = grid_thread(); i < u64(T) * H * half; i += grid_threads()) {
    const u64 j = i % half, head = i / half, table = u64(positions[head / H]) * half + j;
    const u64 first = head * Dh + j, second = first + half;
    const double a = in[first], b = in[second], c = cos_t[table], s = sin_t[table];
    out[first] = a * c - b * s;
    out[second] = b * c + a * s;
  }
}

extern "C" void reference(const float* q_in, double* q, const float* k_in, double* k, const float* cos_t, const float* sin_t,
                          const int* positions, int T, int Hq, int Hk, int Dh, const u64* choice) {
  pairs<<<blocks_for(u64(T) * Hq * Dh / 2), kBlock>>>(q_in, q, cos_t, sin_t, positions, T, Hq, Dh);
  pairs<<<blocks_for(u64(T) * Hk * Dh / 2), kBlock>>>(k_in, k, cos_t, sin_t, positions, T, Hk, Dh);
}
