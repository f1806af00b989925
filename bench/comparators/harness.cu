// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "harness.h"
#include "verify/random.h"

namespace comparators {

using warpwright::verify::bell;
using warpwright::verify::below;
using warpwright::verify::philox;
using warpwright::verify::RandomWords;
using warpwright::verify::shuffled;
using warpwright::verify::unit_interval;

namespace {

constexpr unsigned long long kKey = 0x77617270;
constexpr int kThreads = 256;

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

__device__ RandomWords words(unsigned long long i, unsigned stream) {
  return philox(static_cast<unsigned>(i), static_cast<unsigned>(i >> 32), stream, 0, kKey);
}

enum class Kind { uniform, normal, ints, permutation };

template <class T>
__global__ void fill(T* to, unsigned long long n, Kind kind, double a, double b, unsigned stream) {
  const unsigned long long step = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  for (unsigned long long i = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
       i < n; i += step) {
    const RandomWords r = words(i, stream);
    double v = 0;
    if (kind == Kind::uniform) v = a + (b - a) * unit_interval(r.w[0], r.w[1]);
    if (kind == Kind::normal) v = a + b * bell(r);
    if (kind == Kind::ints) v = a + static_cast<double>(below(r.w[0], static_cast<unsigned>(b - a) + 1));
    if (kind == Kind::permutation) v = static_cast<double>(shuffled(i, n, stream, kKey)) * a + b;
    to[i] = static_cast<T>(v);
  }
}

__global__ void fill_response(float* y, const float* x, unsigned long long rows, int width,
                              unsigned stream) {
  const unsigned long long i = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= rows) return;
  double sum = bell(words(i, stream));
  for (int j = 0; j < width; ++j) sum += x[i * width + j] * 2 * bell(words(j, stream + 1));
  y[i] = static_cast<float>(sum);
}

__global__ void drift_kernel(float* values, unsigned long long n, double first, double last) {
  const unsigned long long i = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) values[i] *= static_cast<float>(first + (last - first) * i / (n > 1 ? n - 1 : 1));
}

__global__ void nothing() {}

__global__ void copy_wide(const float4* from, float4* to, std::size_t n) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i];
}

constexpr int kFmaLoops = 4096;
constexpr int kChains = 8;

/// Eight independent chains per thread: nothing but multiply-adds.
__global__ void multiply_adds(float* out, float a, float b) {
  float v[kChains];
  for (int k = 0; k < kChains; ++k) v[k] = static_cast<float>(threadIdx.x + k);
  for (int i = 0; i < kFmaLoops; ++i) {
#pragma unroll
    for (int k = 0; k < kChains; ++k) v[k] = v[k] * a + b;
  }
  float sum = 0;
  for (int k = 0; k < kChains; ++k) sum += v[k];
  if (sum == 12345.0f) out[0] = sum;
}

unsigned blocks_for(std::size_t n) {
  return static_cast<unsigned>(std::min<std::size_t>((n + kThreads - 1) / kThreads, 1u << 20));
}

double median_of(std::vector<double> values) {
  const std::size_t middle = values.size() / 2;
  std::nth_element(values.begin(), values.begin() + middle, values.end());
  if (values.size() % 2 == 1) return values[middle];
  return (values[middle] + *std::max_element(values.begin(), values.begin() + middle)) / 2;
}

/// 95% percentile bootstrap of the median.
void bootstrap(const std::vector<double>& samples, int resamples, double& low, double& high) {
  std::uint64_t state = 0x5eed;
  std::vector<double> medians, resample(samples.size());
  for (int r = 0; r < resamples; ++r) {
    for (double& value : resample) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      value = samples[static_cast<std::size_t>((state >> 33) % samples.size())];
    }
    medians.push_back(median_of(resample));
  }
  std::sort(medians.begin(), medians.end());
  low = medians[static_cast<std::size_t>(0.025 * resamples)];
  high = medians[static_cast<std::size_t>(0.975 * resamples)];
}

/// Drops slow samples far outside, at most a quarter, as the judge does.
std::vector<double> without_outliers(const std::vector<double>& samples) {
  const double middle = median_of(samples);
  std::vector<double> distance, kept;
  for (const double s : samples) distance.push_back(std::fabs(s - middle));
  const double sigma = std::max(1.4826 * median_of(distance), 0.01 * middle);
  for (const double s : samples) {
    if (s <= middle + 6 * sigma) kept.push_back(s);
  }
  return 4 * kept.size() >= 3 * samples.size() ? kept : samples;
}

}  // namespace

void give_up(const std::string& why) {
  std::fprintf(stderr, "comparators: %s\n", why.c_str());
  std::exit(1);
}

void require(cudaError_t result, const char* what) {
  if (result != cudaSuccess) give_up(std::string(what) + ": " + cudaGetErrorString(result));
}

void* Arena::bytes(std::size_t count) {
  void* memory = nullptr;
  require(cudaMalloc(&memory, std::max<std::size_t>(count, 256)), "allocate device memory");
  all_.push_back(memory);
  return memory;
}

Arena::~Arena() {
  for (void* memory : all_) cudaFree(memory);
}

void fill_uniform(float* to, std::size_t n, double low, double high, unsigned stream) {
  fill<<<blocks_for(n), kThreads>>>(to, n, Kind::uniform, low, high, stream);
}
void fill_normal(float* to, std::size_t n, double mean, double sd, unsigned stream) {
  fill<<<blocks_for(n), kThreads>>>(to, n, Kind::normal, mean, sd, stream);
}
void fill_ints(int* to, std::size_t n, int low, int high, unsigned stream) {
  fill<<<blocks_for(n), kThreads>>>(to, n, Kind::ints, low, high, stream);
}
void fill_permutation(float* to, std::size_t n, double scale, double offset, unsigned stream) {
  fill<<<blocks_for(n), kThreads>>>(to, n, Kind::permutation, scale, offset, stream);
}
void fill_linear(float* y, const float* x, std::size_t rows, int width, unsigned stream) {
  fill_response<<<static_cast<unsigned>((rows + kThreads - 1) / kThreads), kThreads>>>(y, x, rows,
                                                                                      width, stream);
}
void drift(float* values, std::size_t n, double first, double last) {
  drift_kernel<<<static_cast<unsigned>((n + kThreads - 1) / kThreads), kThreads>>>(values, n, first,
                                                                                  last);
}

double relative_error(const std::vector<double>& got, const std::vector<double>& expected) {
  double largest = 0, error = 0;
  if (got.size() != expected.size()) return INFINITY;
  for (const double e : expected) largest = std::max(largest, std::fabs(e));
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (!(std::fabs(got[i] - expected[i]) < 1e30)) return INFINITY;
    error = std::max(error, std::fabs(got[i] - expected[i]));
  }
  return largest > 0 ? error / largest : error;
}

Timer::Timer() {
  int device = 0, l2 = 0;
  require(cudaGetDevice(&device), "find a GPU");
  require(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, device), "ask for the L2's size");
  flush_bytes_ = std::max<std::size_t>(2 * static_cast<std::size_t>(l2), 32u << 20);
  require(cudaMalloc(&flush_, flush_bytes_), "allocate the flush buffer");
  // Not the default stream: graphs cannot be captured from it.
  require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "create a stream");
  require(cudaEventCreate(&begin_), "create an event");
  require(cudaEventCreate(&end_), "create an event");
  std::vector<double> samples;
  for (int i = 0; i < 51; ++i) samples.push_back(empty_us());
  overhead_us_ = median_of(samples);
}

Timer::~Timer() {
  cudaFree(flush_);
  cudaEventDestroy(begin_);
  cudaEventDestroy(end_);
  cudaStreamDestroy(stream_);
}

double Timer::empty_us() {
  Op op;
  op.run = [](cudaStream_t) {};
  return sample(op, nullptr);
}

double Timer::launch_us() {
  Op op;
  op.run = [](cudaStream_t stream) { nothing<<<1, 32, 0, stream>>>(); };
  return time(op, 1).median_us;
}

/// The call as a graph, or null where the library does something that cannot be captured.
cudaGraphExec_t Timer::capture(const Op& op) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t ready = nullptr;
  if (!op.capturable) return nullptr;
  if (cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed) != cudaSuccess) return nullptr;
  op.run(stream_);
  const cudaError_t ended = cudaStreamEndCapture(stream_, &graph);
  std::size_t nodes = 0;
  if (ended == cudaSuccess && graph != nullptr) cudaGraphGetNodes(graph, nullptr, &nodes);
  if (nodes > 0 && cudaGraphInstantiate(&ready, graph, 0) != cudaSuccess) ready = nullptr;
  if (graph != nullptr) cudaGraphDestroy(graph);
  cudaGetLastError();
  if (ready != nullptr) cudaGraphUpload(ready, stream_);
  return ready;
}

double Timer::sample(const Op& op, cudaGraphExec_t graph) {
  if (op.restore) op.restore(stream_);
  flush_value_ = (flush_value_ + 1) & 0xFF;
  require(cudaMemsetAsync(flush_, flush_value_, flush_bytes_, stream_), "flush the L2");
  require(cudaEventRecord(begin_, stream_), "record an event");
  if (graph != nullptr) {
    require(cudaGraphLaunch(graph, stream_), "launch a graph");
  } else {
    op.run(stream_);
  }
  require(cudaEventRecord(end_, stream_), "record an event");
  require(cudaEventSynchronize(end_), "wait for the GPU");
  float ms = 0;
  require(cudaEventElapsedTime(&ms, begin_, end_), "read the GPU's clock");
  return ms * 1e3;
}

Sampled Timer::gather(const std::vector<const Op*>& turns, const std::vector<cudaGraphExec_t>& graphs,
                      double limit_s) {
  std::size_t turn = 0;
  const auto next = [&] {
    const std::size_t at = turn++ % turns.size();
    return sample(*turns[at], graphs.empty() ? nullptr : graphs[at]);
  };
  const double first_us = next();
  const double warm_s = first_us > 5e4 ? 0 : std::min(0.1, 0.3 * limit_s);
  for (const double start = now_s(); now_s() - start < warm_s;) next();
  std::vector<double> samples;
  const double start = now_s();
  const double left_s = limit_s - warm_s;
  do {
    samples.push_back(next());
    if (samples.size() < 10 || samples.size() % 5 != 0) continue;
    double low = 0, high = 0;
    const auto kept = without_outliers(samples);
    bootstrap(kept, 200, low, high);
    if ((high - low) / 2 <= 0.005 * median_of(kept)) break;
  } while (samples.size() < 500 && now_s() - start < left_s);
  const auto kept = without_outliers(samples);
  Sampled sampled;
  sampled.median_us = median_of(kept);
  bootstrap(kept, 1000, sampled.low_us, sampled.high_us);
  sampled.samples = static_cast<int>(samples.size());
  sampled.graph = !graphs.empty();
  return sampled;
}

Sampled Timer::time(const std::vector<const Op*>& turns, double limit_s) {
  std::vector<cudaGraphExec_t> graphs;
  for (const Op* op : turns) {
    // Once without a clock: handles, workspaces and lazily loaded kernels come into being.
    if (op->restore) op->restore(stream_);
    op->run(stream_);
    require(cudaStreamSynchronize(stream_), ("run " + op->name).c_str());
    if (cudaGraphExec_t graph = capture(*op)) graphs.push_back(graph);
  }
  // One launch is shorter without a graph, many follow each other more closely within one, and a
  // library's host code may be too slow for the way without: it is given the better of the two.
  const bool both = graphs.size() == turns.size();
  Sampled best = gather(turns, {}, both ? limit_s / 2 : limit_s);
  if (both) {
    const Sampled captured = gather(turns, graphs, limit_s / 2);
    if (captured.median_us < best.median_us) best = captured;
  }
  best.capturable = both;
  for (cudaGraphExec_t graph : graphs) cudaGraphExecDestroy(graph);
  return best;
}

std::string measured_ceilings(Timer& timer) {
  constexpr std::size_t kBytes = std::size_t{2} << 30;
  Arena arena;
  float4* from = arena.make<float4>(kBytes / 16);
  float4* to = arena.make<float4>(kBytes / 16);
  fill_uniform(reinterpret_cast<float*>(from), kBytes / 4, -1, 1, 1);
  Op engine;
  engine.run = [=](cudaStream_t s) { cudaMemcpyAsync(to, from, kBytes, cudaMemcpyDeviceToDevice, s); };
  Op kernel;
  kernel.run = [=](cudaStream_t s) {
    copy_wide<<<static_cast<unsigned>(kBytes / 16 / 512), 512, 0, s>>>(from, to, kBytes / 16);
  };
  cudaDeviceProp facts{};
  require(cudaGetDeviceProperties(&facts, 0), "describe the GPU");
  const int blocks = facts.multiProcessorCount * 8;
  Op arithmetic;
  float* out = arena.make<float>(1);
  arithmetic.run = [=](cudaStream_t s) { multiply_adds<<<blocks, 256, 0, s>>>(out, 0.999f, 0.001f); };
  const double copy_us = std::min(timer.time(engine, 1).median_us, timer.time(kernel, 1).median_us);
  const double fma_us = timer.time(arithmetic, 1).median_us;
  const double flops = 2.0 * kFmaLoops * kChains * 256 * blocks;
  char text[400];
  std::snprintf(text, sizeof text,
                "{\"memory_gb_per_s\": %.1f, \"fp32_tflops\": %.2f, \"launch_us\": %.2f, "
                "\"timer_overhead_us\": %.2f, \"device\": \"%s\"}\n",
                2.0 * kBytes / copy_us * 1e-3, flops / fma_us * 1e-6, timer.launch_us(),
                timer.overhead_us(), facts.name);
  return text;
}

}  // namespace comparators
