// SPDX-License-Identifier: Apache-2.0
#include "llm/answer.h"

#include <array>

#include "base/text.h"
#include "llm/json_reading.h"

namespace warpwright::llm {

namespace {

constexpr std::string_view kOpen = "<think>";
constexpr std::string_view kClose = "</think>";
constexpr std::size_t kMaxErrorBytes = 600;

/// Markers that servers without the right chat template leave at the end of an answer.
constexpr std::array<std::string_view, 5> kEndMarkers = {"</s>", "<|im_end|>", "<|eot_id|>",
                                                         "<|endoftext|>", "<|end|>"};

/// A reasoning model behind a server that does not separate its thoughts: the block opens the
/// answer, or its opening tag was part of the prompt and only the closing one is seen.
void split_thoughts(PartialAnswer& answer) {
  const std::string_view text = answer.text;
  const auto start = text.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos) return;
  const bool opened = text.substr(start).starts_with(kOpen);
  const auto close = text.find(kClose);
  if (!opened && (close == std::string_view::npos || text.find(kOpen) < close)) return;
  const auto from = opened ? start + kOpen.size() : start;
  const auto thoughts = text.substr(from, close == std::string_view::npos ? close : close - from);
  if (!answer.reasoning.empty()) answer.reasoning += '\n';
  answer.reasoning += trimmed(thoughts);
  answer.text = close == std::string_view::npos
                    ? std::string()
                    : std::string(trimmed(text.substr(close + kClose.size())));
}

void strip_end_markers(std::string& text) {
  for (bool again = true; again;) {
    again = false;
    for (const auto marker : kEndMarkers) {
      if (!trimmed(text).ends_with(marker)) continue;
      text.resize(text.rfind(marker));
      again = true;
    }
  }
}

std::string capped(const std::string& bytes) {
  if (bytes.size() <= kMaxTextBytes) return clean_utf8(bytes);
  return clean_utf8(std::string_view(bytes).substr(0, kMaxTextBytes));
}

}  // namespace

void tidy_answer(PartialAnswer& answer) {
  if (answer.text.size() > kMaxTextBytes) answer.finish_reason = "length";
  answer.text = capped(answer.text);
  answer.reasoning = capped(answer.reasoning);
  answer.model = shortened(clean_utf8(answer.model), 200);
  split_thoughts(answer);
  strip_end_markers(answer.text);
}

std::int64_t estimated_tokens(std::size_t bytes) {
  return static_cast<std::int64_t>((bytes + 2) / 3);
}

Usage estimated_usage(std::size_t prompt_bytes, const PartialAnswer& answer) {
  Usage usage;
  usage.fresh = estimated_tokens(prompt_bytes);
  usage.reasoning = estimated_tokens(answer.reasoning.size());
  usage.output = usage.reasoning + estimated_tokens(answer.text.size());
  usage.estimated = true;
  return usage;
}

ProviderError error_of_document(std::string_view text) {
  ProviderError found;
  const Json document = parse_json(text);
  if (document.is_object()) found = provider_error(document);
  if (found.message.empty()) found.message = clean_utf8(trimmed(text.substr(0, 4096)));
  found.message = shortened(found.message, kMaxErrorBytes);
  return found;
}

}  // namespace warpwright::llm
