// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/files.h"
#include "llm/make_model.h"
#include "support/hostile_provider.h"
#include "support/places.h"

namespace warpwright::llm {

inline constexpr const char* kPlantedKey = "sk-planted-9f3a61c2e7d84b05";

/// A spool of its own, a made-up environment, and quick retries.
class Asker {
 public:
  Asker() : folder_(TemporaryDirectory::create("ww-llm-").value()) {
    variables["OPENAI_API_KEY"] = kPlantedKey;
    variables["ANTHROPIC_API_KEY"] = kPlantedKey;
    if (const char* path = std::getenv("PATH")) variables["PATH"] = path;
    options.spec = "openai:m";
    options.delay_scale = 0.002;
    options.max_tries = 4;
    options.timeouts = {std::chrono::seconds(5), std::chrono::seconds(5), std::chrono::seconds(20)};
  }

  void serve(const std::string& scenario) {
    provider = hostile::Provider::start({.scenario = scenario}).value();
    options.base_url = provider->base_url();
  }

  [[nodiscard]] std::filesystem::path spool() const { return folder_.path() / "spool"; }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }

  [[nodiscard]] ModelEnvironment environment() const {
    ModelEnvironment result{.spool = spool(), .courier = {ask_tool_path(), "courier"}};
    result.variable = [all = variables](std::string_view name) -> std::optional<std::string> {
      const auto found = all.find(std::string(name));
      if (found == all.end()) return std::nullopt;
      return found->second;
    };
    for (const auto& [name, value] : variables) result.variables.push_back(name + "=" + value);
    result.clock = clock;
    return result;
  }

  [[nodiscard]] std::unique_ptr<Model> model() const {
    auto made = make_model(options, environment());
    EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().message);
    return std::move(made).value();
  }

  [[nodiscard]] std::string refusal() const {
    const auto made = make_model(options, environment());
    return made.ok() ? "" : made.error().message;
  }

  Outcome ask(const std::string& id = "r1") {
    notes.clear();
    const auto progress = [this](const Progress& now) {
      if (!now.note.empty()) notes.push_back(now.note);
      most_tokens = std::max(most_tokens, now.output_tokens);
    };
    return model()->ask({.id = id, .messages = question}, progress, stop);
  }

  ModelOptions options;
  std::map<std::string, std::string> variables;
  std::vector<Message> question = {{Role::system, "You write kernels."},
                                   {Role::user, "Scale a vector."}};
  std::unique_ptr<hostile::Provider> provider;
  std::vector<std::string> notes;
  std::int64_t most_tokens = 0;
  const Clock* clock = nullptr;
  StopSignal stop;

 private:
  TemporaryDirectory folder_;
};

}  // namespace warpwright::llm
