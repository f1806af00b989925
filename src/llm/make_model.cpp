// SPDX-License-Identifier: Apache-2.0
#include "llm/make_model.h"

#include <array>
#include <cstdlib>

#include <unistd.h>

#include "llm/provider.h"

namespace warpwright::llm {

namespace {

/// What is no service. A new provider is a file, a row here or in service.cpp, and a test.
struct Provider {
  std::string_view name;
  std::string_view note;
  Result<std::unique_ptr<Model>> (*make)(const ProviderInput& input);
};

constexpr std::array kProviders = {
    Provider{"exec", "a program: prompt on standard input, answer on standard output", make_exec},
    Provider{"replay", "a recorded conversation: a .jsonl file, or a folder with one", make_replay},
    Provider{"inbox", "answers come by hand: ask and tell", make_inbox},
};

std::string known_names() {
  std::string names;
  for (const KnownModel& known : known_models()) {
    if (!names.empty()) names += ", ";
    names += known.name;
  }
  return names;
}

Status check_numbers(const ModelOptions& options) {
  if (options.max_output_tokens < 1) return Error{"the limit of output tokens must be at least 1"};
  if (options.max_tries < 1) return Error{"the number of tries must be at least 1"};
  if (options.concurrency < 0) return Error{"the number of concurrent requests is negative"};
  if (options.requests_per_minute < 0 || options.tokens_per_minute < 0) {
    return Error{"a rate limit is negative"};
  }
  return {};
}

}  // namespace

Usage& Usage::operator+=(const Usage& other) {
  fresh += other.fresh;
  cache_read += other.cache_read;
  cache_write += other.cache_write;
  output += other.output;
  reasoning += other.reasoning;
  estimated = estimated || other.estimated;
  return *this;
}

std::vector<KnownModel> known_models() {
  std::vector<KnownModel> rows;
  for (const Service& row : services()) {
    rows.push_back({row.name, row.key_env, row.base_url, row.note});
  }
  for (const Provider& row : kProviders) rows.push_back({row.name, "", "", row.note});
  return rows;
}

ModelEnvironment process_environment(std::filesystem::path spool,
                                     std::vector<std::string> courier) {
  ModelEnvironment environment{.spool = std::move(spool), .courier = std::move(courier)};
  environment.variable = [](std::string_view name) -> std::optional<std::string> {
    const char* value = std::getenv(std::string(name).c_str());
    if (value == nullptr) return std::nullopt;
    return std::string(value);
  };
  for (char** variable = ::environ; variable != nullptr && *variable != nullptr; ++variable) {
    environment.variables.emplace_back(*variable);
  }
  return environment;
}

Result<std::unique_ptr<Model>> make_model(const ModelOptions& options,
                                          const ModelEnvironment& environment) {
  WW_CHECK(check_numbers(options));
  const std::string_view spec = options.spec;
  const auto colon = spec.find(':');
  const auto name = spec.substr(0, colon);
  const auto rest = colon == std::string_view::npos ? std::string_view() : spec.substr(colon + 1);
  const Service* service = find_service(name);
  const ProviderInput input{options, environment, service, rest};
  if (service != nullptr) return make_http(input);
  for (const Provider& row : kProviders) {
    if (row.name == name) return row.make(input);
  }
  return Error{"unknown model '" + std::string(spec) + "': write SERVICE:MODEL, where SERVICE is " +
               known_names() +
               "; another OpenAI-compatible server is openai:MODEL with its base "
               "URL"};
}

}  // namespace warpwright::llm
