// SPDX-License-Identifier: Apache-2.0
// Sums and scans by CUB.
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cuda/std/functional>
#include <thrust/iterator/counting_iterator.h>

#include <cmath>

#include "harness.h"

namespace comparators {

namespace {

struct SquaredDifference {
  const float* a;
  const float* b;
  float factor;
  __host__ __device__ float operator()(int i) const {
    const float d = a[i] - b[i];
    return d * d * factor;
  }
};

struct Product {
  const float* a;
  const float* b;
  __host__ __device__ float operator()(int i) const { return a[i] * b[i]; }
};

struct Scaled {
  const float* a;
  float factor;
  __host__ __device__ float operator()(int i) const { return a[i] * factor; }
};

struct RowLoss {
  const float* logits;
  const int* labels;
  int classes;
  float factor;
  __host__ __device__ float operator()(int row) const {
    const float* z = logits + static_cast<std::size_t>(row) * classes;
    float largest = z[0];
    for (int c = 1; c < classes; ++c) largest = fmaxf(largest, z[c]);
    float sum = 0;
    for (int c = 0; c < classes; ++c) sum += expf(z[c] - largest);
    return (logf(sum) + largest - z[labels[row]]) * factor;
  }
};

/// cub::DeviceReduce::TransformReduce over 0 .. n-1, with memory asked for once.
template <class Term>
Op sum_of(const char* name, Term term, int n, float* result, Arena& arena) {
  const auto call = [=](void* work, std::size_t& bytes, cudaStream_t s) {
    return cub::DeviceReduce::TransformReduce(work, bytes, thrust::counting_iterator<int>(0), result,
                                              n, cuda::std::plus<float>{}, term, 0.0f, s);
  };
  std::size_t bytes = 0;
  require(call(nullptr, bytes, nullptr), "ask CUB for its workspace");
  void* work = arena.bytes(bytes);
  Op op;
  op.name = name;
  op.run = [=](cudaStream_t s) {
    std::size_t have = bytes;
    call(work, have, s);
  };
  return op;
}

std::vector<Op> reduce(const Values& v, Arena& arena) {
  const int n = int(v.at("N"));
  float* in = arena.make<float>(n);
  float* out = arena.make<float>(1);
  fill_uniform(in, n, 0, 1, 1);
  drift(in, n, 0.5, 1.5);
  std::size_t bytes = 0;
  require(cub::DeviceReduce::Sum(nullptr, bytes, in, out, n), "ask CUB for its workspace");
  void* work = arena.bytes(bytes);
  Op op;
  op.name = "cub.reduce";
  op.run = [=](cudaStream_t s) {
    std::size_t have = bytes;
    cub::DeviceReduce::Sum(work, have, in, out, n, s);
  };
  op.error = [=] {
    double sum = 0;
    for (const float x : download(in, n)) sum += x;
    return relative_error({download(out, 1)[0]}, {sum});
  };
  return {op};
}

std::vector<Op> mse(const Values& v, Arena& arena) {
  const int n = int(v.at("N"));
  float* a = arena.make<float>(n);
  float* b = arena.make<float>(n);
  float* out = arena.make<float>(1);
  fill_uniform(a, n, -10, 10, 1);
  fill_uniform(b, n, -10, 10, 2);
  drift(a, n, 0.5, 1.5);
  drift(b, n, 0.5, 1.5);
  Op op = sum_of("cub.transform_reduce", SquaredDifference{a, b, 1.0f / n}, n, out, arena);
  op.error = [=] {
    const auto ha = download(a, n), hb = download(b, n);
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += (double(ha[i]) - hb[i]) * (double(ha[i]) - hb[i]);
    return relative_error({download(out, 1)[0]}, {sum / n});
  };
  return {op};
}

std::vector<Op> dot(const Values& v, Arena& arena) {
  const int n = int(v.at("N"));
  float* a = arena.make<float>(n);
  float* b = arena.make<float>(n);
  float* out = arena.make<float>(1);
  fill_uniform(a, n, 0.5, 1.5, 1);
  drift(a, n, 0.5, 1.5);
  fill_normal(b, n, 0.25, 1, 2);
  Op op = sum_of("cub.transform_reduce", Product{a, b}, n, out, arena);
  op.error = [=] {
    const auto ha = download(a, n), hb = download(b, n);
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += double(ha[i]) * hb[i];
    return relative_error({download(out, 1)[0]}, {sum});
  };
  return {op};
}

/// The suite's samples are sin(2 pi x); their sum is near 0, so the error is seen against 1.
std::vector<Op> monte_carlo(const Values& v, Arena& arena) {
  const int n = int(v.at("n_samples"));
  const double length = v.at("b") - v.at("a");
  float* y = arena.make<float>(n);
  float* out = arena.make<float>(1);
  fill_uniform(y, n, -1, 1, 1);
  Op op = sum_of("cub.transform_reduce", Scaled{y, static_cast<float>(length / n)}, n, out, arena);
  op.note = "uniform samples in [-1, 1) instead of a sine's";
  op.error = [=] {
    double sum = 0;
    for (const float x : download(y, n)) sum += x;
    return std::fabs(download(out, 1)[0] - sum * length / n);
  };
  return {op};
}

std::vector<Op> cross_entropy(const Values& v, Arena& arena) {
  const int n = int(v.at("N")), c = int(v.at("C"));
  float* logits = arena.make<float>(std::size_t(n) * c);
  int* labels = arena.make<int>(n);
  float* out = arena.make<float>(1);
  fill_uniform(logits, std::size_t(n) * c, -10, 10, 1);
  drift(logits, std::size_t(n) * c, 0.5, 1.5);
  fill_ints(labels, n, 0, c - 1, 2);
  Op op = sum_of("cub.transform_reduce", RowLoss{logits, labels, c, 1.0f / n}, n, out, arena);
  op.note = "one row per term";
  op.error = [=] {
    const auto z = download(logits, std::size_t(n) * c);
    const auto label = download(labels, n);
    double loss = 0;
    for (int row = 0; row < n; ++row) {
      double sum = 0;
      for (int k = 0; k < c; ++k) sum += std::exp(double(z[std::size_t(row) * c + k]));
      loss += std::log(sum) - z[std::size_t(row) * c + label[row]];
    }
    return relative_error({download(out, 1)[0]}, {loss / n});
  };
  return {op};
}

std::vector<Op> scan(const Values& v, Arena& arena) {
  const int n = int(v.at("N"));
  float* in = arena.make<float>(n);
  float* out = arena.make<float>(n);
  fill_normal(in, n, 0.1, 1, 1);
  std::size_t bytes = 0;
  require(cub::DeviceScan::InclusiveSum(nullptr, bytes, in, out, n), "ask CUB for its workspace");
  void* work = arena.bytes(bytes);
  Op op;
  op.name = "cub.scan";
  op.run = [=](cudaStream_t s) {
    std::size_t have = bytes;
    cub::DeviceScan::InclusiveSum(work, have, in, out, n, s);
  };
  op.error = [=] {
    const auto hi = download(in, n), ho = download(out, n);
    std::vector<double> expected(n);
    double sum = 0;
    for (int i = 0; i < n; ++i) expected[i] = sum += hi[i];
    return relative_error({ho.begin(), ho.end()}, expected);
  };
  return {op};
}

}  // namespace

std::vector<TaskRow> reduce_rows() {
  return {{"reduce", reduce},           {"mse", mse},
          {"dot", dot},                 {"monte_carlo", monte_carlo},
          {"cross_entropy", cross_entropy}, {"scan", scan}};
}

}  // namespace comparators
