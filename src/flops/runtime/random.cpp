// SPDX-License-Identifier: Apache-2.0
// rand and random: the C library's numbers without its lock. Programs fill their inputs with them,
// and a count spends up to half of its time there. A table of 31 words, each new one the sum of two
// old ones.

#include <stdint.h>
#include <sys/single_threaded.h>

#include <atomic>

namespace {

constexpr int kWords = 31;
constexpr int kDistance = 3;
constexpr int kDiscarded = 10 * kWords;

class Sequence {
 public:
  explicit Sequence(unsigned seed) { start(seed); }

  void start(unsigned seed) {
    int64_t word = static_cast<int32_t>(seed == 0 ? 1 : seed);
    for (int i = 0; i < kWords; ++i) {
      words_[i] = static_cast<uint32_t>(word);
      word = 16807 * word % 2147483647;
      if (word < 0) word += 2147483647;
    }
    oldest_ = kDistance;
    for (int i = 0; i < kDiscarded; ++i) next();
  }

  uint32_t next() {
    // The word that is kDistance places back takes part in the one that replaces the oldest.
    const int back = oldest_ < kDistance ? oldest_ + kWords - kDistance : oldest_ - kDistance;
    const uint32_t made = words_[oldest_] += words_[back];
    oldest_ = oldest_ + 1 == kWords ? 0 : oldest_ + 1;
    return made >> 1;
  }

 private:
  uint32_t words_[kWords];
  int oldest_ = kDistance;
};

/// Held only where a second thread was ever started.
class Turn {
 public:
  Turn() : alone_(__libc_single_threaded != 0) {
    while (!alone_ && taken().test_and_set(std::memory_order_acquire)) {
    }
  }
  ~Turn() {
    if (!alone_) taken().clear(std::memory_order_release);
  }

 private:
  static std::atomic_flag& taken() {
    static std::atomic_flag flag = ATOMIC_FLAG_INIT;
    return flag;
  }
  bool alone_;
};

Sequence& sequence() {
  static Sequence made(1);
  return made;
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) int rand() noexcept {
  const Turn turn;
  return static_cast<int>(sequence().next());
}

__attribute__((visibility("default"))) long random() noexcept {
  const Turn turn;
  return static_cast<long>(sequence().next());
}

__attribute__((visibility("default"))) void srand(unsigned seed) noexcept {
  const Turn turn;
  sequence().start(seed);
}

__attribute__((visibility("default"))) void srandom(unsigned seed) noexcept {
  const Turn turn;
  sequence().start(seed);
}
}
