// SPDX-License-Identifier: Apache-2.0
#include "cli/asked_models.h"

#include "base/text.h"
#include "cli/session.h"
#include "cli/verbs.h"
#include "llm/mixed.h"

namespace warpwright::cli {

namespace {

std::string service_of(const std::string& spec) { return spec.substr(0, spec.find(':')); }

llm::ModelEnvironment environment_for(const std::filesystem::path& spool) {
  return llm::process_environment(spool, {own_program(), "courier"});
}

}  // namespace

Result<llm::ModelOptions> options_of_model(const Settings& settings, const std::string& spec) {
  WW_TRY(auto options, model_options(settings));
  if (options.spec == spec) return options;
  if (service_of(options.spec) != service_of(spec)) {
    options.base_url.clear();
    options.key_env.clear();
    options.extra_body.clear();
  }
  options.spec = spec;
  options.price.reset();
  if (const auto price = settings.price(spec))
    options.price = llm::Price{(*price)[0], (*price)[1], (*price)[2], (*price)[3]};
  return options;
}

std::vector<std::string> further_models(const Settings& settings) {
  std::vector<std::string> specs;
  const std::string& text = settings.text("search.models");
  for (std::size_t from = 0; from < text.size();) {
    const auto end = std::min(text.find(',', from), text.size());
    const auto spec = trimmed(std::string_view(text).substr(from, end - from));
    if (!spec.empty()) specs.emplace_back(spec);
    from = end + 1;
  }
  return specs;
}

Result<std::unique_ptr<llm::Model>> make_search_model(const Settings& settings,
                                                      const std::filesystem::path& spool) {
  std::vector<std::unique_ptr<llm::Model>> models;
  std::vector<std::string> specs = {settings.text("model.spec")};
  for (std::string& spec : further_models(settings)) specs.push_back(std::move(spec));
  for (const std::string& spec : specs) {
    WW_TRY(const auto options, options_of_model(settings, spec));
    WW_TRY(auto model, llm::make_model(options, environment_for(spool)));
    models.push_back(std::move(model));
  }
  return llm::make_mixed(std::move(models));
}

Result<std::unique_ptr<llm::Model>> make_verifier(const Settings& settings, const std::string& spec,
                                                  const std::filesystem::path& spool) {
  if (spec == "inbox")
    return Error{"--verify-with: verifiers are asked often; inbox cannot be one"};
  WW_TRY(const auto options, options_of_model(settings, spec));
  auto model = llm::make_model(options, environment_for(spool));
  if (!model.ok()) return Error{"--verify-with: " + model.error().message};
  return model;
}

Status check_prices(const Settings& settings, const std::vector<const llm::Model*>& models) {
  if (!settings.number("limits.usd")) return {};
  for (const llm::Model* model : models) {
    if (model->price_known()) continue;
    return Error{"--budget-usd: the price of '" + model->name() +
                 "' is not known; state it in warpwright.toml: [prices] \"" + model->name() +
                 "\" = [fresh, cache_read, cache_write, output]  # USD per million tokens"};
  }
  return {};
}

}  // namespace warpwright::cli
