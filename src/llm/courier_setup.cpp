// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "base/files.h"
#include "llm/courier_model.h"
#include "llm/provider.h"

namespace warpwright::llm {

namespace fs = std::filesystem;

namespace {

/// Couriers find nothing in their environment but what a program needs to start.
std::vector<std::string> courier_environment(const ModelEnvironment& environment) {
  std::vector<std::string> result = {"LC_ALL=C.UTF-8"};
  for (const std::string_view name : {"PATH", "SSL_CERT_FILE", "SSL_CERT_DIR"}) {
    if (const auto value = environment.variable(name)) {
      result.push_back(std::string(name) + "=" + *value);
    }
  }
  return result;
}

}  // namespace

Result<CourierModel::Setup> courier_setup(const ProviderInput& input) {
  const ModelEnvironment& environment = input.environment;
  ASSERT(environment.variable && !environment.courier.empty(), "an incomplete ModelEnvironment");
  WW_CHECK(make_directories(environment.spool));
  std::error_code code;
  const ModelOptions& options = input.options;
  return CourierModel::Setup{.name = options.spec,
                             .concurrency = options.concurrency > 0 ? options.concurrency : 1,
                             .max_output_tokens = options.max_output_tokens,
                             .price = options.price,
                             .requests_per_minute = options.requests_per_minute,
                             .tokens_per_minute = options.tokens_per_minute,
                             .spool = fs::absolute(environment.spool, code),
                             .courier = environment.courier,
                             .courier_env = courier_environment(environment),
                             .clock = environment.clock,
                             .make_job = {}};
}

Job job_template(const CourierModel::Setup& setup, const ModelOptions& options) {
  Job job;
  job.spool = setup.spool.string();
  job.name = setup.name;
  job.timeouts = options.timeouts;
  job.max_tries = options.max_tries;
  job.delay_scale = options.delay_scale;
  return job;
}

}  // namespace warpwright::llm
