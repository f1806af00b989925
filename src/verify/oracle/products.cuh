// SPDX-License-Identifier: Apache-2.0
#pragma once

// Matrix products and least squares, checked from the inputs: they decide as rule_freivalds.cpp and
// rule_ols.cpp do, with vectors that are drawn after the call.

#include "verify/oracle/compare.cuh"
#include "verify/projection.h"

namespace warpwright::verify {

extern "C" __global__ void __launch_bounds__(kThreads)
    oracle_product_vectors(const ProductCall call) {
  for (u64 i = thread_number(); i < call.cols * kVectors; i += threads_of_grid())
    put(call.vectors, i, projection_number(i, call.key));
}

struct Projection {
  double on[kVectors] = {};
  double squares = 0;

  __device__ void add(double value, u64 vectors, u64 j) {
    for (int v = 0; v < kVectors; ++v) on[v] += value * at<double>(vectors, j * kVectors + v);
    squares += value * value;
  }
  __device__ void gather() {
    for (int v = 0; v < kVectors; ++v) on[v] = block_sum(on[v]);
    squares = block_sum(squares);
  }
};

extern "C" __global__ void __launch_bounds__(kThreads) oracle_product_right(const ProductCall call) {
  double squares = 0;
  for (u64 k = blockIdx.x; k < call.inner; k += gridDim.x) {
    Projection row;
    for (u64 j = threadIdx.x; j < call.cols; j += kThreads)
      row.add(at<float>(call.right, k * call.cols + j), call.vectors, j);
    row.gather();
    squares += row.squares;
    if (threadIdx.x == 0)
      for (int v = 0; v < kVectors; ++v) put(call.projected, k * kVectors + v, row.on[v]);
  }
  if (threadIdx.x == 0) atomicAdd(reinterpret_cast<double*>(call.squares), squares);
}

/// The sums that an entry is judged by, in all threads of the block.
struct EntrySums {
  double sum = 0, left = 0, right = 0;
};
__device__ inline EntrySums entry_sums(const ProductCall& call, u64 i, u64 j) {
  EntrySums all;
  for (u64 k = threadIdx.x; k < call.inner; k += kThreads) {
    const double a = at<float>(call.left, i * call.inner + k);
    const double b = at<float>(call.right, k * call.cols + j);
    all.sum += a * b;
    all.left += a * a;
    all.right += b * b;
  }
  all.sum = block_sum(all.sum);
  all.left = block_sum(all.left);
  all.right = block_sum(all.right);
  return all;
}

/// entry_accepted() of rule_freivalds.cpp.
__device__ inline bool entry_accepted(const ProductCall& call, const EntrySums& sums, double got) {
  const double underflow =
      static_cast<ElementType>(call.type) == ElementType::f16 ? 0x1p-25 : 0.0;
  const double scale = sqrt(sums.left) * sqrt(sums.right) / sqrt(static_cast<double>(call.inner));
  const double bound = call.relative * fabs(sums.sum) + call.share * scale;
  return accepted(call.type, got, sums.sum, bound + underflow);
}

__device__ inline bool is_entry_right(const ProductCall& call, u64 i, u64 j) {
  const EntrySums sums = entry_sums(call, i, j);
  return entry_accepted(call, sums, element(call.got, i * call.cols + j, call.type));
}

/// row_overflows() of rule_freivalds.cpp: the first and the last entry of the row that are no
/// numbers should be none.
__device__ inline bool row_overflows(const ProductCall& call, u64 i) {
  u64 first = call.cols, last = 0;
  for (u64 j = threadIdx.x; j < call.cols; j += kThreads) {
    if (finite(element(call.got, i * call.cols + j, call.type))) continue;
    if (first == call.cols) first = j;
    last = j;
  }
  first = block_least(first);
  last = call.cols - 1 - block_least(call.cols - 1 - last);
  return is_entry_right(call, i, first) && is_entry_right(call, i, last);
}

extern "C" __global__ void __launch_bounds__(kThreads) oracle_product_rows(const ProductCall call) {
  const double right_norm = sqrt(at<double>(call.squares, 0));
  Tally tally;
  for (u64 i = blockIdx.x; i < call.rows; i += gridDim.x) {
    Projection want, have;
    for (u64 k = threadIdx.x; k < call.inner; k += kThreads)
      want.add(at<float>(call.left, i * call.inner + k), call.projected, k);
    for (u64 j = threadIdx.x; j < call.cols; j += kThreads)
      have.add(element(call.got, i * call.cols + j, call.type), call.vectors, j);
    want.gather();
    have.gather();
    const double usual = sqrt(want.squares / static_cast<double>(call.inner)) * right_norm;
    const double scale = fmax(usual, sqrt(have.squares));
    bool right = true;
    if (!finite(have.squares)) {
      right = row_overflows(call, i);
    } else {
      for (int v = 0; v < kVectors; ++v)
        right = right && fabs(want.on[v] - have.on[v]) <= call.residual * scale;
    }
    if (threadIdx.x == 0 && !right) tally.blame(i * call.cols);
  }
  CheckRecord* record = reinterpret_cast<CheckRecord*>(call.record);
  if (report(tally, record) && seen(record).wrong != 0) record->failed = 1;
}

/// Entries::compare() of rule_freivalds.cpp, from the sums of products and of squares.
__device__ inline void compare_entry(const ProductCall& call, u64 i, u64 j, const EntrySums& sums,
                                     Tally& tally) {
  const double scale = sqrt(sums.left) * sqrt(sums.right) / sqrt(static_cast<double>(call.inner));
  const double got = element(call.got, i * call.cols + j, call.type);
  const double wanted = sums.sum;
  if (!entry_accepted(call, sums, got)) tally.blame(i * call.cols + j);
  if (!finite(got) || !finite(wanted) || scale <= 0) return;
  const double size = fmax(scale, fabs(wanted));
  const double error = error_beyond_step(call.type, got, wanted) / size;
  tally.errors += error * error;
  ++tally.compared;
}

__device__ inline void decide_entries(const ProductCall& call, const Tally& tally) {
  CheckRecord* record = reinterpret_cast<CheckRecord*>(call.record);
  if (!report(tally, record)) return;
  const CheckRecord all = seen(record);
  const bool inexact = all.compared != 0 && !(sqrt(all.errors / static_cast<double>(all.compared)) <=
                                              call.rel_rms);
  if (all.wrong != 0 || inexact) record->failed = 1;
}

/// All entries, a thread each: neighbours read neighbours of the right matrix.
extern "C" __global__ void __launch_bounds__(kThreads) oracle_product_all(const ProductCall call) {
  Tally tally;
  for (u64 e = thread_number(); e < call.rows * call.cols; e += threads_of_grid()) {
    const u64 i = e / call.cols, j = e % call.cols;
    EntrySums sums;
    for (u64 k = 0; k < call.inner; ++k) {
      const double a = at<float>(call.left, i * call.inner + k);
      const double b = at<float>(call.right, k * call.cols + j);
      sums.sum += a * b;
      sums.left += a * a;
      sums.right += b * b;
    }
    compare_entry(call, i, j, sums, tally);
  }
  decide_entries(call, tally);
}

/// Sampled entries, a block each.
extern "C" __global__ void __launch_bounds__(kThreads)
    oracle_product_entries(const ProductCall call) {
  Tally tally;
  for (u64 e = blockIdx.x; e < call.entries; e += gridDim.x) {
    const SampledEntry entry = sampled_entry(e, call.rows, call.cols, call.key);
    const EntrySums sums = entry_sums(call, entry.row, entry.column);
    if (threadIdx.x == 0) compare_entry(call, entry.row, entry.column, sums, tally);
  }
  decide_entries(call, tally);
}

inline constexpr int kColumnsPerWarp = 8;
inline constexpr int kWarps = kThreads / 32;
inline constexpr int kColumnsAtOnce = kColumnsPerWarp * kWarps;

/// Residuals of kThreads rows at a time in shared memory; then each warp adds up its columns.
extern "C" __global__ void __launch_bounds__(kThreads) oracle_ols_sums(const OlsCall call) {
  __shared__ double residuals[kThreads];
  const u64 cols = call.cols;
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  double* sums = reinterpret_cast<double*>(call.sums);
  double residual_squares = 0, response_squares = 0;
  for (u64 group = 0; group < cols; group += kColumnsAtOnce) {
    double products[kColumnsPerWarp] = {}, squares[kColumnsPerWarp] = {};
    for (u64 tile = blockIdx.x * u64{kThreads}; tile < call.rows; tile += threads_of_grid()) {
      const u64 row = tile + threadIdx.x;
      double residual = 0;
      if (row < call.rows) {
        const double y = at<float>(call.response, row);
        residual = y;
        for (u64 j = 0; j < cols; ++j)
          residual -= at<float>(call.design, row * cols + j) * element(call.got, j, call.type);
        if (group == 0) {
          residual_squares += residual * residual;
          response_squares += y * y;
        }
      }
      __syncthreads();
      residuals[threadIdx.x] = residual;
      __syncthreads();
      const u64 here = call.rows - tile < kThreads ? call.rows - tile : kThreads;
      for (int c = 0; c < kColumnsPerWarp; ++c) {
        const u64 column = group + static_cast<u64>(c * kWarps + warp);
        if (column >= cols) continue;
        for (u64 r = static_cast<u64>(lane); r < here; r += 32) {
          const double x = at<float>(call.design, (tile + r) * cols + column);
          products[c] += x * residuals[r];
          squares[c] += x * x;
        }
      }
    }
    for (int c = 0; c < kColumnsPerWarp; ++c) {
      const u64 column = group + static_cast<u64>(c * kWarps + warp);
      if (column >= cols) continue;
      atomicAdd(sums + column, products[c]);
      atomicAdd(sums + cols + column, squares[c]);
    }
  }
  residual_squares = block_sum(residual_squares);
  response_squares = block_sum(response_squares);
  if (threadIdx.x != 0) return;
  atomicAdd(sums + 2 * cols, residual_squares);
  atomicAdd(sums + 2 * cols + 1, response_squares);
}

/// One block.
extern "C" __global__ void __launch_bounds__(kThreads) oracle_ols_decide(const OlsCall call) {
  double largest = 0;
  for (u64 j = 0; j < call.cols; ++j) {
    const double size = fabs(at<double>(call.expected, j));
    if (largest < size) largest = size;
  }
  const u64 cols = call.cols;
  const double scale = sqrt(at<double>(call.sums, 2 * cols)) + sqrt(at<double>(call.sums, 2 * cols + 1));
  Tally tally;
  for (u64 j = threadIdx.x; j < cols; j += kThreads) {
    const double got = element(call.got, j, call.type);
    const double product = fabs(at<double>(call.sums, j));
    const double bound = call.gradient * sqrt(at<double>(call.sums, cols + j)) * scale;
    const bool near = close_enough(got, at<double>(call.expected, j), call.forward * largest);
    if (!near || !finite(got) || !(product <= bound)) tally.blame(j);
  }
  CheckRecord* record = reinterpret_cast<CheckRecord*>(call.record);
  if (report(tally, record) && seen(record).wrong != 0) record->failed = 1;
}

}  // namespace warpwright::verify
