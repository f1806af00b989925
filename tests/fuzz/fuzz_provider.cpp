// SPDX-License-Identifier: Apache-2.0
// Whatever a provider sends, reading it neither crashes nor hangs nor grows without bound. The
// first byte chooses the protocol and the size of the pieces, the rest is the body.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "llm/answer.h"
#include "llm/retry.h"
#include "llm/sse.h"
#include "llm/wire.h"

using warpwright::llm::AnswerParser;
using warpwright::llm::PartialAnswer;

namespace {

void read_as_stream(AnswerParser& parser, std::string_view body, std::size_t piece) {
  warpwright::llm::SseParser events(
      [&](std::string_view name, std::string_view data) { return parser.event(name, data).ok(); });
  while (!body.empty()) {
    if (!events.feed(body.substr(0, piece))) return;
    body.remove_prefix(std::min(piece, body.size()));
  }
  [[maybe_unused]] const bool finished = events.finish();
}

void check(const AnswerParser& parser) {
  PartialAnswer answer = parser.answer();
  warpwright::llm::tidy_answer(answer);
  if (answer.text.find('\0') != std::string::npos) std::abort();
  if (answer.usage && (answer.usage->total() < 0 || answer.usage->reasoning < 0)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto wires = warpwright::llm::wires();
  const auto& wire = wires[data[0] % wires.size()];
  const std::size_t piece = 1 + data[0] / 8;
  const std::string_view body(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto streaming = wire.parser();
  read_as_stream(*streaming, body, piece);
  check(*streaming);
  const auto whole = wire.parser();
  [[maybe_unused]] const bool understood = whole->document(body).ok();
  check(*whole);
  warpwright::llm::error_of_document(body);
  warpwright::llm::RetryHints hints;
  warpwright::llm::take_hint(hints, body, 0);
  if (warpwright::llm::retry_wait(2, hints, 0.5) > warpwright::llm::kMaxRetryWait) std::abort();
  return 0;
}
