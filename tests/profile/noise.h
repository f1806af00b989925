// SPDX-License-Identifier: Apache-2.0
// What disturbs a GPU's clock, made up: streams of samples for statistics to be tried on.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace warpwright::profile {

/// Everything is relative unless it says otherwise, and off unless it is set.
struct NoiseModel {
  std::string name;
  double own_sigma = 0.003;   ///< of each sample alone
  double drift = 0;           ///< over a thousand samples, common to both kernels
  double step = 0;            ///< height of sudden clock changes, common to both
  double step_chance = 0;     ///< per sample
  double wander_sigma = 0;    ///< of a slow random walk that forgets (rho 0.98), common
  double outlier_chance = 0;  ///< of a sample 1.2 to 3 times too long
  double mode_height = 0;     ///< a second mode of each kernel, sticky
  double mode_chance = 0;     ///< of changing the mode, per sample
  double second_place = 0;    ///< cost of being the second of two in a row
  double set_sigma = 0;       ///< of a bias of each input set, drawn once, not common
  double place_sigma = 0;     ///< of a bias of each kernel at each of kNoisePlaces places
  double tick_us = 0.032;     ///< resolution of the clock
  double jitter_us = 0.02;    ///< of the clock, absolute
};

inline constexpr std::size_t kNoisePlaces = 24;

class NoiseSource {
 public:
  NoiseSource(const NoiseModel& model, std::uint64_t seed) : model_(model), state_(seed) {
    for (double& bias : set_bias_) bias = model_.set_sigma * normal();
    if (model_.place_sigma > 0) {
      for (auto& kernel : place_bias_) {
        for (double& bias : kernel) bias = model_.place_sigma * normal();
      }
    }
    phase_ = uniform();
    sign_ = uniform() < 0.5 ? -1 : 1;
  }

  /// The next sample of kernel 0 or 1 that takes `us`, on the input set of the pair.
  double sample(int kernel, double us, std::uint64_t pair) {
    ++count_;
    wander_ = 0.98 * wander_ + std::sqrt(1 - 0.98 * 0.98) * model_.wander_sigma * normal();
    if (uniform() < model_.step_chance) level_ = level_ == 0 ? model_.step : 0;
    if (uniform() < model_.mode_chance) mode_[kernel] = !mode_[kernel];
    double factor =
        1 + sign_ * model_.drift * static_cast<double>(count_) / 1000 + level_ + wander_;
    factor *= 1 + model_.own_sigma * normal();
    if (mode_[kernel]) factor *= 1 + model_.mode_height;
    if (kernel == 0) factor *= 1 + set_bias_[pair % 3];
    factor *= 1 + place_bias_[kernel][pair % kNoisePlaces];
    if (last_kernel_ != kernel && count_ % 2 == 0) factor *= 1 + model_.second_place;
    last_kernel_ = kernel;
    if (uniform() < model_.outlier_chance) factor *= 1.2 + 1.8 * uniform();
    const double exact = us * factor + model_.jitter_us * normal();
    if (model_.tick_us <= 0) return exact;
    phase_ += exact / model_.tick_us;  // where in a tick the sample began is anybody's guess
    const double begin = std::floor(phase_ - exact / model_.tick_us), end = std::floor(phase_);
    return std::max(end - begin, 1.0) * model_.tick_us;
  }

 private:
  double uniform() {  // SplitMix64: cheap, and the same everywhere
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15ULL;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
  }
  /// A sum of four uniforms, with a standard deviation of one.
  double normal() { return (uniform() + uniform() + uniform() + uniform() - 2) * 1.7320508; }

  NoiseModel model_;
  std::uint64_t state_;
  std::uint64_t count_ = 0;
  double level_ = 0, wander_ = 0, phase_ = 0, sign_ = 1;
  double set_bias_[3] = {};
  double place_bias_[2][kNoisePlaces] = {};
  bool mode_[2] = {};
  int last_kernel_ = -1;
};

inline std::vector<NoiseModel> noise_models() {
  return {
      {.name = "quiet"},
      {.name = "noisy", .own_sigma = 0.015},
      {.name = "drift", .drift = 0.15},
      {.name = "steps", .step = 0.06, .step_chance = 0.01},
      {.name = "wander", .wander_sigma = 0.02},
      {.name = "outliers", .outlier_chance = 0.06},
      {.name = "modes", .mode_height = 0.02, .mode_chance = 0.2},
      {.name = "second place", .second_place = 0.01},
      {.name = "placement", .set_sigma = 0.002},
      {.name = "coarse clock", .own_sigma = 0.001, .tick_us = 0.5, .jitter_us = 0.05},
      {.name = "all at once",
       .own_sigma = 0.006,
       .drift = 0.05,
       .step = 0.03,
       .step_chance = 0.005,
       .wander_sigma = 0.005,
       .outlier_chance = 0.02,
       .second_place = 0.003,
       .set_sigma = 0.001},
  };
}

}  // namespace warpwright::profile
