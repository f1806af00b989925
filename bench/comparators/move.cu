// SPDX-License-Identifier: Apache-2.0
// Copies, reversal and elementwise functions: the runtime, Thrust and CUB.
#include <cub/device/device_transform.cuh>
#include <cuda/std/tuple>
#include <thrust/execution_policy.h>
#include <thrust/device_ptr.h>
#include <thrust/reverse.h>

#include <cmath>

#include "harness.h"

namespace comparators {

namespace {

struct Sigmoid {
  __host__ __device__ float operator()(float x) const { return 1.0f / (1.0f + expf(-x)); }
};
struct Relu {
  __host__ __device__ float operator()(float x) const { return fmaxf(x, 0.0f); }
};

template <class F>
Op transform(F function, const float* in, float* out, std::size_t n) {
  Op op;
  op.name = "cub.transform";
  op.run = [=](cudaStream_t s) {
    cub::DeviceTransform::Transform(cuda::std::make_tuple(in), out, n, function, s);
  };
  op.error = [=] {
    const auto from = download(in, n), to = download(out, n);
    std::vector<double> expected;
    for (const float x : from) expected.push_back(function(x));
    return relative_error({to.begin(), to.end()}, expected);
  };
  return op;
}

std::vector<Op> sigmoid(const Values& v, Arena& arena) {
  const auto n = static_cast<std::size_t>(v.at("N"));
  float* in = arena.make<float>(n);
  float* out = arena.make<float>(n);
  fill_uniform(in, n, -10, 10, 1);
  return {transform(Sigmoid{}, in, out, n)};
}

std::vector<Op> relu(const Values& v, Arena& arena) {
  const auto n = static_cast<std::size_t>(v.at("N"));
  float* in = arena.make<float>(n);
  float* out = arena.make<float>(n);
  fill_normal(in, n, 0, 1, 1);
  return {transform(Relu{}, in, out, n)};
}

std::vector<Op> copy(const Values& v, Arena& arena) {
  const auto n = static_cast<std::size_t>(v.at("N") * v.at("N"));
  float* in = arena.make<float>(n);
  float* out = arena.make<float>(n);
  fill_normal(in, n, 0, 1, 1);
  Op op;
  op.name = "cudart.memcpy";
  op.run = [=](cudaStream_t s) {
    cudaMemcpyAsync(out, in, n * sizeof(float), cudaMemcpyDeviceToDevice, s);
  };
  op.error = [=] { return download(in, n) == download(out, n) ? 0.0 : 1.0; };
  return {op};
}

std::vector<Op> reverse(const Values& v, Arena& arena) {
  const auto n = static_cast<std::size_t>(v.at("N"));
  float* pristine = arena.make<float>(n);
  float* data = arena.make<float>(n);
  fill_normal(pristine, n, 0, 1, 1);
  Op op;
  op.name = "thrust.reverse";
  op.restore = [=](cudaStream_t s) {
    cudaMemcpyAsync(data, pristine, n * sizeof(float), cudaMemcpyDeviceToDevice, s);
  };
  op.run = [=](cudaStream_t s) {
    const thrust::device_ptr<float> begin(data);
    thrust::reverse(thrust::cuda::par_nosync.on(s), begin, begin + n);
  };
  op.error = [=] {
    auto expected = download(pristine, n);
    std::reverse(expected.begin(), expected.end());
    return download(data, n) == expected ? 0.0 : 1.0;
  };
  return {op};
}

}  // namespace

std::vector<TaskRow> move_rows() {
  return {{"sigmoid", sigmoid}, {"relu", relu}, {"copy", copy}, {"reverse", reverse}};
}

}  // namespace comparators
