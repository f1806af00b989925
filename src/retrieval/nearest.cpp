// SPDX-License-Identifier: Apache-2.0
#include "retrieval/nearest.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/text.h"

namespace warpwright::retrieval {

namespace {

constexpr std::size_t kMaxSourceBytes = 16 * 1024;
constexpr double kLeastLikeness = 0.01;

using Terms = std::map<std::string, double>;

/// Words and neighbouring pairs of them, with how often they occur.
Terms terms_of(std::string_view text) {
  Terms terms;
  std::string word, before;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ' ';
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_') {
      word += c;
    } else if (c >= 'A' && c <= 'Z') {
      word += static_cast<char>(c - 'A' + 'a');
    } else if (!word.empty()) {
      terms[word] += 1;
      if (!before.empty()) terms[before + " " + word] += 1;
      before = std::move(word);
      word.clear();
    }
  }
  return terms;
}

constexpr std::size_t kFields = 3;
constexpr std::array<double, kFields> kWeights = {0.5, 0.2, 0.3};
using Fields = std::array<Terms, kFields>;

Fields fields_of(const Task& task) {
  const std::string& reference = !task.reference_source.empty() ? task.reference_source
                                 : !task.torch.source.empty()   ? task.torch.source
                                                                : task.baseline_source;
  return {terms_of(task.title + " " + task.description), terms_of(signature_of(task)),
          terms_of(reference)};
}

/// In how many documents each term occurs.
class Frequencies {
 public:
  void add(const Fields& fields) {
    ++documents_;
    for (std::size_t f = 0; f < kFields; ++f) {
      for (const auto& [term, count] : fields[f]) ++seen_[f][term];
    }
  }
  [[nodiscard]] double weight(std::size_t field, const std::string& term, double count) const {
    const auto found = seen_[field].find(term);
    const double seen = found == seen_[field].end() ? 0 : found->second;
    return (1 + std::log(count)) * std::log((1 + documents_) / (0.5 + seen));
  }
  [[nodiscard]] double cosine(std::size_t field, const Terms& a, const Terms& b) const {
    double both = 0, one = 0, other = 0;
    for (const auto& [term, count] : a) {
      const double w = weight(field, term, count);
      one += w * w;
      if (const auto found = b.find(term); found != b.end()) {
        both += w * weight(field, term, found->second);
      }
    }
    for (const auto& [term, count] : b) {
      const double w = weight(field, term, count);
      other += w * w;
    }
    return one > 0 && other > 0 ? both / std::sqrt(one * other) : 0;
  }

 private:
  double documents_ = 0;
  std::array<std::map<std::string, double>, kFields> seen_;
};

double weighted(const Frequencies& frequencies, const Fields& a, const Fields& b) {
  double sum = 0;
  for (std::size_t f = 0; f < kFields; ++f) {
    sum += kWeights[f] * frequencies.cosine(f, a[f], b[f]);
  }
  return sum;
}

Frequencies frequencies_of(const std::vector<Example>& all, const Task& task) {
  Frequencies frequencies;
  std::set<std::string> seen = {task.name};  // a task counts once, however many kernels it has
  frequencies.add(fields_of(task));
  for (const Example& example : all) {
    if (seen.insert(example.task.name).second) frequencies.add(fields_of(example.task));
  }
  return frequencies;
}

}  // namespace

double likeness(const Task& a, const Task& b, const std::vector<Example>& all) {
  return weighted(frequencies_of(all, a), fields_of(a), fields_of(b));
}

std::vector<Found> nearest(const Task& task, const std::vector<Example>& all, std::size_t count,
                           bool same_task) {
  std::map<std::string, const Example*> best;  // by task
  for (const Example& example : all) {
    if (example.task.name == task.name && !same_task) continue;
    const Example*& kept = best[example.task.name];
    if (kept == nullptr || example.speedup > kept->speedup) kept = &example;
  }
  const Frequencies frequencies = frequencies_of(all, task);
  const Fields fields = fields_of(task);
  std::vector<Found> found;
  for (const auto& [name, example] : best) {
    const double alike = weighted(frequencies, fields, fields_of(example->task));
    if (alike >= kLeastLikeness) found.push_back({example, alike});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Found& a, const Found& b) { return a.likeness > b.likeness; });
  found.resize(std::min(found.size(), count));
  return found;
}

std::string examples_text(const std::vector<Found>& found) {
  std::string text;
  for (const Found& one : found) {
    const Example& example = *one.example;
    std::string source = shortened(clean_utf8(example.source), kMaxSourceBytes);
    for (auto at = source.find("```"); at != std::string::npos; at = source.find("```")) {
      source.replace(at, 3, "'''");
    }
    while (!source.empty() && source.back() == '\n') source.pop_back();
    text += fmt::format("{}For \"{}\" ({}){}{}:\n```cuda\n{}\n```", text.empty() ? "" : "\n\n",
                        example.task.title, example.from,
                        example.reached.empty() ? "" : "; it reached ", example.reached, source);
  }
  return text;
}

}  // namespace warpwright::retrieval
