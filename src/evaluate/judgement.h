// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <utility>
#include <variant>
#include <vector>

#include "base/stop.h"
#include "core/evaluation.h"
#include "evaluate/job.h"
#include "evaluate/stages.h"
#include "evaluate/station.h"

namespace warpwright::evaluate {

/// Judges one candidate (or two, in a comparison) from source to verdict, in this process.
/// `scratch` is a directory for what the stages write. A world that fails the judge is the verdict
/// harness_error with the reason.
Evaluation judge(const JobRequest& request, const std::filesystem::path& scratch, Station& station,
                 const StopSignal& stop);

/// The same with a station for this judgement alone.
Evaluation judge(const JobRequest& request, const std::filesystem::path& scratch,
                 const StopSignal& stop);

/// A candidate that is ready for its device, with the context of its stages so far.
struct Contender {
  Context context;
  Prepared prepared;
};
/// One, or the two of a comparison.
using Contenders = std::vector<Contender>;

/// The stages that need no device. An evaluation: the candidate was found wanting already.
std::variant<Contenders, Evaluation> prepare_judgement(const JobRequest& request,
                                                       const std::filesystem::path& scratch,
                                                       Station& station, const StopSignal& stop);
/// The stages that need one.
Evaluation finish_judgement(Contenders contenders);

// What the judgement is made of, for all who need a part of it: comparisons, explain, benches.

Context make_context(const JobRequest& request, const std::filesystem::path& scratch,
                     Station& station, const StopSignal& stop);

/// Runs one stage and notes its time. The judgement must not go on when it was stopped meanwhile,
/// or is out of time.
template <class Function>
auto run_stage(Context& context, Stage stage, Function&& function) {
  using Made = decltype(function());
  context.stage = stage;
  announce_stage(context);
  const auto start = std::chrono::steady_clock::now();
  Made made = std::forward<Function>(function)();
  context.notes.stage_s[std::string(name_of(stage))] +=
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!made.ok()) return made;
  // What was measured within the limit counts, however long its last checks take.
  if (auto going = may_go_on(context);
      !going.ok() && (stage != Stage::measure || context.stop.requested())) {
    return Made(going.error());
  }
  return made;
}

/// lint and build.
Outcome<Built> build_program(SourcePointer source, Context& context);
/// lint, build and record, with the request's seed or one that is drawn after compilation.
Outcome<Prepared> prepare(SourcePointer source, Context& context);
/// validate and sanitize.
Outcome<Validated> validate(const Prepared& prepared, Context& context,
                            device::Device* device = nullptr);

std::uint64_t seed_of(const JobRequest& request);

/// The only place where an evaluation is put together: a verdict and what was noted on the way.
Evaluation evaluation_of(Context& context, Outcome<Measured> end);

/// Why there is no value, in one sentence.
std::string reason_of(const Halt& halt);

}  // namespace warpwright::evaluate
