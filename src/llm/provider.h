// SPDX-License-Identifier: Apache-2.0
#pragma once

// Private to src/llm/*.cpp: the factories behind make_model().

#include <memory>
#include <string_view>

#include "llm/courier_model.h"
#include "llm/make_model.h"
#include "llm/service.h"

namespace warpwright::llm {

/// A spec cut at its colon, and everything else a factory may need.
struct ProviderInput {
  const ModelOptions& options;
  const ModelEnvironment& environment;
  const Service* service;  ///< null for providers that are no service
  std::string_view rest;   ///< after the colon: a model, a command, a path
};

/// What all models behind couriers have in common; make_job is left to the provider.
Result<CourierModel::Setup> courier_setup(const ProviderInput& input);
/// The part of a job that is the same for each request of a model.
Job job_template(const CourierModel::Setup& setup, const ModelOptions& options);

// One row of the table in make_model.cpp each.
Result<std::unique_ptr<Model>> make_http(const ProviderInput& input);
Result<std::unique_ptr<Model>> make_exec(const ProviderInput& input);
Result<std::unique_ptr<Model>> make_replay(const ProviderInput& input);
Result<std::unique_ptr<Model>> make_inbox(const ProviderInput& input);

}  // namespace warpwright::llm
