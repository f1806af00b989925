// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "llm/model.h"
#include "llm/price.h"

namespace warpwright::llm {

struct ModelTimeouts {
  std::chrono::milliseconds connect{20'000};
  std::chrono::milliseconds idle{300'000};     ///< without a byte from the provider
  std::chrono::milliseconds total{1'800'000};  ///< one try, from connecting to the last byte
};

/// Which model, and how to ask it. Zero and empty mean "the service's default".
struct ModelOptions {
  /// "SERVICE:MODEL" (`deepseek:deepseek-flash`), "exec:PROGRAM ARG..." (split at spaces),
  /// "replay:PATH" or "inbox".
  std::string spec;
  std::string base_url;
  std::string key_env;  ///< name of the variable that holds the key, never the key itself
  std::optional<double> temperature;
  std::int64_t max_output_tokens = 32768;
  std::string reasoning;  ///< effort: "none", "low", "medium", "high", ...; empty: say nothing
  int concurrency = 0;
  double requests_per_minute = 0;
  double tokens_per_minute = 0;
  ModelTimeouts timeouts;
  int max_tries = 6;
  std::string proxy;       ///< URL; empty: as the environment says; "none": no proxy at all
  std::string ca_file;     ///< PEM file of trusted certificates, instead of the system's
  std::string extra_body;  ///< JSON object merged into each request's body
  std::optional<Price> price;
  std::vector<std::string> exec_pass;  ///< variables that an `exec` program gets although secret
  double delay_scale = 1;              ///< of waits between tries; tests make it small
};

/// What a model needs of the process it lives in.
struct ModelEnvironment {
  std::filesystem::path spool;       ///< where paid answers wait; one folder per run
  std::vector<std::string> courier;  ///< program and leading arguments that end in courier_main()
  std::function<std::optional<std::string>(std::string_view)> variable;
  std::vector<std::string> variables;  ///< all, as NAME=value, for `exec`
  const Clock* clock = nullptr;        ///< null: the system's
};

/// The environment of this process.
ModelEnvironment process_environment(std::filesystem::path spool, std::vector<std::string> courier);

/// The error names what is unknown, missing or wrong, and what to write instead.
Result<std::unique_ptr<Model>> make_model(const ModelOptions& options,
                                          const ModelEnvironment& environment);

/// What may stand before the colon of a spec: services first, then programs and files.
struct KnownModel {
  std::string_view name;
  std::string_view key_env;
  std::string_view base_url;
  std::string_view note;
};
std::vector<KnownModel> known_models();

}  // namespace warpwright::llm
