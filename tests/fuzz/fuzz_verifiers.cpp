// SPDX-License-Identifier: Apache-2.0
// Any bytes as a verifier's answer, and as a program that it is asked about.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "base/text.h"
#include "verifiers/procedures.h"
#include "verifiers/votes.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpwright::verifiers;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto opinion = opinion_in(text)) {
    ASSERT(warpwright::clean_utf8(opinion->because) == opinion->because, "reasons are clean text");
    Votes votes{.model = "m", .votes = {{"compile", opinion->passes, opinion->because}}};
    warpwright::Evaluation evaluation;
    record_votes(evaluation, votes);
    const auto read = votes_of(evaluation);
    ASSERT(read && read->votes.size() == 1 && read->votes[0].passes == opinion->passes,
           "a vote is read as it was written");
  }
  for (const Procedure& procedure : procedures()) (void)question_of(procedure, "task", text);
  return 0;
}
