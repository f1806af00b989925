// SPDX-License-Identifier: Apache-2.0
//
// step [--layers N] [--samples N] [--context N] [--heads N] [--inner N] [--words N] [--rounds N]
//
// One decoding step of a whole model of Llama-2-7B's shape (32 layers, 32 heads of 128, 11,008
// inside, 32,000 words), with random weights and a cache that is full: products by cuBLAS,
// attention by the given kernels, in halves. Steps with attention to the whole cache, over spans of
// all or half of it, and without any attention are timed in turns, each as one graph: how much of a
// step attention takes, and what spans gain end to end.
#include <cublas_v2.h>
#include <cuda_fp16.h>

#include <map>

#include "spans_of.h"
#include "timing.cuh"

extern "C" void span_attention(const __half* q, const __half* k_cache, const __half* v_cache,
                               const int* span_start, const int* span_len, const int* span_offsets,
                               __half* out, int B, int H, int Dh, int L_max);
extern "C" void decode_attention(const __half* q, const __half* k_cache, const __half* v_cache,
                                 const int* seq_lens, __half* out, int B, int H, int Dh, int L_max);

namespace {

constexpr int kWidth = 128, kThreads = 256;

struct Options {
  int layers = 32, samples = 16, context = 4096, heads = 32, inner = 11008, words = 32000,
      rounds = 40;
  int width() const { return heads * kWidth; }
};

void need(cublasStatus_t status, const char* what) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  std::fprintf(stderr, "%s: cuBLAS status %d\n", what, (int)status);
  std::exit(2);
}

// One block per row: to = from / rms(from).
__global__ void __launch_bounds__(kThreads) norm(const __half* from, __half* to, int n) {
  __shared__ float sums[kThreads / 32];
  const __half* row = from + (size_t)blockIdx.x * n;
  float sum = 0.0f;
  for (int i = threadIdx.x; i < n; i += kThreads)
    sum += __half2float(row[i]) * __half2float(row[i]);
  for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(~0u, sum, o);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
  __syncthreads();
  float total = 0.0f;
  for (const float part : sums) total += part;
  const float scale = rsqrtf(total / (float)n + 1e-5f);
  for (int i = threadIdx.x; i < n; i += kThreads)
    to[(size_t)blockIdx.x * n + i] = __float2half(__half2float(row[i]) * scale);
}

// Turns q and k of the newest position (pairs of columns, half a head apart), and puts k and v into
// the cache.
__global__ void append(const __half* qkv, __half* q, __half* keys, __half* values, int heads,
                       int context) {
  const int sample = blockIdx.y, head = blockIdx.x, j = threadIdx.x, pair = j % (kWidth / 2),
            at = context - 1;
  const __half* from = qkv + (size_t)sample * 3 * heads * kWidth + head * kWidth;
  const float angle = (float)at * powf(10000.0f, -2.0f * (float)pair / kWidth), c = cosf(angle),
              s = j < kWidth / 2 ? -sinf(angle) : sinf(angle);
  const int other = (j + kWidth / 2) % kWidth;
  const __half* k = from + heads * kWidth;
  const size_t row = (size_t)sample * heads + head, slot = (row * context + at) * kWidth + j;
  q[row * kWidth + j] = __float2half(__half2float(from[j]) * c + __half2float(from[other]) * s);
  keys[slot] = __float2half(__half2float(k[j]) * c + __half2float(k[other]) * s);
  values[slot] = from[2 * heads * kWidth + j];
}

// from: rows of n gates and n other values; to: rows of n.
__global__ void gate(const __half* from, __half* to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const __half* row = from + (size_t)blockIdx.y * 2 * n;
  const float g = __half2float(row[i]);
  to[(size_t)blockIdx.y * n + i] = __float2half(g / (1.0f + __expf(-g)) * __half2float(row[n + i]));
}

struct Layer {
  Buffer<__half> qkv, out, gate_up, down, keys, values;
};

// Which attention a step has.
enum class Kind { kDense, kNone, kSpans };
struct Way {
  std::string name;
  Kind kind;
  Spans spans;
  Buffer<int> start, length, offsets;
};

class Model {
 public:
  explicit Model(const Options& o)
      : o_(o),
        rows_((size_t)o.samples),
        first_(normal_buffer<__half>(rows_ * (size_t)o.width(), 0, 3)),
        x_(first_.size()),
        h_(first_.size()),
        qkv_(3 * first_.size()),
        q_(first_.size()),
        a_(first_.size()),
        wide_(rows_ * 2 * (size_t)o.inner),
        narrow_(rows_ * (size_t)o.inner),
        logits_(rows_ * (size_t)o.words),
        lens_(std::vector<int>(rows_, o.context)),
        workspace_(size_t(64) << 20),
        head_(normal_buffer<__half>((size_t)o.words * (size_t)o.width(), 0, 4)) {
    need(cublasCreate(&cublas_), "cublasCreate");
    need(cublasSetStream(cublas_, cudaStreamPerThread), "cublasSetStream");
    need(cublasSetWorkspace(cublas_, workspace_.get(), workspace_.size()), "cublasSetWorkspace");
    const size_t d = (size_t)o.width(), inner = (size_t)o.inner,
                 cache = rows_ * (size_t)o.context * d;
    for (unsigned i = 0; i < (unsigned)o.layers; ++i) {
      const unsigned seed = 100 + 10 * i;
      layers_.push_back(
          {normal_buffer<__half>(3 * d * d, 0, seed), normal_buffer<__half>(d * d, 0, seed + 1),
           normal_buffer<__half>(2 * inner * d, 0, seed + 2),
           normal_buffer<__half>(d * inner, 0, seed + 3), normal_buffer<__half>(cache, 0, seed + 4),
           normal_buffer<__half>(cache, 0.25f, seed + 5)});
    }
  }

  void step(const Way& way) {
    const int d = o_.width();
    need(cudaMemcpyAsync(x_.get(), first_.get(), first_.size() * sizeof(__half),
                         cudaMemcpyDeviceToDevice, cudaStreamPerThread),
         "copy");
    for (Layer& layer : layers_) {
      norm<<<o_.samples, kThreads>>>(x_.get(), h_.get(), d);
      product(layer.qkv, h_, qkv_, 3 * d, d, 0.0f);
      append<<<dim3(o_.heads, o_.samples), kWidth>>>(qkv_.get(), q_.get(), layer.keys.get(),
                                                     layer.values.get(), o_.heads, o_.context);
      attend(way, layer);
      product(layer.out, way.kind == Kind::kNone ? q_ : a_, x_, d, d, 1.0f);
      norm<<<o_.samples, kThreads>>>(x_.get(), h_.get(), d);
      product(layer.gate_up, h_, wide_, 2 * o_.inner, d, 0.0f);
      gate<<<dim3((o_.inner + kThreads - 1) / kThreads, o_.samples), kThreads>>>(
          wide_.get(), narrow_.get(), o_.inner);
      product(layer.down, narrow_, x_, d, o_.inner, 1.0f);
    }
    norm<<<o_.samples, kThreads>>>(x_.get(), h_.get(), d);
    product(head_, h_, logits_, o_.words, d, 0.0f);
  }

  std::vector<__half> logits(const Way& way) {
    need(cudaMemset(logits_.get(), 0xff, logits_.size() * sizeof(__half)), "cudaMemset");
    step(way);
    need(cudaDeviceSynchronize(), way.name.c_str());
    return logits_.copy();
  }

 private:
  // to = beta * to + from * weights^T / sqrt(k), so that values keep their size.
  void product(const Buffer<__half>& weights, const Buffer<__half>& from, const Buffer<__half>& to,
               int n, int k, float beta) {
    const float alpha = 1.0f / std::sqrt((float)k);
    need(cublasGemmEx(cublas_, CUBLAS_OP_T, CUBLAS_OP_N, n, o_.samples, k, &alpha, weights.get(),
                      CUDA_R_16F, k, from.get(), CUDA_R_16F, k, &beta, to.get(), CUDA_R_16F, n,
                      CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
         "cublasGemmEx");
  }
  void attend(const Way& way, const Layer& layer) {
    if (way.kind == Kind::kDense)
      decode_attention(q_.get(), layer.keys.get(), layer.values.get(), lens_.get(), a_.get(),
                       o_.samples, o_.heads, kWidth, o_.context);
    if (way.kind == Kind::kSpans)
      span_attention(q_.get(), layer.keys.get(), layer.values.get(), way.start.get(),
                     way.length.get(), way.offsets.get(), a_.get(), o_.samples, o_.heads, kWidth,
                     o_.context);
  }

  Options o_;
  size_t rows_;
  Buffer<__half> first_, x_, h_, qkv_, q_, a_, wide_, narrow_, logits_;
  Buffer<int> lens_;
  Buffer<char> workspace_;
  Buffer<__half> head_;
  std::vector<Layer> layers_;
  cublasHandle_t cublas_ = nullptr;
};

Options options_of(int count, char** words) {
  Options o;
  const std::map<std::string, int*> numbers = {{"--layers", &o.layers},   {"--samples", &o.samples},
                                               {"--context", &o.context}, {"--heads", &o.heads},
                                               {"--inner", &o.inner},     {"--words", &o.words},
                                               {"--rounds", &o.rounds}};
  for (int i = 1; i < count; ++i) {
    const auto found = numbers.find(words[i]);
    if (found == numbers.end() || i + 1 == count)
      std::exit((std::fprintf(stderr, "unknown option %s\n", words[i]), 2));
    *found->second = std::atoi(words[++i]);
  }
  return o;
}

std::vector<Way> ways_of(const Options& o) {
  const auto way = [](const std::string& name, Kind kind, const Spans& spans) {
    return Way{name,
               kind,
               spans,
               Buffer<int>(spans.start),
               Buffer<int>(spans.length),
               Buffer<int>(spans.offsets)};
  };
  std::vector<Way> ways;
  ways.push_back(way("whole cache", Kind::kDense, all_in_pieces(o.samples, o.context, 1)));
  ways.push_back(way("no attention", Kind::kNone, all_in_pieces(o.samples, o.context, 1)));
  ways.push_back(way("all in 16 pieces", Kind::kSpans,
                     all_in_pieces(o.samples, o.context, std::min(16, o.context))));
  for (int run = 64; 2 * run <= o.context && run <= 1024; run *= 4)
    ways.push_back(way("half in runs of " + std::to_string(run), Kind::kSpans,
                       half_in_runs(o.samples, o.context, run)));
  return ways;
}

// Attention over all spans is attention to the whole cache: logits agree but for rounding.
bool check(Model& model, const std::vector<Way>& ways, const Options& o) {
  const std::vector<__half> dense = model.logits(ways[0]), spans = model.logits(ways[2]);
  double worst = 0, largest = 0;
  int words = 0;
  for (int b = 0; b < o.samples; ++b) {
    const auto row = [&](const std::vector<__half>& logits) {
      return logits.begin() + (std::ptrdiff_t)b * o.words;
    };
    const auto less = [](__half x, __half y) { return __half2float(x) < __half2float(y); };
    words += std::max_element(row(dense), row(dense) + o.words, less) - row(dense) ==
             std::max_element(row(spans), row(spans) + o.words, less) - row(spans);
  }
  for (size_t i = 0; i < dense.size(); ++i) {
    const double difference = std::fabs((double)__half2float(dense[i]) - __half2float(spans[i]));
    worst = difference <= worst ? worst : std::isnan(difference) ? 1e30 : difference;
    largest = std::max(largest, std::fabs((double)__half2float(dense[i])));
  }
  std::printf(
      "logits with all spans and with the whole cache: largest difference %.2e of %.2f; the same "
      "word in %d of %d samples\n",
      worst, largest, words, o.samples);
  return worst <= 0.02 * largest;
}

void report(const std::vector<Timed>& calls, const Options& o) {
  std::vector<Median> medians;
  for (const Timed& call : calls) medians.push_back(median_of(call.microseconds));
  const double dense = medians[0].value, share = 1 - medians[1].value / dense;
  std::printf(
      "\n%d layers, %d samples, %d positions, %d heads of %d: a step of %.0f us, of which "
      "attention takes %.1f %%\n",
      o.layers, o.samples, o.context, o.heads, kWidth, dense, 100 * share);
  std::printf("%-24s %10s %22s %8s %20s\n", "attention", "step us", "interval", "gain",
              "attention's ratio");
  for (size_t i = 0; i < calls.size(); ++i)
    std::printf("%-24s %10.1f %10.1f .. %8.1f %8.3f %20.3f\n", calls[i].name.c_str(),
                medians[i].value, medians[i].low, medians[i].high, dense / medians[i].value,
                (medians[i].value - medians[1].value) / (dense - medians[1].value));
  std::printf(
      "{\"layers\": %d, \"samples\": %d, \"context\": %d, \"heads\": %d, \"share\": %.4f, "
      "\"steps\": [",
      o.layers, o.samples, o.context, o.heads, share);
  for (size_t i = 0; i < calls.size(); ++i)
    std::printf("%s{\"name\": \"%s\", \"us\": %.2f, \"low\": %.2f, \"high\": %.2f}", i ? ", " : "",
                calls[i].name.c_str(), medians[i].value, medians[i].low, medians[i].high);
  std::printf("]}\n");
}

}  // namespace

int main(int count, char** words) {
  const Options options = options_of(count, words);
  Model model(options);
  const std::vector<Way> ways = ways_of(options);
  if (!check(model, ways, options)) return 1;
  std::vector<Timed> calls;
  for (const Way& way : ways) calls.push_back({way.name, [&model, &way](int) { model.step(way); }});
  time_in_turns(calls, 1, options.rounds);
  report(calls, options);
  return 0;
}
