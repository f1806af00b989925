// SPDX-License-Identifier: Apache-2.0
//
// measure LAUNCHES.tsv > SPACES.tsv
//
// Checks and times kernels that bench/tune_spaces_measured compiled. A line of LAUNCHES: space, cubin, kernel, grid x
// and y, block, values of the parameters. A line of SPACES: space, values, verdict, median in us.
#include <cuda.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace {

constexpr int kSide = 2048, kOrder = 1024, kCount = 1 << 22, kCalls = 20, kPasses = 2;

void need(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "measure: %s: %s\n", what, cudaGetErrorString(error));
  std::exit(2);
}

void need(CUresult result, const char* what) {
  if (result == CUDA_SUCCESS) return;
  const char* text = "";
  cuGetErrorString(result, &text);
  std::fprintf(stderr, "measure: %s: %s\n", what, text);
  std::exit(2);
}

struct Launch {
  std::string space, kernel, values;
  CUfunction function = nullptr;
  unsigned x = 0, y = 0, block = 0;
  std::string verdict;
  std::vector<float> us;
};

__global__ void transposed(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[(i % kSide) * kSide + i / kSide] = in[i];
}

__global__ void product(const float* a, const float* b, float* c) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  double sum = 0;
  for (int k = 0; k < kOrder; ++k) sum += (double)a[i / kOrder * kOrder + k] * b[k * kOrder + i % kOrder];
  c[i] = (float)sum;
}

__global__ void largest_difference(const float* a, const float* b, int n, float* largest) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float difference = fabsf(a[i] - b[i]);
    atomicMax((int*)largest, __float_as_int(difference == difference ? difference : 1e30f));
  }
}

// What the kernels work on; a space's output is poisoned before the call that is checked.
class Place {
 public:
  Place() {
    std::vector<float> numbers(kCount);
    std::mt19937 random(5);
    for (float& x : numbers) x = (float)(random() % 2001) / 1000 - 1;
    for (const float x : numbers) sum_ += x;
    for (float** buffer : {&in_, &more_, &out_, &expected_}) need(cudaMalloc((void**)buffer, kCount * sizeof(float)), "cudaMalloc");
    need(cudaMalloc((void**)&flush_, kFlush), "cudaMalloc");
    need(cudaMalloc((void**)&largest_, sizeof(float)), "cudaMalloc");
    need(cudaMemcpy(in_, numbers.data(), kCount * sizeof(float), cudaMemcpyHostToDevice), "copy");
    std::shuffle(numbers.begin(), numbers.end(), random);
    need(cudaMemcpy(more_, numbers.data(), kCount * sizeof(float), cudaMemcpyHostToDevice), "copy");
    need(cudaEventCreate(&begin_), "event");
    need(cudaEventCreate(&end_), "event");
  }

  bool call(const Launch& launch) {
    int rows = kSide, order = kOrder, count = kCount;
    std::vector<void*> arguments;
    if (launch.space == "matmul") arguments = {&in_, &more_, &out_, &order, &order, &order};
    if (launch.space == "transpose") arguments = {&in_, &out_, &rows, &rows};
    if (launch.space == "reduce") {
      arguments = {&in_, &out_, &count};
      need(cudaMemsetAsync(out_, 0, sizeof(float)), "clear");
    }
    return cuLaunchKernel(launch.function, launch.x, launch.y, 1, launch.block, 1, 1, 0, nullptr, arguments.data(), nullptr) == CUDA_SUCCESS;
  }

  std::string verdict(const Launch& launch) {
    need(cudaMemset(out_, 0xff, kCount * sizeof(float)), "poison");
    if (!call(launch)) return "launch_error";
    need(cudaDeviceSynchronize(), launch.kernel.c_str());
    if (launch.space == "reduce") {
      float sum = 0;
      need(cudaMemcpy(&sum, out_, sizeof(float), cudaMemcpyDeviceToHost), "copy");
      return std::fabs(sum - sum_) <= 0.5 ? "ok" : "mismatch";
    }
    const bool is_product = launch.space == "matmul";
    if (expects_ != launch.space) {
      if (is_product) product<<<kOrder * kOrder / 256, 256>>>(in_, more_, expected_);
      if (!is_product) transposed<<<kSide * kSide / 256, 256>>>(in_, expected_);
      expects_ = launch.space;
    }
    need(cudaMemset(largest_, 0, sizeof(float)), "clear");
    largest_difference<<<256, 256>>>(out_, expected_, is_product ? kOrder * kOrder : kSide * kSide, largest_);
    float largest = 0;
    need(cudaMemcpy(&largest, largest_, sizeof(float), cudaMemcpyDeviceToHost), "copy");
    return largest <= (is_product ? 1e-3f : 0.0f) ? "ok" : "mismatch";
  }

  float time(const Launch& launch) {
    need(cudaMemsetAsync(flush_, 1, kFlush), "flush");
    need(cudaEventRecord(begin_), "record");
    call(launch);
    need(cudaEventRecord(end_), "record");
    need(cudaEventSynchronize(end_), launch.kernel.c_str());
    float ms = 0;
    need(cudaEventElapsedTime(&ms, begin_, end_), "elapsed");
    return ms * 1000;
  }

 private:
  static constexpr size_t kFlush = size_t{256} << 20;
  float *in_ = nullptr, *more_ = nullptr, *out_ = nullptr, *expected_ = nullptr, *largest_ = nullptr;
  char* flush_ = nullptr;
  double sum_ = 0;
  std::string expects_;
  cudaEvent_t begin_, end_;
};

std::vector<Launch> read(const char* path) {
  std::vector<Launch> launches;
  std::map<std::string, CUmodule> modules;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    Launch launch;
    std::string cubin;
    words >> launch.space >> cubin >> launch.kernel >> launch.x >> launch.y >> launch.block;
    for (std::string value; words >> value;) launch.values += "\t" + value;
    if (modules.count(cubin) == 0) need(cuModuleLoad(&modules[cubin], cubin.c_str()), cubin.c_str());
    need(cuModuleGetFunction(&launch.function, modules[cubin], launch.kernel.c_str()), launch.kernel.c_str());
    launches.push_back(launch);
  }
  return launches;
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) {
    std::fprintf(stderr, "usage: measure LAUNCHES.tsv\n");
    return 2;
  }
  need(cudaFree(nullptr), "context");
  Place place;
  std::vector<Launch> launches = read(words[1]);
  for (Launch& launch : launches) launch.verdict = place.verdict(launch);
  std::vector<size_t> order(launches.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::mt19937 random(1);
  for (int pass = 0; pass < kPasses; ++pass) {
    std::shuffle(order.begin(), order.end(), random);
    for (const size_t i : order) {
      if (launches[i].verdict != "ok") continue;
      place.time(launches[i]);  // its code is loaded
      for (int call = 0; call < kCalls; ++call) launches[i].us.push_back(place.time(launches[i]));
    }
  }
  cudaDeviceProp facts;
  int driver = 0;
  need(cudaGetDeviceProperties(&facts, 0), "facts");
  need(cudaDriverGetVersion(&driver), "driver");
  std::printf("# Measured on one %s, CUDA %d.%d driver, in microseconds, by bench/tune_spaces_measured: medians of %d calls.\n", facts.name,
              driver / 1000, driver % 1000 / 10, kCalls * kPasses);
  for (Launch& launch : launches) {
    std::sort(launch.us.begin(), launch.us.end());
    std::printf("%s%s\t%s\t", launch.space.c_str(), launch.values.c_str(), launch.verdict.c_str());
    if (!launch.us.empty()) std::printf("%.3f", (launch.us[launch.us.size() / 2] + launch.us[(launch.us.size() - 1) / 2]) / 2);
    std::printf("\n");
  }
  return 0;
}
