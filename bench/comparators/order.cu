// SPDX-License-Identifier: Apache-2.0
// Sorting, selection and counting by CUB.
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_radix_sort.cuh>

#include <algorithm>
#include <functional>

#include "harness.h"

namespace comparators {

namespace {

std::vector<Op> sort(const Values& v, Arena& arena) {
  const int n = int(v.at("N"));
  float* pristine = arena.make<float>(n);
  float* data = arena.make<float>(n);
  float* other = arena.make<float>(n);
  fill_permutation(pristine, n, 2000.0 / n, -1000, 1);
  std::size_t bytes = 0;
  require(cub::DeviceRadixSort::SortKeys(nullptr, bytes, data, other, n), "ask CUB for its workspace");
  void* work = arena.bytes(bytes);
  Op op;
  op.name = "cub.radix_sort";
  op.apart = "other algorithm";
  op.note = "a yardstick: the task allows exchanges of neighbours only";
  op.restore = [=](cudaStream_t s) {
    cudaMemcpyAsync(data, pristine, n * sizeof(float), cudaMemcpyDeviceToDevice, s);
  };
  op.run = [=](cudaStream_t s) {
    std::size_t have = bytes;
    cub::DeviceRadixSort::SortKeys(work, have, data, other, n, 0, 32, s);
    cudaMemcpyAsync(data, other, n * sizeof(float), cudaMemcpyDeviceToDevice, s);
  };
  op.error = [=] {
    auto expected = download(pristine, n);
    const auto got = download(data, n);
    std::sort(expected.begin(), expected.end());
    return got == expected ? 0.0 : 1.0;
  };
  return {op};
}

std::vector<Op> topk(const Values& v, Arena& arena) {
  const int n = int(v.at("N")), k = int(v.at("k"));
  float* in = arena.make<float>(n);
  float* sorted = arena.make<float>(n);
  float* out = arena.make<float>(k);
  fill_uniform(in, n, -1e6, 1e6, 1);
  std::size_t bytes = 0;
  require(cub::DeviceRadixSort::SortKeysDescending(nullptr, bytes, in, sorted, n),
          "ask CUB for its workspace");
  void* work = arena.bytes(bytes);
  Op op;
  op.name = "cub.radix_sort";
  op.note = "sorts everything and keeps the first k";
  op.run = [=](cudaStream_t s) {
    std::size_t have = bytes;
    cub::DeviceRadixSort::SortKeysDescending(work, have, in, sorted, n, 0, 32, s);
    cudaMemcpyAsync(out, sorted, k * sizeof(float), cudaMemcpyDeviceToDevice, s);
  };
  op.error = [=] {
    auto expected = download(in, n);
    const auto got = download(out, k);
    std::partial_sort(expected.begin(), expected.begin() + k, expected.end(), std::greater<>{});
    expected.resize(k);
    return got == expected ? 0.0 : 1.0;
  };
  return {op};
}

std::vector<Op> histogram(const Values& v, Arena& arena) {
  const int n = int(v.at("N")), bins = int(v.at("num_bins"));
  int* in = arena.make<int>(n);
  int* out = arena.make<int>(bins);
  fill_ints(in, n, 0, bins - 1, 1);
  std::size_t bytes = 0;
  require(cub::DeviceHistogram::HistogramEven(nullptr, bytes, in, out, bins + 1, 0, bins, n),
          "ask CUB for its workspace");
  void* work = arena.bytes(bytes);
  Op op;
  op.name = "cub.histogram_even";
  op.run = [=](cudaStream_t s) {
    std::size_t have = bytes;
    cub::DeviceHistogram::HistogramEven(work, have, in, out, bins + 1, 0, bins, n, s);
  };
  op.error = [=] {
    std::vector<int> expected(bins);
    for (const int x : download(in, n)) ++expected[x];
    return download(out, bins) == expected ? 0.0 : 1.0;
  };
  return {op};
}

}  // namespace

std::vector<TaskRow> order_rows() {
  return {{"sort", sort}, {"topk", topk}, {"histogram", histogram}};
}

}  // namespace comparators
