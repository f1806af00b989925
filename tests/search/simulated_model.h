// SPDX-License-Identifier: Apache-2.0
// A seeded stand-in for a language model, for comparing strategies. Its rule was written down
// before the strategies that are measured with it.
//
// A kernel is a design: twelve choices of 0 to 3. A landscape gives each design a time. The model
// sees nothing but the dialogue:
//   * The first question: some ideas, of which it takes the best. In each most choices are the
//     obvious one (0), the others are drawn.
//   * A question that quotes one design: one or two choices change. With the chance `insight` the
//   model
//     sees which of some alternatives is best; otherwise it guesses. It avoids designs that the
//     question names as tried. A direction in the question limits which choices it changes.
//   * A question that quotes two designs: each choice is one of theirs, chosen with the same
//   insight.
//   * A repair: the same design, right more often than not; else one choice goes back to 0.
// An answer may be wrong, more often the less obvious it is. Long dialogues tire it: the insight
// falls with each earlier answer in sight.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "base/sha256.h"
#include "llm/model.h"
#include "search/fakes.h"

namespace warpwright::search {

constexpr int kChoices = 12;
constexpr int kOptions = 4;
using Design = std::array<int, kChoices>;

/// Random numbers that depend on what they are for.
class Dice {
 public:
  Dice(std::uint64_t seed, std::string_view purpose) {
    const std::string hex = sha256_hex(std::to_string(seed) + "/" + std::string(purpose));
    state_ = std::stoull(hex.substr(0, 16), nullptr, 16);
  }
  double unit() {
    state_ += 0x9E3779B97F4A7C15ull;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
  }
  int below(int n) { return static_cast<int>(unit() * n); }
  double bell() { return unit() + unit() + unit() + unit() - 2; }

 private:
  std::uint64_t state_;
};

/// How times depend on designs.
enum class Terrain {
  /// Mostly one choice at a time: every improvement can be found alone.
  smooth,
  /// Neighbouring choices decide together: most single changes make a good design worse, and
  /// refining one answer loses against drawing many.
  rugged,
  /// The first choice is the algorithm. It decides most, and what suits one algorithm does not suit
  /// another: whoever changes it loses what was tuned.
  families,
};

/// Times of designs, in microseconds.
class Landscape {
 public:
  Landscape(std::uint64_t seed, Terrain terrain) : terrain_(terrain) {
    Dice dice(seed, "landscape");
    for (auto& family : single_) {
      for (auto& row : family) {
        for (int option = 1; option < kOptions; ++option) row[option] = dice.bell();
      }
    }
    for (auto& pair : pairs_) {
      for (double& cell : pair) cell = dice.bell();
    }
    for (int family = 1; family < kOptions; ++family) families_[family] = 1.2 * dice.bell();
  }
  [[nodiscard]] double time_us(const Design& design) const {
    const bool families = terrain_ == Terrain::families;
    const auto& single = single_[families ? design[0] : 0];
    const double alone = families ? 0.14 : terrain_ == Terrain::smooth ? 0.20 : 0.02;
    const double together = families ? 0 : terrain_ == Terrain::smooth ? 0.05 : 0.40;
    double log_time = std::log(100.0);
    if (families) log_time += families_[design[0]];
    for (int i = families ? 1 : 0; i < kChoices; ++i) {
      log_time += alone * single[i][design[i]];
      const int neighbour = design[(i + 1) % kChoices];
      const double both = pairs_[i][design[i] * kOptions + neighbour];
      if (design[i] != 0 || neighbour != 0) log_time += together * both;
    }
    return std::exp(log_time);
  }

 private:
  Terrain terrain_;
  std::array<std::array<std::array<double, kOptions>, kChoices>, kOptions> single_{};
  std::array<std::array<double, kOptions * kOptions>, kChoices> pairs_{};
  std::array<double, kOptions> families_{};
};

inline std::string text_of(const Design& design) {
  std::string text = "design=";
  for (const int choice : design) text += static_cast<char>('0' + choice);
  return text;
}

/// All designs that a text names, in its order.
inline std::vector<Design> designs_in(std::string_view text) {
  std::vector<Design> found;
  constexpr std::string_view kMark = "design=";
  for (auto at = text.find(kMark); at != std::string_view::npos; at = text.find(kMark, at + 1)) {
    const auto digits = text.substr(at + kMark.size(), kChoices);
    if (digits.size() != kChoices) break;
    Design design{};
    for (int i = 0; i < kChoices; ++i) design[i] = std::clamp(digits[i] - '0', 0, kOptions - 1);
    found.push_back(design);
  }
  return found;
}

/// As a campaign with a strong model had it: three candidates in four rounds gain about a tenth
/// over the first round's best.
struct SimulatedRules {
  int ideas = 8;          ///< that a first answer is the best of
  double insight = 0.15;  ///< with full feedback and a fresh dialogue
  double fatigue = 0.9;   ///< insight is multiplied by this for each earlier answer in sight
  double wrong = 0.22;    ///< of an obvious design, and 0.02 more per choice that is not
  double repaired = 0.65;
};

/// Answers a request by the rule above. The question is the last message.
class SimulatedModel {
 public:
  SimulatedModel(std::uint64_t seed, Landscape landscape, SimulatedRules rules = {})
      : seed_(seed), landscape_(landscape), rules_(rules) {}

  llm::Outcome operator()(const llm::Request& request) const {
    Dice dice(seed_, "answer " + request.id);
    const std::string& question = request.messages.back().text;
    const auto parents = parents_of(request.messages);
    if (parents.empty()) return answer(first(dice), dice);
    if (question.find("repair") != std::string::npos) return repair(parents.back(), dice);
    const double insight = rules_.insight * std::pow(rules_.fatigue, answers_in(request.messages));
    const bool two = question.find("combine") != std::string::npos && parents.size() >= 2;
    const Design design = two ? combine(parents[parents.size() - 2], parents.back(), insight, dice)
                              : change(parents.back(), question, insight, dice);
    return answer(design, dice);
  }
  [[nodiscard]] double time_us(const Design& design) const { return landscape_.time_us(design); }

 private:
  /// What the question quotes, or else what the last answer holds.
  static std::vector<Design> parents_of(const std::vector<llm::Message>& messages) {
    const std::string& question = messages.back().text;
    const auto tried = question.find("tried:");
    auto quoted = designs_in(std::string_view(question).substr(0, tried));
    if (!quoted.empty() || messages.size() < 2) return quoted;
    return designs_in(messages[messages.size() - 2].text);
  }
  static int answers_in(const std::vector<llm::Message>& messages) {
    return static_cast<int>(std::count_if(messages.begin(), messages.end(), [](const auto& m) {
      return m.role == llm::Role::assistant;
    }));
  }
  /// What the model knows of the field: the best of some ideas.
  [[nodiscard]] Design first(Dice& dice) const {
    Design best{};
    for (int idea = 0; idea < rules_.ideas; ++idea) {
      Design design{};
      for (int& choice : design) choice = dice.unit() < 0.6 ? 0 : dice.below(kOptions);
      if (idea == 0 || landscape_.time_us(design) < landscape_.time_us(best)) best = design;
    }
    return best;
  }
  /// Choices that a direction is about: four of the twelve, by its number.
  static int choice_for(const std::string& question, Dice& dice) {
    const auto at = question.find("direction ");
    if (at == std::string::npos) return dice.below(kChoices);
    const int direction = std::atoi(question.c_str() + at + 10);
    return (3 * direction + dice.below(4)) % kChoices;
  }
  Design change(const Design& parent, const std::string& question, double insight,
                Dice& dice) const {
    const auto tried = question.find("tried:");
    const auto avoided = tried == std::string::npos
                             ? std::vector<Design>{}
                             : designs_in(std::string_view(question).substr(tried));
    const bool sees = dice.unit() < insight;
    Design best = parent;
    double best_us = 1e300;
    for (int attempt = 0; attempt < (sees ? 6 : 1); ++attempt) {
      Design design = parent;
      for (int changes = 1 + dice.below(2); changes > 0; --changes) {
        design[choice_for(question, dice)] = dice.below(kOptions);
      }
      if (std::find(avoided.begin(), avoided.end(), design) != avoided.end()) continue;
      if (landscape_.time_us(design) >= best_us) continue;
      best = design;
      best_us = landscape_.time_us(design);
    }
    return best;
  }
  Design combine(const Design& a, const Design& b, double insight, Dice& dice) const {
    const bool sees = dice.unit() < insight;
    Design best = a;
    double best_us = 1e300;
    for (int attempt = 0; attempt < (sees ? 6 : 1); ++attempt) {
      Design design{};
      const int from = dice.below(kChoices);
      const int count = 1 + dice.below(kChoices - 1);
      // Neighbouring choices belong together, as parts of a program do.
      for (int i = 0; i < kChoices; ++i) {
        design[i] = (i - from + kChoices) % kChoices < count ? a[i] : b[i];
      }
      if (landscape_.time_us(design) >= best_us) continue;
      best = design;
      best_us = landscape_.time_us(design);
    }
    return best;
  }
  llm::Outcome repair(Design design, Dice& dice) const {
    if (dice.unit() < rules_.repaired) return right(design);
    design[dice.below(kChoices)] = 0;
    return wrong(design);
  }
  llm::Outcome answer(const Design& design, Dice& dice) const {
    const auto unusual = std::count_if(design.begin(), design.end(), [](int c) { return c != 0; });
    const bool fails = dice.unit() < rules_.wrong + 0.02 * static_cast<double>(unusual);
    return fails ? wrong(design) : right(design);
  }
  [[nodiscard]] llm::Outcome right(const Design& design) const {
    return says(text_of(design) + " time=" + std::to_string(landscape_.time_us(design)));
  }
  static llm::Outcome wrong(const Design& design) {
    return says(text_of(design) + " verdict=mismatch");
  }

  std::uint64_t seed_;
  Landscape landscape_;
  SimulatedRules rules_;
};

}  // namespace warpwright::search
