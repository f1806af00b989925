// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace warpwright::llm {

/// How a service wants to be told how much to think.
enum class ReasoningForm { effort, deepseek, openrouter, anthropic };

/// A named place that speaks one of our wire formats. A new one is a row in service.cpp.
struct Service {
  std::string_view name;
  std::string_view wire;  ///< row of wires()
  std::string_view base_url;
  std::string_view key_env;  ///< empty: needs no key
  std::string_view limit_field;
  int concurrency;
  ReasoningForm reasoning;
  bool local;  ///< runs on the user's own machine: costs no money
  std::string_view note;
};

std::span<const Service> services();
const Service* find_service(std::string_view name);

}  // namespace warpwright::llm
