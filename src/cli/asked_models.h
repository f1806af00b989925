// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/settings.h"
#include "llm/make_model.h"

namespace warpwright::cli {

/// The settings' share of the model with this spec. Address, key and extra fields are --model's
/// own: they hold for another model only where it is of the same service.
Result<llm::ModelOptions> options_of_model(const Settings& settings, const std::string& spec);

/// --models, one by one.
std::vector<std::string> further_models(const Settings& settings);

/// The model that answers a search's questions: --model, or it and --models behind one.
Result<std::unique_ptr<llm::Model>> make_search_model(const Settings& settings,
                                                      const std::filesystem::path& spool);

/// A model that reads candidates. The error says why it cannot be one.
Result<std::unique_ptr<llm::Model>> make_verifier(const Settings& settings, const std::string& spec,
                                                  const std::filesystem::path& spool);

/// A budget in money cannot be kept where a price is not known.
Status check_prices(const Settings& settings, const std::vector<const llm::Model*>& models);

}  // namespace warpwright::cli
