// SPDX-License-Identifier: Apache-2.0
#include "llm/courier_model.h"
#include "llm/provider.h"
#include "llm/proxy.h"
#include "llm/wire.h"

namespace warpwright::llm {

namespace {

std::int64_t prompt_bytes(const Request& request) {
  std::size_t bytes = 0;
  for (const Message& message : request.messages) bytes += message.text.size();
  return static_cast<std::int64_t>(bytes);
}

Result<std::string> find_key(const ProviderInput& input) {
  const std::string_view name =
      input.options.key_env.empty() ? input.service->key_env : input.options.key_env;
  if (name.empty()) return std::string();
  const auto key = input.environment.variable(name);
  if (!key || key->empty()) {
    return Error{"'" + input.options.spec + "' needs a key: set the environment variable " +
                 std::string(name)};
  }
  if (key->find_first_of("\r\n") != std::string::npos) {
    return Error{"the key in " + std::string(name) + " contains a line break"};
  }
  return *key;
}

Result<std::string> find_base_url(const ProviderInput& input) {
  std::string url(input.options.base_url.empty() ? input.service->base_url
                                                 : input.options.base_url);
  while (url.ends_with('/')) url.pop_back();
  if (!url.starts_with("http://") && !url.starts_with("https://")) {
    return Error{"the base URL '" + url + "' does not start with http:// or https://"};
  }
  return url;
}

std::string or_variable(const std::string& text, const ModelEnvironment& environment,
                        std::string_view name) {
  return text.empty() ? environment.variable(name).value_or("") : text;
}

}  // namespace

Result<std::unique_ptr<Model>> make_http(const ProviderInput& input) {
  const Service& service = *input.service;
  if (input.rest.empty()) {
    return Error{"'" + input.options.spec + "' names no model: write " + std::string(service.name) +
                 ":MODEL"};
  }
  WW_TRY(CourierModel::Setup setup, courier_setup(input));
  WW_TRY(const std::string key, find_key(input));
  WW_TRY(const std::string base_url, find_base_url(input));
  const WireFormat* wire = find_wire(service.wire);
  ASSERT(wire != nullptr, "a service row names a wire format that does not exist");
  if (input.options.concurrency == 0) setup.concurrency = service.concurrency;
  if (!setup.price && service.local) setup.price = Price{};
  // The listed prices are those of the service's own address.
  if (!setup.price && input.options.base_url.empty()) {
    setup.price = find_price(service.name, input.rest);
  }
  const Asking probe{service, input.options, base_url, input.rest};
  WW_CHECK([&]() -> Status {
    const auto question = wire->question(probe, Request{});
    return question.ok() ? Status() : Status(question.error());
  }());
  Job job = job_template(setup, input.options);
  job.wire = wire->name;
  job.proxy = choose_proxy(base_url, input.options.proxy, input.environment);
  job.ca_file = or_variable(input.options.ca_file, input.environment, "SSL_CERT_FILE");
  job.ca_dir = or_variable({}, input.environment, "SSL_CERT_DIR");
  if (!key.empty()) job.secrets.push_back(key);
  if (const std::string password = password_of(job.proxy); !password.empty()) {
    job.secrets.push_back(password);
  }
  setup.make_job = [job, wire, key, base_url, &service, options = input.options,
                    model = std::string(input.rest)](const Request& request) -> Result<Job> {
    WW_TRY(HttpQuestion question,
           wire->question(Asking{service, options, base_url, model}, request));
    Job whole = job;
    whole.id = request.id;
    whole.prompt_bytes = prompt_bytes(request);
    whole.url = std::move(question.url);
    whole.headers = std::move(question.headers);
    if (!key.empty()) whole.headers.push_back(wire->key_header(key));
    whole.body = std::move(question.body);
    return whole;
  };
  return std::unique_ptr<Model>(std::make_unique<CourierModel>(std::move(setup)));
}

}  // namespace warpwright::llm
