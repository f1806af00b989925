// SPDX-License-Identifier: Apache-2.0
#include "cli/schedule_step.h"

#include "base/sha256.h"

namespace warpwright::cli {

namespace {

constexpr const char* kKind = "sass";

Result<bool> is_stored(store::Archive& archive, const std::string& run, const std::string& source) {
  WW_TRY(const auto all, archive.derived(run));
  for (const store::DerivedRecord& record : all)
    if (record.kind == kKind && record.source_sha256 == source) return true;
  return false;
}

Result<std::string> tune_and_store(const ScheduleStep& step, const std::string& source) {
  const std::string hash = sha256_hex(source);
  WW_TRY(const bool known, is_stored(step.archive, step.run.id, hash));
  if (known) return std::string();
  if (!step.no_gpu.empty()) return step.no_gpu;
  evaluate::JobRequest request = step.pattern;
  request.id = kKind;
  request.source = source;
  WW_TRY(const SassTuned tuned, step.tune(request, step.minutes));
  store::DerivedRecord record{.source_sha256 = hash,
                              .kind = kKind,
                              .accepted = tuned.improvement.accepted(),
                              .summary = tuned.improvement.sentence(),
                              .report = tuned.report};
  if (record.accepted) record.content = tuned.improvement.cubin;
  WW_CHECK(step.archive.add_derived(step.run.id, record));
  return record.summary;
}

}  // namespace

void tune_schedule(const ScheduleStep& step, const search::Ending& ending,
                   search::Observer& observer) {
  if (step.minutes <= 0 || !ending.best || ending.status != store::RunStatus::finished) return;
  const auto told = tune_and_store(step, ending.best->source);
  const std::string text = told.ok() ? *told : told.error().message;
  if (!text.empty()) observer.on_event("sass", text, ending.state);
}

}  // namespace warpwright::cli
