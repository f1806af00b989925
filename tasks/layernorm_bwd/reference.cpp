// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>

extern "C" void reference(const float* dy, const float* x, const float* weight, const float* mean, const float* rstd, double* dx,
                          double* dw, double* dw_scale, double* db, double* db_scale, int N, int C) {
  for (double* sum : {dw, dw_scale, db, db_scale}) std::fill(sum, sum + C, 0.0);
  for (int n = 0; n < N; ++n) {
    const std::size_t row = std::size_t(n) * C;
    double a = 0, b = 0;
    for (int c = 0; c < C; ++c) {
      const double d = dy[row + c];
      const double h = (double(x[row + c]) - mean[n]) * rstd[n];
      a += d * weight[c];
      b += d * weight[c] * h;
      dw[c] += d * h;
      db[c] += d;
      // What x - mean loses counts as a term, too.
      dw_scale[c] += std::fabs(d) * (std::fabs(double(x[row + c])) + std::fabs(double(mean[n]))) * rstd[n];
      db_scale[c] += std::fabs(d);
    }
    for (int c = 0; c < C; ++c) {
      const double h = (double(x[row + c]) - mean[n]) * rstd[n];
      dx[row + c] = rstd[n] * (double(dy[row + c]) * weight[c] - a / C - h * (b / C));
    }
  }
}
