// SPDX-License-Identifier: Apache-2.0
//
// toy_lm SAMPLES STEPS [PLANT]
//
// A small language model decodes SAMPLES prompts for STEPS tokens each, twice: one token per step, and
// speculatively, with drafts copied from the text (n-grams) that ems_verify_attention and ems_accept
// verify over a ragged batch. Exit code 0: both texts are those of the model's rule, computed on the
// host; 1: they differ, and where. PLANT puts a mistake into the speculative way: 1 the lengths grow by
// rejected drafts, too; 2 the attention takes every sample for one position shorter; 3 the list of
// samples that go on is off by one.
//
// The model is one layer of attention whose keys name positions: a query asks for one position, and
// the value there says which token it holds. Head 0 looks some positions back (text repeats), head 1
// now and then anywhere (text changes). Codes are orthogonal or far apart, so logits differ by 8 and
// more: rounding cannot change a token, a wrong position, length or value does.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#ifdef BFLOAT
#include <cuda_bf16.h>
typedef __nv_bfloat16 Number;
#else
#include <cuda_fp16.h>
typedef __half Number;
#endif

extern "C" void ems_attention(const Number* q, const Number* k_new, const Number* v_new, Number* k_cache, Number* v_cache,
                              const int* seq_lens, const int* token_nums, Number* out, int B, int T, int H, int Dh, int L_max);
extern "C" void ems_accept(const Number* logits, const int* tokens, const int* token_nums, int* seq_lens, int* accepted, int* emitted,
                           int* going_on, int* counts, int B, int T, int V, int eos);

namespace {

constexpr int kHeads = 2, kWidth = 64, kVocabulary = 64, kEnd = 1, kMostTokens = 8, kLongestPrompt = 40;

__host__ __device__ unsigned mixed(unsigned a, unsigned b) {
  unsigned x = a * 0x9E3779B1u + b * 0x85EBCA77u + 0x27D4EB2Fu;
  x = (x ^ (x >> 15)) * 0x2C1B3C6Du;
  x = (x ^ (x >> 12)) * 0x297A2D39u;
  return x ^ (x >> 15);
}

// What head h of the token at position n asks for. Position 0 holds the beginning, whose value is 0.
__host__ __device__ int position_asked(int h, int n, int token) {
  if (h == 0) {
    const int back = n + 1 - (11 + 6 * (n / 64 % 5));
    return back < 1 ? 1 : back;
  }
  const unsigned draw = mixed(n, token);
  return draw % 8 == 0 && n > 0 ? 1 + (draw >> 8) % n : 0;
}

__device__ float position_code(int p, int j) { return mixed(p + 1, j / 32 + 7) >> (j % 32) & 1 ? 1.0f : -1.0f; }
__device__ float token_code(int token, int j) { return token == 0 ? 0.0f : __popc(token & j) % 2 ? -1.0f : 1.0f; }

// One block per new token: its queries, keys and values.
__global__ void embed(const int* tokens, const int* samples, const int* places, const int* seq_lens, Number* q, Number* k, Number* v) {
  const int t = blockIdx.x, n = seq_lens[samples[t]] + places[t];
  for (int i = threadIdx.x; i < kHeads * kWidth; i += blockDim.x) {
    const int h = i / kWidth, j = i % kWidth;
    const size_t at = (size_t)t * kHeads * kWidth + i;
    q[at] = Number(8.0f * position_code(position_asked(h, n, tokens[t]), j));
    k[at] = Number(position_code(n, j));
    v[at] = Number(token_code(tokens[t], j));
  }
}

// One block per token, one thread per word: what the heads found, head 1 with three times the weight.
__global__ void project(const Number* out, Number* logits) {
  const Number* row = out + (size_t)blockIdx.x * kHeads * kWidth;
  float sum = 0.0f;
  for (int j = 0; j < kWidth; ++j) sum += (float(row[j]) + 3.0f * float(row[kWidth + j])) * token_code(threadIdx.x, j);
  logits[(size_t)blockIdx.x * kVocabulary + threadIdx.x] = Number(sum / 8.0f);
}

// The planted mistakes that are made on the device.
__global__ void add(int* to, const int* amounts, int factor, int n) {
  const int b = blockIdx.x * blockDim.x + threadIdx.x;
  if (b < n) to[b] = max(0, to[b] + (amounts == nullptr ? factor : factor * amounts[b]));
}

void need(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::printf("%s: %s\n", what, cudaGetErrorString(error));
  std::exit(2);
}

template <class T>
class Device {
 public:
  explicit Device(size_t count) : count_(count) {
    need(cudaMalloc((void**)&data_, count * sizeof(T)), "cudaMalloc");
    need(cudaMemset(data_, 0, count * sizeof(T)), "cudaMemset");
  }
  ~Device() { cudaFree(data_); }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  T* get() { return data_; }
  void set(const std::vector<T>& from) { need(cudaMemcpy(data_, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice), "copy"); }
  std::vector<T> first(size_t n) {
    std::vector<T> to(n);
    need(cudaMemcpy(to.data(), data_, n * sizeof(T), cudaMemcpyDeviceToHost), "copy");
    return to;
  }

 private:
  T* data_ = nullptr;
  size_t count_;
};

typedef std::vector<int> Text;

// Words 2 .. 63 at random. Every fourth prompt has the end near its beginning, where only head 1 looks.
Text prompt_of(int sample) {
  Text text{0};
  const int length = 16 + (int)(mixed(sample, 1) % (kLongestPrompt - 16));
  for (int i = 1; i < length; ++i) text.push_back(2 + (int)(mixed(sample * 64 + i, 2) % 62));
  for (int i = 1; sample % 4 == 3 && i < 5; ++i) text[i] = kEnd;
  return text;
}

int next_by_rule(const Text& text) {
  const int n = (int)text.size() - 1;
  const int jump = text[position_asked(1, n, text[n])];
  return jump != 0 ? jump : text[position_asked(0, n, text[n])];
}

// What followed the latest earlier occurrence of the last two words: at most `most` words.
Text drafts_of(const Text& text, int most) {
  Text drafts;
  const int n = (int)text.size();
  for (int i = n - 2; i >= 2 && drafts.empty(); --i) {
    if (text[i - 1] != text[n - 1] || text[i - 2] != text[n - 2]) continue;
    for (int j = i; j < n && (int)drafts.size() < most; ++j) drafts.push_back(text[j]);
  }
  return drafts;
}

// The samples' texts and, on the device, their caches.
class Decoder {
 public:
  Decoder(int samples, int steps, int plant)
      : samples_(samples), steps_(steps), plant_(plant), most_(samples * kLongestPrompt), l_max_(kLongestPrompt + steps + 2 * kMostTokens),
        tokens_(most_), owners_(most_), places_(most_), nums_(samples), lens_(samples), accepted_(samples), emitted_(most_),
        going_(samples), counts_(2), q_(rows()), k_(rows()), v_(rows()), out_(rows()), logits_((size_t)most_ * kVocabulary),
        keys_((size_t)samples * kHeads * l_max_ * kWidth), values_((size_t)samples * kHeads * l_max_ * kWidth) {}

  // False: the lengths ran over the cache.
  bool decode(bool speculative) {
    std::vector<int> nums(samples_);
    Text packed;
    for (int b = 0; b < samples_; ++b) {
      texts.push_back(prompt_of(b));
      ends_.push_back((int)texts[b].size() + steps_);
      nums[b] = (int)texts[b].size() - 1;
      packed.insert(packed.end(), texts[b].begin(), texts[b].end() - 1);
    }
    attend(packed, nums);
    lens_.set(nums);
    std::vector<int> alive(samples_);
    for (int b = 0; b < samples_; ++b) alive[b] = b;
    for (; !alive.empty(); ++calls) {
      if (!fits()) return false;
      alive = step(alive, speculative);
    }
    return true;
  }

  std::vector<Text> texts;
  long calls = 0, sent = 0, taken = 0;

 private:
  size_t rows() const { return (size_t)most_ * kHeads * kWidth; }

  bool fits() {
    for (const int length : lens_.first(samples_)) {
      if (length + kMostTokens > l_max_) return false;
    }
    return true;
  }

  // Appends the tokens, attends and computes the logits.
  void attend(const Text& packed, const std::vector<int>& nums) {
    std::vector<int> owners, places;
    for (int b = 0; b < samples_; ++b) {
      for (int s = 0; s < nums[b]; ++s) {
        owners.push_back(b);
        places.push_back(s);
      }
    }
    const int rows = (int)packed.size();
    tokens_.set(packed);
    owners_.set(owners);
    places_.set(places);
    nums_.set(nums);
    embed<<<rows, 64>>>(tokens_.get(), owners_.get(), places_.get(), lens_.get(), q_.get(), k_.get(), v_.get());
    if (plant_ == 2) add<<<1, 256>>>(lens_.get(), nullptr, -1, samples_);
    ems_attention(q_.get(), k_.get(), v_.get(), keys_.get(), values_.get(), lens_.get(), nums_.get(), out_.get(), samples_, rows, kHeads,
                  kWidth, l_max_);
    if (plant_ == 2) add<<<1, 256>>>(lens_.get(), nullptr, 1, samples_);
    project<<<rows, kVocabulary>>>(out_.get(), logits_.get());
    need(cudaGetLastError(), "launch");
  }

  std::vector<int> step(const std::vector<int>& alive, bool speculative) {
    std::vector<int> nums(samples_, 0);
    Text packed;
    for (const int b : alive) {
      const int left = ends_[b] - (int)texts[b].size();
      const Text drafts = speculative ? drafts_of(texts[b], left < kMostTokens ? left - 1 : kMostTokens - 1) : Text();
      packed.push_back(texts[b].back());
      packed.insert(packed.end(), drafts.begin(), drafts.end());
      nums[b] = 1 + (int)drafts.size();
    }
    sent += (long)packed.size();
    attend(packed, nums);
    ems_accept(logits_.get(), tokens_.get(), nums_.get(), lens_.get(), accepted_.get(), emitted_.get(), going_.get(), counts_.get(), samples_,
               (int)packed.size(), kVocabulary, kEnd);
    if (plant_ == 1) {
      add<<<1, 256>>>(lens_.get(), accepted_.get(), -1, samples_);
      add<<<1, 256>>>(lens_.get(), nums_.get(), 1, samples_);
    }
    return take();
  }

  // The emitted tokens to the texts; what goes on and is not yet long enough.
  std::vector<int> take() {
    const std::vector<int> counts = counts_.first(2), accepted = accepted_.first(samples_);
    const Text emitted = emitted_.first(counts[0]);
    taken += counts[0];
    size_t at = 0;
    for (int b = 0; b < samples_; ++b) {
      for (int i = 0; i < accepted[b]; ++i) texts[b].push_back(emitted[at++]);
    }
    std::vector<int> alive;
    for (int b : going_.first(counts[1])) {
      if (plant_ == 3) b = (b + 1) % samples_;
      if ((int)texts[b].size() < ends_[b]) alive.push_back(b);
    }
    return alive;
  }

  int samples_, steps_, plant_, most_, l_max_;
  std::vector<int> ends_;
  Device<int> tokens_, owners_, places_, nums_, lens_, accepted_, emitted_, going_, counts_;
  Device<Number> q_, k_, v_, out_, logits_, keys_, values_;
};

std::vector<Text> texts_by_rule(int samples, int steps) {
  std::vector<Text> texts;
  for (int b = 0; b < samples; ++b) {
    texts.push_back(prompt_of(b));
    for (int i = 0; i < steps; ++i) {
      texts[b].push_back(next_by_rule(texts[b]));
      if (texts[b].back() == kEnd) break;
    }
  }
  return texts;
}

bool same(const char* name, const std::vector<Text>& got, const std::vector<Text>& expected) {
  for (size_t b = 0; b < expected.size(); ++b) {
    size_t i = 0;
    while (i < got[b].size() && i < expected[b].size() && got[b][i] == expected[b][i]) ++i;
    if (i == got[b].size() && i == expected[b].size()) continue;
    std::printf("%s differs: sample %zu at token %zu\n", name, b, i);
    return false;
  }
  return true;
}

}  // namespace

int main(int count, char** words) {
  const int samples = count > 1 ? std::atoi(words[1]) : 4, steps = count > 2 ? std::atoi(words[2]) : 40;
  const int plant = count > 3 ? std::atoi(words[3]) : 0;
  const std::vector<Text> expected = texts_by_rule(samples, steps);
  Decoder greedy(samples, steps, 0), speculative(samples, steps, plant);
  bool right = greedy.decode(false) && same("greedy", greedy.texts, expected);
  const bool fitted = speculative.decode(true);
  if (!fitted) std::printf("speculative: the lengths ran over the cache\n");
  right = fitted && same("speculative", speculative.texts, expected) && right;
  size_t ended = 0;
  for (const Text& text : expected) ended += text.back() == kEnd;
  std::printf("%d samples (%zu ended), %d steps: %ld greedy calls, %ld speculative calls, %ld tokens sent, %ld taken: %s\n", samples, ended,
              steps, greedy.calls, speculative.calls, speculative.sent, speculative.taken, right ? "equal" : "different");
  return right ? 0 : 1;
}
