// SPDX-License-Identifier: Apache-2.0
#pragma once
// Device buffers, and functions timed against each other in turns.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

// arena.cu: while it is open, cudaMalloc hands out parts of one buffer and cudaFree keeps them, so that
// a `solve` that asks for scratch memory can be captured and repeated.
void open_arena();
void close_arena();

inline void need(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(2);
}

template <class T>
class Buffer {
 public:
  explicit Buffer(size_t count) : count_(count) {
    need(cudaMalloc((void**)&data_, count * sizeof(T)), "cudaMalloc");
    need(cudaMemset(data_, 0, count * sizeof(T)), "cudaMemset");
  }
  explicit Buffer(const std::vector<T>& from) : Buffer(from.size()) {
    need(cudaMemcpy(data_, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice), "cudaMemcpy");
  }
  Buffer(Buffer&& other) noexcept : data_(other.data_), count_(other.count_) { other.data_ = nullptr; }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  Buffer& operator=(Buffer&&) = delete;
  ~Buffer() { cudaFree(data_); }
  T* get() const { return data_; }
  size_t size() const { return count_; }
  std::vector<T> copy() const {
    std::vector<T> to(count_);
    need(cudaMemcpy(to.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy");
    return to;
  }

 private:
  T* data_ = nullptr;
  size_t count_;
};

__device__ inline unsigned mixed_bits(unsigned a, unsigned b) {
  unsigned x = a * 0x9E3779B1u + b * 0x85EBCA77u + 0x27D4EB2Fu;
  x = (x ^ (x >> 15)) * 0x2C1B3C6Du;
  x = (x ^ (x >> 12)) * 0x297A2D39u;
  return x ^ (x >> 15);
}

// About normal: the sum of four even ones.
template <class T>
__global__ void fill_normal(T* to, size_t n, float mean, unsigned seed) {
  for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
    const unsigned a = mixed_bits((unsigned)i, seed), b = mixed_bits((unsigned)(i >> 32) + a, seed + 1);
    const float sum = (a & 0xffff) + (a >> 16) + (b & 0xffff) + (b >> 16);
    to[i] = T(mean + (sum / 65536.0f - 2.0f) * 1.7320508f);
  }
}

template <class T>
Buffer<T> normal_buffer(size_t n, float mean, unsigned seed) {
  Buffer<T> buffer(n);
  fill_normal<<<n < 256 * 1024 ? 8 : 1024, 256>>>(buffer.get(), n, mean, seed);
  need(cudaDeviceSynchronize(), "fill");
  return buffer;
}

// The median and the order statistics that hold it with 95 %.
struct Median {
  double value = 0, low = 0, high = 0;
};

inline Median median_of(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  const double n = (double)times.size(), half = 0.98 * std::sqrt(n);
  const auto at = [&](double rank) { return times[(size_t)std::min(n - 1, std::max(0.0, rank))]; };
  return {at(n / 2), at(std::floor(n / 2 - half)), at(std::ceil(n / 2 + half))};
}

// `call(copy)` works on one of several copies of the data, so that the L2 cache holds nothing of it.
struct Timed {
  std::string name;
  std::function<void(int)> call;
  std::vector<double> microseconds = {};
  cudaGraphExec_t graph = nullptr;
};

inline void capture(Timed& timed, int copies) {
  cudaGraph_t graph = nullptr;
  open_arena();
  for (int i = 0; i < copies; ++i) timed.call(i);
  need(cudaStreamSynchronize(cudaStreamPerThread), timed.name.c_str());
  need(cudaStreamBeginCapture(cudaStreamPerThread, cudaStreamCaptureModeRelaxed), "capture");
  for (int i = 0; i < copies; ++i) timed.call(i);
  need(cudaStreamEndCapture(cudaStreamPerThread, &graph), timed.name.c_str());
  close_arena();
  need(cudaGraphInstantiate(&timed.graph, graph, 0), "cudaGraphInstantiate");
}

// Rounds in which each is timed once, over all copies, in an order that turns.
inline void time_in_turns(std::vector<Timed>& all, int copies, int rounds) {
  cudaEvent_t begin = nullptr, end = nullptr;
  need(cudaEventCreate(&begin), "cudaEventCreate");
  need(cudaEventCreate(&end), "cudaEventCreate");
  for (Timed& timed : all) capture(timed, copies);
  for (int round = -5; round < rounds; ++round) {
    for (size_t i = 0; i < all.size(); ++i) {
      Timed& timed = all[(i + (size_t)(round + 5)) % all.size()];
      float milliseconds = 0;
      need(cudaEventRecord(begin, cudaStreamPerThread), "event");
      need(cudaGraphLaunch(timed.graph, cudaStreamPerThread), "launch");
      need(cudaEventRecord(end, cudaStreamPerThread), "event");
      need(cudaEventSynchronize(end), timed.name.c_str());
      need(cudaEventElapsedTime(&milliseconds, begin, end), "time");
      if (round >= 0) timed.microseconds.push_back(1000.0 * milliseconds / copies);
    }
  }
}
