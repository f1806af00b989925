// SPDX-License-Identifier: Apache-2.0
#pragma once

// What every comparator shares: device memory, inputs, and a clock that works like the judge's: the
// L2 is flushed before every sample, the call stands between two events, directly or as a CUDA
// graph (the quicker of the two), and samples are taken until the interval of the median is tight
// or time is up.

#include <cuda_runtime.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace comparators {

/// Ends the program with what failed: a comparator has no verdicts.
void require(cudaError_t result, const char* what);
[[noreturn]] void give_up(const std::string& why);

/// Device memory that lives as long as this object.
class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena();
  template <class T>
  T* make(std::size_t count) {
    return static_cast<T*>(bytes(count * sizeof(T)));
  }
  void* bytes(std::size_t count);

 private:
  std::vector<void*> all_;
};

/// The inputs of the suite, on the device. `stream` tells buffers of one task apart.
void fill_uniform(float* to, std::size_t n, double low, double high, unsigned stream);
void fill_normal(float* to, std::size_t n, double mean, double sd, unsigned stream);
void fill_ints(int* to, std::size_t n, int low, int high, unsigned stream);
void fill_permutation(float* to, std::size_t n, double scale, double offset, unsigned stream);
/// y = X w + noise, for rows of X of the given width.
void fill_linear(float* y, const float* x, std::size_t rows, int width, unsigned stream);
/// Multiplies by a factor that moves from first to last along the buffer.
void drift(float* values, std::size_t n, double first, double last);

template <class T>
std::vector<T> download(const T* from, std::size_t n) {
  std::vector<T> values(n);
  require(cudaMemcpy(values.data(), from, n * sizeof(T), cudaMemcpyDeviceToHost), "download");
  return values;
}

/// One way to do a task at one size.
struct Op {
  std::string name;   ///< "cublas.sgemm"
  std::string apart;  ///< empty, or why it is no equal of an fp32 kernel: "tf32", "other algorithm"
  std::string note;
  bool capturable = true;
  std::function<void(cudaStream_t)> run;
  std::function<void(cudaStream_t)> restore;  ///< before every run, not timed; may be empty
  /// Largest relative error of the last run, checked at the smallest size; may be empty.
  std::function<double()> error;
};

using Values = std::map<std::string, double>;
using MakeOps = std::vector<Op> (*)(const Values& values, Arena& arena);

struct TaskRow {
  const char* task;
  MakeOps make;
};
/// All comparators, by task: several rows may have the same.
std::vector<TaskRow> blas_rows();
std::vector<TaskRow> reduce_rows();
std::vector<TaskRow> order_rows();
std::vector<TaskRow> move_rows();
std::vector<TaskRow> convolve_rows();  ///< cuDNN only where it was found

struct Sampled {
  double median_us = 0, low_us = 0, high_us = 0;
  int samples = 0;
  bool graph = false;       ///< a graph was the quicker way, else launched call by call
  bool capturable = false;  ///< else host gaps may be inside
};

class Timer {
 public:
  Timer();
  ~Timer();
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  /// The same call on several sets of buffers, in turns: no sample finds its addresses in a cache.
  Sampled time(const std::vector<const Op*>& turns, double limit_s);
  Sampled time(const Op& op, double limit_s) { return time(std::vector<const Op*>{&op}, limit_s); }
  /// What the clock reads around nothing, and around an empty kernel.
  double overhead_us() const { return overhead_us_; }
  double launch_us();
  cudaStream_t stream() const { return stream_; }

 private:
  cudaGraphExec_t capture(const Op& op);
  double sample(const Op& op, cudaGraphExec_t graph);
  /// Through the graphs, one for each of the turns, or directly where there are none.
  Sampled gather(const std::vector<const Op*>& turns, const std::vector<cudaGraphExec_t>& graphs,
                 double limit_s);
  double empty_us();

  cudaStream_t stream_ = nullptr;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
  void* flush_ = nullptr;
  std::size_t flush_bytes_ = 0;
  int flush_value_ = 0;
  double overhead_us_ = 0;
};

/// {"memory_gb_per_s": ..., "fp32_tflops": ..., "launch_us": ...} as measured here.
std::string measured_ceilings(Timer& timer);

/// Largest |got - expected| over the largest |expected|.
double relative_error(const std::vector<double>& got, const std::vector<double>& expected);

}  // namespace comparators
