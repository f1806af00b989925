// SPDX-License-Identifier: Apache-2.0
//
// spans [--check] [--context N] [--heads N] [--rounds N] [--share PERCENT] [--samples N]
//
// Decode attention over spans (the given kernel of span_attention) against attention over the whole cache (the given
// kernel of decode_attention), in turns on the same data: half of the positions in runs of different
// lengths, all of them in pieces and in one piece. Beside them a kernel that only reads as many bytes.
// Prints a table, the modelled gain of a whole model, and JSON. --check compares results with plain float
// attention and times nothing. Without --samples: 1 and 16.
#include <cuda_fp16.h>

#include <cstring>
#include <map>

#include "spans_of.h"
#include "timing.cuh"

extern "C" void span_attention(const __half* q, const __half* k_cache, const __half* v_cache, const int* span_start, const int* span_len,
                               const int* span_offsets, __half* out, int B, int H, int Dh, int L_max);
extern "C" void decode_attention(const __half* q, const __half* k_cache, const __half* v_cache, const int* seq_lens, __half* out, int B,
                                 int H, int Dh, int L_max);

namespace {

constexpr int kWidth = 128;

struct Options {
  bool check = false;
  int context = 4096, heads = 32, rounds = 200, share = 45, samples = 0;
};

// Reads n uint4 of each of two buffers, in grid strides, eight loads of a thread at a time.
__global__ void __launch_bounds__(512) read_only(const uint4* a, const uint4* b, size_t n, unsigned* never) {
  const size_t step = (size_t)gridDim.x * blockDim.x;
  unsigned bits = 0;
  for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += 4 * step) {
    uint4 x[4], y[4];
#pragma unroll
    for (int u = 0; u < 4; ++u) {
      const size_t at = i + u * step < n ? i + u * step : i;
      x[u] = __ldg(a + at);
      y[u] = __ldg(b + at);
    }
#pragma unroll
    for (int u = 0; u < 4; ++u) bits ^= x[u].x ^ x[u].y ^ x[u].z ^ x[u].w ^ y[u].x ^ y[u].y ^ y[u].z ^ y[u].w;
  }
  if (bits == 0x12345678u) *never = bits;
}

// Plain float attention over the spans: one block per sample and head.
__global__ void expected_rows(const __half* q, const __half* k_cache, const __half* v_cache, const int* start, const int* length,
                              const int* offsets, float* scores, float* out, int heads, int l_max) {
  const size_t row = blockIdx.x, cache = row * l_max * kWidth;
  const int b = blockIdx.x / heads;
  float* own = scores + row * l_max;
  for (int i = offsets[b]; i < offsets[b + 1]; ++i) {
    for (int p = start[i] + threadIdx.x; p < start[i] + length[i]; p += blockDim.x) {
      float sum = 0.0f;
      for (int j = 0; j < kWidth; ++j) sum += __half2float(q[row * kWidth + j]) * __half2float(k_cache[cache + (size_t)p * kWidth + j]);
      own[p] = sum / sqrtf((float)kWidth);
    }
  }
  __syncthreads();
  float largest = -INFINITY, total = 0.0f, sum = 0.0f;
  for (int i = offsets[b]; i < offsets[b + 1]; ++i) {
    for (int p = start[i]; p < start[i] + length[i]; ++p) largest = fmaxf(largest, own[p]);
  }
  for (int i = offsets[b]; i < offsets[b + 1]; ++i) {
    for (int p = start[i]; p < start[i] + length[i]; ++p) {
      const float weight = expf(own[p] - largest);
      total += weight;
      sum += weight * __half2float(v_cache[cache + (size_t)p * kWidth + threadIdx.x]);
    }
  }
  out[row * kWidth + threadIdx.x] = total > 0.0f ? sum / total : 0.0f;
}

// What one kind of call works on: spans, or none for the whole cache.
struct Kind {
  std::string name;
  int run;  // length of the runs; 0: all of the cache
  Spans spans;
  Buffer<int> start, length, offsets;
};

class Bench {
 public:
  Bench(const Options& options, int samples)
      : o_(options), samples_(samples), rows_((size_t)samples * (size_t)o_.heads), cache_(rows_ * (size_t)o_.context * kWidth),
        q_(normal_buffer<__half>(rows_ * kWidth, 0, 5)), out_(rows_ * kWidth), lens_(std::vector<int>((size_t)samples, o_.context)), never_(1) {
    // Reading all copies once is ten times what an L2 cache holds.
    const size_t bytes = 2 * cache_ * sizeof(__half);
    const int copies = o_.check ? 1 : (int)std::min<size_t>(16, (size_t(512) << 20) / bytes + 2);
    for (int i = 0; i < copies; ++i) {
      keys_.push_back(normal_buffer<__half>(cache_, 0, 20));
      values_.push_back(normal_buffer<__half>(cache_, 0.25f, 21));
    }
    add("all in 16 pieces", 0, all_in_pieces(samples, o_.context, std::min(16, o_.context)));
    add("all in one piece", 0, all_in_pieces(samples, o_.context, 1));
    for (int run = 4; 2 * run <= o_.context && run <= 1024; run *= 2)
      add("half in runs of " + std::to_string(run), run, half_in_runs(samples, o_.context, run));
  }

  // The first is the whole cache, the second and third read all and half of its bytes.
  std::vector<Timed> calls() {
    std::vector<Timed> list = {{"whole cache", [this](int i) { dense(i); }},
                               {"read all", [this](int i) { read(i, cache_ * 2 / 16); }},
                               {"read half", [this](int i) { read(i, cache_ / 16); }}};
    for (size_t k = 0; k < kinds_.size(); ++k) list.push_back({kinds_[k].name, [this, k](int i) { over_spans(kinds_[k], i); }});
    return list;
  }
  const std::vector<Kind>& kinds() const { return kinds_; }
  int copies() const { return (int)keys_.size(); }
  double bytes_of(const Kind& kind) const { return (double)kind.spans.covered * o_.heads * kWidth * 4; }
  double bytes_of_all() const { return (double)cache_ * 4; }

  // The largest error of call i of calls().
  double error_of(size_t i) {
    need(cudaMemset(out_.get(), 0xff, out_.size() * sizeof(__half)), "cudaMemset");
    calls()[i].call(0);
    need(cudaDeviceSynchronize(), "call");
    const std::vector<__half> got = out_.copy();
    const Kind& kind = kinds_[i == 0 ? 1 : i - 3];
    const Buffer<float> scores(rows_ * (size_t)o_.context), out(rows_ * kWidth);
    expected_rows<<<(unsigned)rows_, kWidth>>>(q_.get(), keys_[0].get(), values_[0].get(), kind.start.get(), kind.length.get(),
                                               kind.offsets.get(), scores.get(), out.get(), o_.heads, o_.context);
    need(cudaDeviceSynchronize(), "expected");
    const std::vector<float> expected = out.copy();
    double worst = 0;
    for (size_t j = 0; j < got.size(); ++j) {
      const double error = std::fabs((double)__half2float(got[j]) - expected[j]);
      worst = error <= worst ? worst : std::isnan(error) ? 1e30 : error;
    }
    return worst;
  }

 private:
  void add(const std::string& name, int run, const Spans& spans) {
    kinds_.push_back({name, run, spans, Buffer<int>(spans.start), Buffer<int>(spans.length), Buffer<int>(spans.offsets)});
  }
  void dense(int i) {
    decode_attention(q_.get(), keys_[i].get(), values_[i].get(), lens_.get(), out_.get(), samples_, o_.heads, kWidth, o_.context);
  }
  void over_spans(const Kind& kind, int i) {
    span_attention(q_.get(), keys_[i].get(), values_[i].get(), kind.start.get(), kind.length.get(), kind.offsets.get(), out_.get(), samples_,
                   o_.heads, kWidth, o_.context);
  }
  // n loads of each of keys and values.
  void read(int i, size_t n) {
    read_only<<<528, 512>>>(reinterpret_cast<const uint4*>(keys_[i].get()), reinterpret_cast<const uint4*>(values_[i].get()), n, never_.get());
  }

  Options o_;
  int samples_;
  size_t rows_, cache_;
  Buffer<__half> q_, out_;
  Buffer<int> lens_;
  Buffer<unsigned> never_;
  std::vector<Buffer<__half>> keys_, values_;
  std::vector<Kind> kinds_;
};

Options options_of(int count, char** words) {
  Options o;
  const std::map<std::string, int*> numbers = {
      {"--context", &o.context}, {"--heads", &o.heads}, {"--rounds", &o.rounds}, {"--share", &o.share}, {"--samples", &o.samples}};
  for (int i = 1; i < count; ++i) {
    const std::string word(words[i]);
    const auto found = numbers.find(word);
    if (word == "--check")
      o.check = true;
    else if (found != numbers.end() && i + 1 < count)
      *found->second = std::atoi(words[++i]);
    else
      std::exit((std::fprintf(stderr, "unknown option %s\n", word.c_str()), 2));
  }
  return o;
}

// Of a model whose attention takes a share of a step: the step's time before over that after.
double gain(double share, double ratio) { return 1 / (1 - share + share * ratio); }

bool check(Bench& bench) {
  const std::vector<Timed> calls = bench.calls();
  double worst = 0;
  bool right = true;
  for (size_t i = 0; i < calls.size(); ++i) {
    if (i == 1 || i == 2) continue;
    const double error = bench.error_of(i);
    worst = std::max(worst, error);
    if (error <= 2e-3) continue;
    std::printf("%s is wrong: largest error %.3e\n", calls[i].name.c_str(), error);
    right = false;
  }
  std::printf("largest error %.2e: %s\n", worst, right ? "right" : "wrong");
  return right;
}

void report(const Bench& bench, const std::vector<Timed>& calls, const Options& o, int samples) {
  std::vector<Median> medians;
  for (const Timed& call : calls) medians.push_back(median_of(call.microseconds));
  const double dense = medians[0].value, share = o.share / 100.0;
  const double all_rate = bench.bytes_of_all() / medians[1].value, half_rate = bench.bytes_of_all() / 2 / medians[2].value;
  std::printf("\n%d samples, %d positions, %d heads of %d; a read of all bytes reaches %.0f GB/s, of half of them %.0f GB/s\n", samples,
              o.context, o.heads, kWidth, all_rate / 1e3, half_rate / 1e3);
  std::printf("%-24s %9s %20s %10s %10s %12s\n", "call", "us", "interval", "to dense", "of read", "modelled");
  int even = 0, aim = 0;
  for (size_t i = 0; i < calls.size(); ++i) {
    if (i == 1 || i == 2) continue;
    const Kind* kind = i == 0 ? nullptr : &bench.kinds()[i - 3];
    const double bytes = kind == nullptr ? bench.bytes_of_all() : bench.bytes_of(*kind), ratio = medians[i].value / dense;
    const double rate = kind != nullptr && kind->run > 0 ? half_rate : all_rate;
    std::printf("%-24s %9.2f %9.2f .. %7.2f %10.3f %9.1f %% %12.3f\n", calls[i].name.c_str(), medians[i].value, medians[i].low, medians[i].high,
                ratio, 100 * bytes / medians[i].value / rate, gain(share, ratio));
    if (kind != nullptr && kind->run > 0 && even == 0 && ratio < 1) even = kind->run;
    if (kind != nullptr && kind->run > 0 && aim == 0 && ratio <= 0.62) aim = kind->run;
  }
  std::printf("full spans over dense: %+.1f %% in 16 pieces, %+.1f %% in one\n", 100 * (medians[3].value / dense - 1),
              100 * (medians[4].value / dense - 1));
  std::printf("shortest runs that pay at half coverage: %d; that take at most 0.62 of dense: %d (0: none)\n", even, aim);
  std::printf("modelled = 1 / (1 - a + a * ratio), a = %.2f the share of attention in a step;", share);
  std::printf(" a gain of 1.30 needs a ratio of %.3f, and with half of the time (0.5) a share of %.3f\n", 1 - (1 - 1 / 1.3) / share,
              (1 - 1 / 1.3) / 0.5);
  std::printf("{\"samples\": %d, \"read_all_gb_s\": %.1f, \"read_half_gb_s\": %.1f, \"calls\": [", samples, all_rate / 1e3, half_rate / 1e3);
  for (size_t i = 0; i < calls.size(); ++i)
    std::printf("%s{\"name\": \"%s\", \"us\": %.3f, \"low\": %.3f, \"high\": %.3f}", i ? ", " : "", calls[i].name.c_str(), medians[i].value,
                medians[i].low, medians[i].high);
  std::printf("]}\n");
}

}  // namespace

int main(int count, char** words) {
  const Options options = options_of(count, words);
  const std::vector<int> batches = options.samples > 0 ? std::vector<int>{options.samples} : std::vector<int>{1, 16};
  bool right = true;
  for (const int samples : batches) {
    Bench bench(options, samples);
    const bool good = check(bench);
    right = right && good;
    if (options.check || !good) continue;
    std::vector<Timed> calls = bench.calls();
    time_in_turns(calls, bench.copies(), options.rounds);
    report(bench, calls, options, samples);
  }
  return right ? 0 : 1;
}
