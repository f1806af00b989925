// SPDX-License-Identifier: Apache-2.0
#include "evaluate/context.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/files.h"

namespace warpwright::evaluate {

void note(Context& context, std::string text, FindingKind kind) {
  const Finding finding{kind, 0, std::move(text)};
  auto& all = context.notes.findings;
  if (std::find(all.begin(), all.end(), finding) == all.end()) all.push_back(finding);
}

void announce_stage(const Context& context) {
  if (!make_directories(context.scratch).ok()) return;
  (void)write_file(context.scratch / kStageFile, std::string(name_of(context.stage)));
}

Outcome<> may_go_on(const Context& context) {
  if (context.stop.requested()) return Error{"stopped"};
  if (!context.deadline.passed()) return {};
  const std::string reason =
      fmt::format("the judgement did not end within {:.0f} s; it was in the stage {}",
                  context.limit_s, name_of(context.stage));
  if (context.on_gpu) return Ended{Verdict::timeout, reason, reason};
  return Error{"the host was too slow: " + reason};
}

PartTimer::PartTimer(Context& context, std::string_view part)
    : notes_(context.notes),
      name_(fmt::format("{}.{}", name_of(context.stage), part)),
      start_(std::chrono::steady_clock::now()) {}

PartTimer::~PartTimer() {
  notes_.stage_s[name_] +=
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

}  // namespace warpwright::evaluate
