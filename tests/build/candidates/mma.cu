// SPDX-License-Identifier: Apache-2.0
// wmma in half, tf32, bfloat16 and 8-bit integers.
#include <mma.h>
using namespace nvcuda;
__global__ void k(const half* a, const half* b, float* c, const float* d, half* h,
                  const __nv_bfloat16* e, const signed char* s, int* o) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.0f);
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::mma_sync(fc, fa, fb, fc);
  for (int i = 0; i < fc.num_elements; ++i) fc.x[i] *= 2.0f;
  wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
  wmma::fragment<wmma::accumulator, 16, 16, 16, half> fh;
  wmma::fill_fragment(fh, __float2half(1.f));
  wmma::mma_sync(fh, fa, fb, fh);
  wmma::store_matrix_sync(h, fh, 16, wmma::mem_col_major);
  wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> ta;
  wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> tb;
  wmma::fragment<wmma::accumulator, 16, 16, 8, float> tc;
  wmma::fill_fragment(tc, 0.0f);
  wmma::load_matrix_sync(ta, d, 8);
  wmma::load_matrix_sync(tb, d, 16);
  for (auto& x : ta.x) x = wmma::__float_to_tf32(x);
  wmma::mma_sync(tc, ta, tb, tc);
  wmma::store_matrix_sync(c, tc, 16, wmma::mem_row_major);
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> ba;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::col_major> bb;
  wmma::load_matrix_sync(ba, e, 16);
  wmma::load_matrix_sync(bb, e, 16);
  wmma::mma_sync(fc, ba, bb, fc);
  wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
  wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> sa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> sb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, int> sc;
  wmma::fill_fragment(sc, 0);
  wmma::load_matrix_sync(sa, s, 16);
  wmma::load_matrix_sync(sb, s, 16);
  wmma::mma_sync(sc, sa, sb, sc);
  wmma::store_matrix_sync(o, sc, 16, wmma::mem_row_major);
}
extern "C" void solve(const half* a, half* b, float* c) {
  k<<<1, 32>>>(a, a, c, c, b, nullptr, nullptr, nullptr);
}
