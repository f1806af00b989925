// SPDX-License-Identifier: Apache-2.0
#include "llm/mixed.h"

#include <algorithm>

#include "base/assert.h"

namespace warpwright::llm {

namespace {

class MixedModel final : public Model {
 public:
  explicit MixedModel(std::vector<std::unique_ptr<Model>> models) : models_(std::move(models)) {
    ASSERT(!models_.empty(), "a mixture of no models");
  }

  [[nodiscard]] std::string name() const override {
    std::string names;
    for (const auto& model : models_) names += (names.empty() ? "" : ",") + model->name();
    return names;
  }
  [[nodiscard]] int concurrency() const override {
    int sum = 0;
    for (const auto& model : models_) sum += model->concurrency();
    return sum;
  }
  [[nodiscard]] Usage reserve(const Request& request) const override {
    return chosen(request.choice).reserve(request);
  }
  /// Of the dearest: who wants to know what one of them costs asks that one.
  [[nodiscard]] double price_usd(const Usage& usage) const override {
    double most = 0;
    for (const auto& model : models_) most = std::max(most, model->price_usd(usage));
    return most;
  }
  [[nodiscard]] bool price_known() const override {
    return std::all_of(models_.begin(), models_.end(),
                       [](const auto& model) { return model->price_known(); });
  }
  [[nodiscard]] const Model& chosen(int choice) const override { return *models_[index(choice)]; }
  Outcome ask(const Request& request, const ProgressCallback& progress,
              const StopSignal& stop) override {
    return models_[index(request.choice)]->ask(request, progress, stop);
  }

 private:
  [[nodiscard]] std::size_t index(int choice) const {
    ASSERT(choice >= 0 && static_cast<std::size_t>(choice) < models_.size(), "no such model");
    return static_cast<std::size_t>(choice);
  }

  std::vector<std::unique_ptr<Model>> models_;
};

}  // namespace

std::unique_ptr<Model> make_mixed(std::vector<std::unique_ptr<Model>> models) {
  if (models.size() == 1) return std::move(models.front());
  return std::make_unique<MixedModel>(std::move(models));
}

}  // namespace warpwright::llm
