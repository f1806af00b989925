// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "llm/model.h"

namespace warpwright::llm {

inline constexpr std::size_t kMaxAnswerBytes = std::size_t{64} << 20;  ///< read from a provider
inline constexpr std::size_t kMaxTextBytes = std::size_t{16} << 20;    ///< kept as text

/// What has been understood of an answer so far.
struct PartialAnswer {
  std::string text;
  std::string reasoning;
  std::string model;
  std::string finish_reason;       ///< normalised: "stop", "length", "content_filter", ...
  std::optional<Usage> usage;      ///< when the provider said
  std::optional<double> cost_usd;  ///< when the provider said
  std::string error;               ///< the provider reported a failure, in its own words
  int error_status = 0;            ///< as an HTTP status, 0 when it gave none
  bool finished = false;           ///< the end marker came: nothing is missing

  /// Whether the model wrote something, i.e. whether somebody is being billed.
  [[nodiscard]] bool produced() const { return !text.empty() || !reasoning.empty(); }
};

/// Understands one provider's form of an answer, as stream events or as one document. An error
/// means that the bytes are not in that form.
class AnswerParser {
 public:
  virtual ~AnswerParser() = default;
  [[nodiscard]] virtual Status event(std::string_view name, std::string_view data) = 0;
  [[nodiscard]] virtual Status document(std::string_view text) = 0;
  [[nodiscard]] const PartialAnswer& answer() const { return answer_; }

 protected:
  PartialAnswer answer_;
};

/// Moves `<think>` blocks and forgotten end-of-turn markers out of the text, repairs UTF-8, and
/// caps the lengths.
void tidy_answer(PartialAnswer& answer);

/// Tokens that a text has at most in practice: one per three bytes. For lack of better only.
std::int64_t estimated_tokens(std::size_t bytes);

/// Usage counted from the text.
Usage estimated_usage(std::size_t prompt_bytes, const PartialAnswer& answer);

/// The message of an error document of any provider, or the start of the text as it is.
struct ProviderError {
  std::string message;
  std::string code;
  int status = 0;
};
ProviderError error_of_document(std::string_view text);

}  // namespace warpwright::llm
