// SPDX-License-Identifier: Apache-2.0
#include "llm/service.h"

#include <algorithm>
#include <array>

namespace warpwright::llm {

namespace {

using enum ReasoningForm;

constexpr std::array kServices = {
    Service{"openai", "openai", "https://api.openai.com/v1", "OPENAI_API_KEY",
            "max_completion_tokens", 8, effort, false,
            "Chat Completions, here or at any compatible --base-url"},
    Service{"anthropic", "anthropic", "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY",
            "max_tokens", 4, ReasoningForm::anthropic, false, "Messages"},
    Service{"deepseek", "openai", "https://api.deepseek.com", "DEEPSEEK_API_KEY", "max_tokens", 8,
            deepseek, false, "thinks by default and then ignores the temperature"},
    Service{"openrouter", "openai", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY",
            "max_tokens", 8, openrouter, false, "states the cost of each answer"},
    Service{"gemini", "openai", "https://generativelanguage.googleapis.com/v1beta/openai",
            "GEMINI_API_KEY", "max_tokens", 4, effort, false, "the OpenAI-compatible endpoint"},
    Service{"ollama", "openai", "http://127.0.0.1:11434/v1", "", "max_tokens", 1, effort, true,
            "local"},
    Service{"vllm", "openai", "http://127.0.0.1:8000/v1", "", "max_tokens", 16, effort, true,
            "local"},
    Service{"llamacpp", "openai", "http://127.0.0.1:8080/v1", "", "max_tokens", 1, effort, true,
            "local: llama-server, llamafile"},
};

}  // namespace

std::span<const Service> services() { return kServices; }

const Service* find_service(std::string_view name) {
  const auto row = std::find_if(kServices.begin(), kServices.end(),
                                [&](const Service& service) { return service.name == name; });
  return row == kServices.end() ? nullptr : &*row;
}

}  // namespace warpwright::llm
