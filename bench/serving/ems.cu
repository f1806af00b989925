// SPDX-License-Identifier: Apache-2.0
//
// ems [--check] [--samples N] [--context N] [--drafts N] [--heads N] [--vocabulary N] [--rounds N] [--seed N]
//
// One step of speculative decoding over a batch (append keys and values, verify attention, accept) in five
// ways, in turns, on the same data: padded with keys and values read once per draft; padded with them read
// once per sample; EMS's two passes over packed tokens; packed tokens with the same inner kernel, once per sample; and
// the given kernel of ems_verify_attention. Prints a table and JSON. --check compares results and times nothing.
#include <cstring>
#include <map>
#include <random>

#include "inner.cuh"
#include "timing.cuh"

extern "C" void ems_attention(const __half* q, const __half* k_new, const __half* v_new, __half* k_cache, __half* v_cache,
                              const int* seq_lens, const int* token_nums, __half* out, int B, int T, int H, int Dh, int L_max);
extern "C" void ems_append(const __half* k_new, const __half* v_new, __half* k_cache, __half* v_cache, const int* seq_lens,
                           const int* token_nums, int B, int T, int H, int Dh, int L_max);
extern "C" void ems_accept(const __half* logits, const int* tokens, const int* token_nums, int* seq_lens, int* accepted, int* emitted,
                           int* going_on, int* counts, int B, int T, int V, int eos);

namespace {

struct Options {
  bool check = false;
  int samples = 16, context = 2048, drafts = 8, heads = 32, vocabulary = 32000, rounds = 200, seed = 0;
};

// Lengths and tokens of the task's timed sizes; with a seed, drawn evenly.
struct Shape {
  std::vector<int> lens, nums;
  int tokens = 0, longest = 0, l_max = 0;
};

Shape shape_of(const Options& o) {
  Shape shape;
  std::mt19937 random((unsigned)o.seed);
  const int shortest = o.context / 8;
  for (int b = 0; b < o.samples; ++b) {
    const int step = b * 5 % 16;
    shape.lens.push_back(o.seed == 0 ? shortest + (o.context - shortest) * step / 15 : shortest + (int)(random() % (o.context - shortest + 1)));
    shape.nums.push_back(o.seed == 0 ? o.drafts - b % (o.drafts + 1) : (int)(random() % (o.drafts + 1)));
    shape.tokens += shape.nums[b];
    shape.longest = std::max(shape.longest, shape.lens[b]);
  }
  shape.l_max = (o.context + o.drafts + 63) / 64 * 64;
  return shape;
}

// Which queries and keys a block has, in each way.
struct PaddedEach {
  const int* lens;
  int drafts, keys;
  __device__ Part operator()(int z) const { return {z / drafts, z, 1, lens[z / drafts] + z % drafts + 1, keys}; }
};
struct PaddedOnce {
  const int* lens;
  int drafts, keys;
  __device__ Part operator()(int z) const { return {z, z * drafts, drafts, lens[z] + 1, keys}; }
};
struct EachToken {
  const int *lens, *nums;
  __device__ Part operator()(int z) const {
    int b = 0, s = z;
    while (s >= nums[b]) s -= nums[b++];
    return {b, z, 1, lens[b] + s + 1, lens[b] + s + 1};
  }
};
struct EachSample {
  const int *lens, *nums;
  __device__ Part operator()(int z) const {
    int first = 0;
    for (int b = 0; b < z; ++b) first += nums[b];
    return {z, first, nums[z], lens[z] + 1, nums[z] == 0 ? 0 : lens[z] + nums[z]};
  }
};
struct KeysPadded {
  int keys;
  __device__ int operator()(int) const { return keys; }
};
struct KeysOfToken {
  EachToken find;
  __device__ int operator()(int row) const { return find(row).keys; }
};
struct KeysOfSample {
  EachToken find;
  __device__ int operator()(int row) const {
    const int b = find(row).sample;
    return find.lens[b] + find.nums[b];
  }
};

// Plain float attention over the caches: one block per token and head.
__global__ void expected_rows(const __half* q, const __half* k_cache, const __half* v_cache, EachToken find, float* scores, float* out,
                              int heads, int l_max) {
  const Part part = find((int)blockIdx.y);
  const size_t row = (size_t)blockIdx.y * heads + blockIdx.x, cache = ((size_t)part.sample * heads + blockIdx.x) * l_max * kWidth;
  float* own = scores + row * l_max;
  for (int p = threadIdx.x; p < part.keys; p += blockDim.x) {
    float sum = 0.0f;
    for (int j = 0; j < kWidth; ++j) sum += __half2float(q[row * kWidth + j]) * __half2float(k_cache[cache + (size_t)p * kWidth + j]);
    own[p] = sum / sqrtf((float)kWidth);
  }
  __syncthreads();
  float largest = -INFINITY, total = 0.0f, sum = 0.0f;
  for (int p = 0; p < part.keys; ++p) largest = fmaxf(largest, own[p]);
  for (int p = 0; p < part.keys; ++p) {
    const float weight = expf(own[p] - largest);
    total += weight;
    sum += weight * __half2float(v_cache[cache + (size_t)p * kWidth + threadIdx.x]);
  }
  out[row * kWidth + threadIdx.x] = sum / total;
}

// Packed rows to padded ones, and the columns of logits that the model says: row t says t.
__global__ void pad(const __half* packed, __half* padded, const int* nums, int drafts, int width) {
  const int b = blockIdx.x / drafts, s = blockIdx.x % drafts;
  int row = s;
  for (int i = 0; i < b; ++i) row += nums[i];
  for (int j = threadIdx.x; j < width; j += blockDim.x)
    padded[(size_t)blockIdx.x * width + j] = s < nums[b] ? packed[(size_t)row * width + j] : __half(0.0f);
}
__global__ void say(__half* logits, int vocabulary) {
  if (threadIdx.x == 0) logits[(size_t)blockIdx.x * vocabulary + blockIdx.x % vocabulary] = __half(30.0f);
}

// All that one copy of a pipeline works on. Padded ways have `drafts` rows per sample.
struct Batch {
  Buffer<__half> q, k_new, v_new, keys, values, out, logits;
  Buffer<int> lens, own_lens, nums, tokens, accepted, emitted, going_on, counts;
};

class Bench {
 public:
  explicit Bench(const Options& options)
      : o_(options), shape_(shape_of(options)), width_((size_t)o_.heads * kWidth), padded_rows_(o_.samples * o_.drafts),
        padded_keys_(shape_.longest + o_.drafts), splits_((padded_keys_ + kChunk - 1) / kChunk),
        sums_((size_t)padded_rows_ * o_.heads * splits_ * kWidth), partials_((size_t)padded_rows_ * o_.heads * splits_) {
    for (int copy = 0; copy < (o_.check ? 1 : 2); ++copy) {
      ragged_.push_back(batch(false, shape_.nums));
      padded_.push_back(batch(true, std::vector<int>(o_.samples, o_.drafts)));
    }
  }

  std::vector<Timed> ways() {
    return {{"padded, K and V per draft", [this](int i) { padded_each(padded_[i]); }},
            {"padded, K and V once", [this](int i) { padded_once(padded_[i]); }},
            {"two passes over tokens", [this](int i) { two_passes(ragged_[i]); }},
            {"packed, same inner kernel", [this](int i) { packed_once(ragged_[i]); }},
            {"packed, the given kernel", [this](int i) { given(ragged_[i]); }}};
  }

  // The largest error of a way's outputs, and whether it accepts what it should.
  double error_of(size_t way, bool* accepts) {
    Batch& batch = way < 2 ? padded_[0] : ragged_[0];
    need(cudaMemset(batch.out.get(), 0xff, batch.out.size() * sizeof(__half)), "cudaMemset");
    need(cudaMemset(batch.counts.get(), 0, 2 * sizeof(int)), "cudaMemset");
    ways()[way].call(0);
    need(cudaDeviceSynchronize(), "way");
    if (expected_.empty()) expect();
    const std::vector<__half> got = batch.out.copy();
    const std::vector<int> accepted = batch.accepted.copy();
    double worst = 0;
    size_t row = 0;
    for (int b = 0; b < o_.samples; ++b) {
      *accepts = *accepts && (shape_.nums[b] == 0 || accepted[b] == expected_accepted(b));
      for (int s = 0; s < shape_.nums[b]; ++s, ++row) {
        const size_t from = way < 2 ? (size_t)b * o_.drafts + s : row;
        for (size_t j = 0; j < width_; ++j) {
          const double error = std::fabs((double)__half2float(got[from * width_ + j]) - expected_[row * width_ + j]);
          worst = error <= worst ? worst : std::isnan(error) ? 1e30 : error;
        }
      }
    }
    return worst;
  }

  // Bytes of keys and values that the padded way reads, over those of the packed one.
  double traffic_ratio() const {
    double packed = 0;
    for (int b = 0; b < o_.samples; ++b) packed += shape_.nums[b] == 0 ? 0 : shape_.lens[b] + shape_.nums[b];
    return (double)o_.samples * padded_keys_ / packed;
  }
  double packed_bytes() const { return (double)o_.samples * padded_keys_ / traffic_ratio() * 4 * (double)width_; }
  const Shape& shape() const { return shape_; }
  int copies() const { return (int)ragged_.size(); }

 private:
  static constexpr int kChunk = 512;

  // The third draft of every sample is wrong, and so is what fills it up.
  int expected_accepted(int b) const { return std::min(shape_.nums[b], 3); }

  Batch batch(bool padded, const std::vector<int>& nums) {
    const int rows = padded ? padded_rows_ : shape_.tokens;
    const size_t cache = (size_t)o_.samples * width_ * shape_.l_max;
    std::vector<int> tokens;
    for (int b = 0, row = 0; b < o_.samples; ++b) {
      for (int s = 0; s < nums[b]; ++s, ++row) tokens.push_back((s >= shape_.nums[b] || s == 3 ? row : row + o_.vocabulary - 1) % o_.vocabulary);
    }
    Batch made{normal_buffer<__half>((size_t)shape_.tokens * width_, 0, 11), normal_buffer<__half>((size_t)shape_.tokens * width_, 0, 12),
               normal_buffer<__half>((size_t)shape_.tokens * width_, 0.25f, 13), normal_buffer<__half>(cache, 0, 100),
               normal_buffer<__half>(cache, 0.25f, 101), Buffer<__half>((size_t)rows * width_),
               normal_buffer<__half>((size_t)rows * o_.vocabulary, 0, 14), Buffer<int>(shape_.lens), Buffer<int>(shape_.lens), Buffer<int>(nums),
               Buffer<int>(tokens), Buffer<int>(o_.samples), Buffer<int>(rows), Buffer<int>(o_.samples), Buffer<int>(2)};
    say<<<rows, 32>>>(made.logits.get(), o_.vocabulary);
    if (!padded) return made;
    const Buffer<int> real(shape_.nums);
    return {padded_copy(made.q, real), padded_copy(made.k_new, real), padded_copy(made.v_new, real), std::move(made.keys), std::move(made.values),
            std::move(made.out), std::move(made.logits), std::move(made.lens), std::move(made.own_lens), std::move(made.nums),
            std::move(made.tokens), std::move(made.accepted), std::move(made.emitted), std::move(made.going_on), std::move(made.counts)};
  }

  Buffer<__half> padded_copy(const Buffer<__half>& packed, const Buffer<int>& nums) const {
    Buffer<__half> to((size_t)padded_rows_ * width_);
    pad<<<padded_rows_, 128>>>(packed.get(), to.get(), nums.get(), o_.drafts, (int)width_);
    need(cudaDeviceSynchronize(), "pad");
    return to;
  }

  void append(Batch& b, int rows) {
    ems_append(b.k_new.get(), b.v_new.get(), b.keys.get(), b.values.get(), b.lens.get(), b.nums.get(), o_.samples, rows, o_.heads, kWidth,
               shape_.l_max);
  }
  // Accepted tokens advance a copy of the lengths, so that every call sees the same ones.
  void accept(Batch& b, int rows) {
    ems_accept(b.logits.get(), b.tokens.get(), b.nums.get(), b.own_lens.get(), b.accepted.get(), b.emitted.get(), b.going_on.get(),
               b.counts.get(), o_.samples, rows, o_.vocabulary, -1);
  }
  template <class Find, class FindRow>
  void attend(Batch& b, const Find& find, const FindRow& find_row, int parts, int rows) {
    attend_part<<<dim3(splits_, o_.heads, parts), 32 * kWarps>>>(find, b.q.get(), b.keys.get(), b.values.get(), sums_.get(), partials_.get(),
                                                                 o_.heads, shape_.l_max, kChunk);
    combine<<<dim3(o_.heads, rows), kWidth>>>(find_row, sums_.get(), partials_.get(), b.out.get(), o_.heads, splits_, kChunk);
  }

  void padded_each(Batch& b) {
    append(b, padded_rows_);
    attend(b, PaddedEach{b.lens.get(), o_.drafts, padded_keys_}, KeysPadded{padded_keys_}, padded_rows_, padded_rows_);
    accept(b, padded_rows_);
  }
  void padded_once(Batch& b) {
    append(b, padded_rows_);
    attend(b, PaddedOnce{b.lens.get(), o_.drafts, padded_keys_}, KeysPadded{padded_keys_}, o_.samples, padded_rows_);
    accept(b, padded_rows_);
  }
  // The first pass is there to fill the caches; with one token per sample it would do.
  void two_passes(Batch& b) {
    const EachToken find{b.lens.get(), b.nums.get()};
    append(b, shape_.tokens);
    for (int pass = *std::max_element(shape_.nums.begin(), shape_.nums.end()) > 1 ? 0 : 1; pass < 2; ++pass)
      attend(b, find, KeysOfToken{find}, shape_.tokens, shape_.tokens);
    accept(b, shape_.tokens);
  }
  void packed_once(Batch& b) {
    append(b, shape_.tokens);
    attend(b, EachSample{b.lens.get(), b.nums.get()}, KeysOfSample{{b.lens.get(), b.nums.get()}}, o_.samples, shape_.tokens);
    accept(b, shape_.tokens);
  }
  void given(Batch& b) {
    ems_attention(b.q.get(), b.k_new.get(), b.v_new.get(), b.keys.get(), b.values.get(), b.lens.get(), b.nums.get(), b.out.get(), o_.samples,
                  shape_.tokens, o_.heads, kWidth, shape_.l_max);
    accept(b, shape_.tokens);
  }

  void expect() {
    Batch& b = ragged_[0];
    append(b, shape_.tokens);
    const Buffer<float> scores((size_t)shape_.tokens * o_.heads * shape_.l_max), out((size_t)shape_.tokens * width_);
    expected_rows<<<dim3(o_.heads, shape_.tokens), kWidth>>>(b.q.get(), b.keys.get(), b.values.get(), EachToken{b.lens.get(), b.nums.get()},
                                                             scores.get(), out.get(), o_.heads, shape_.l_max);
    need(cudaDeviceSynchronize(), "expected");
    expected_ = out.copy();
  }

  Options o_;
  Shape shape_;
  size_t width_;
  int padded_rows_, padded_keys_, splits_;
  Buffer<float> sums_;
  Buffer<Partial> partials_;
  std::vector<Batch> ragged_, padded_;
  std::vector<float> expected_;
};

Options options_of(int count, char** words) {
  Options o;
  const std::map<std::string, int*> numbers = {{"--samples", &o.samples}, {"--context", &o.context}, {"--drafts", &o.drafts},
                                               {"--heads", &o.heads},     {"--vocabulary", &o.vocabulary}, {"--rounds", &o.rounds},
                                               {"--seed", &o.seed}};
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

void report(const Bench& bench, const std::vector<Timed>& ways, const std::vector<double>& errors) {
  std::vector<Median> medians;
  for (const Timed& way : ways) medians.push_back(median_of(way.microseconds));
  std::printf("%-28s %10s %22s %10s %12s\n", "way", "us", "interval", "over given", "max error");
  for (size_t i = 0; i < ways.size(); ++i)
    std::printf("%-28s %10.2f %10.2f .. %8.2f %10.3f %12.2e\n", ways[i].name.c_str(), medians[i].value, medians[i].low, medians[i].high,
                medians[i].value / medians.back().value, errors[i]);
  const double ratio = bench.traffic_ratio();
  std::printf("traffic ratio of padded to packed: %.3f; reached against padded once: %.1f %% (same inner kernel: %.1f %%)\n", ratio,
              100 * medians[1].value / medians[4].value / ratio, 100 * medians[1].value / medians[3].value / ratio);
  std::printf("keys and values of the packed way: %.1f MB, %.0f GB/s by the given kernel\n", bench.packed_bytes() / 1e6,
              bench.packed_bytes() / medians[4].value / 1e3);
  std::printf("{\"traffic_ratio\": %.4f, \"ways\": [", ratio);
  for (size_t i = 0; i < ways.size(); ++i)
    std::printf("%s{\"name\": \"%s\", \"us\": %.3f, \"low\": %.3f, \"high\": %.3f, \"error\": %.3e}", i ? ", " : "", ways[i].name.c_str(),
                medians[i].value, medians[i].low, medians[i].high, errors[i]);
  std::printf("]}\n");
}

}  // namespace

int main(int count, char** words) {
  const Options options = options_of(count, words);
  if (options.drafts < 1 || options.drafts > kMostRows) return std::fprintf(stderr, "--drafts is 1 to %d\n", kMostRows), 2;
  Bench bench(options);
  std::vector<Timed> ways = bench.ways();
  std::vector<double> errors;
  bool right = true;
  for (size_t i = 0; i < ways.size(); ++i) {
    bool accepts = true;
    errors.push_back(bench.error_of(i, &accepts));
    if (errors[i] <= 2e-3 && accepts) continue;
    std::printf("%s is wrong: largest error %.3e, accepts %s\n", ways[i].name.c_str(), errors[i], accepts ? "rightly" : "wrongly");
    right = false;
  }
  if (options.check || !right) {
    std::printf("%d tokens, largest errors %.2e %.2e %.2e %.2e %.2e: %s\n", bench.shape().tokens, errors[0], errors[1], errors[2], errors[3],
                errors[4], right ? "right" : "wrong");
    return right ? 0 : 1;
  }
  time_in_turns(ways, bench.copies(), options.rounds);
  report(bench, ways, errors);
  return 0;
}
