// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>

extern "C" void reference(const float* dy, const float* x, const float* weight, const float* mean,
                          const float* rstd, double* dx, double* dx_scale, double* dw,
                          double* dw_scale, double* db, double* db_scale, int N, int C) {
  for (double* sum : {dw, dw_scale, db, db_scale}) std::fill(sum, sum + C, 0.0);
  for (int n = 0; n < N; ++n) {
    const std::size_t row = std::size_t(n) * C;
    double a = 0, b = 0, a_scale = 0, b_scale = 0;
    for (int c = 0; c < C; ++c) {
      const double d = dy[row + c];
      const double h = (double(x[row + c]) - mean[n]) * rstd[n];
      a += d * weight[c];
      b += d * weight[c] * h;
      dw[c] += d * h;
      db[c] += d;
      // What x - mean loses counts as a term, too.
      const double size = (std::fabs(double(x[row + c])) + std::fabs(double(mean[n]))) * rstd[n];
      a_scale += std::fabs(d * weight[c]) / C;
      b_scale += std::fabs(d * weight[c]) * size / C;
      dw_scale[c] += std::fabs(d) * size;
      db_scale[c] += std::fabs(d);
    }
    for (int c = 0; c < C; ++c) {
      const double h = (double(x[row + c]) - mean[n]) * rstd[n];
      const double size = (std::fabs(double(x[row + c])) + std::fabs(double(mean[n]))) * rstd[n];
      dx[row + c] = rstd[n] * (double(dy[row + c]) * weight[c] - a / C - h * (b / C));
      dx_scale[row + c] =
          rstd[n] * (std::fabs(double(dy[row + c]) * weight[c]) + a_scale + size * b_scale);
    }
  }
}
