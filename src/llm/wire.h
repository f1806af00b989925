// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "llm/answer.h"
#include "llm/make_model.h"
#include "llm/service.h"

namespace warpwright::llm {

/// One question as it goes over HTTP, without the key.
struct HttpQuestion {
  std::string url;
  std::vector<std::string> headers;
  std::string body;
};

/// What a wire format needs to know to write a question.
struct Asking {
  const Service& service;
  const ModelOptions& options;
  std::string_view base_url;
  std::string_view model;
};

/// A provider's protocol: how to ask, how to show the key, how to understand the answer.
struct WireFormat {
  std::string_view name;
  Result<HttpQuestion> (*question)(const Asking& asking, const Request& request);
  std::string (*key_header)(std::string_view key);
  std::unique_ptr<AnswerParser> (*parser)();
};

std::span<const WireFormat> wires();
const WireFormat* find_wire(std::string_view name);

// The rows of wires(), one file each.
extern const WireFormat kOpenaiWire;
extern const WireFormat kAnthropicWire;

}  // namespace warpwright::llm
