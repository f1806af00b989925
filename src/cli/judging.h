// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "cli/settings.h"
#include "core/task.h"
#include "evaluate/evaluator.h"
#include "evaluate/explain.h"

namespace warpwright::cli {

// What the verbs around one kernel do, for them and for servers.

/// The text of a kernel's file; "-" is standard input.
Result<std::string> read_source(const std::string& file);

/// Judges the task's own baseline when its times are needed; empty: they are not.
using BaselineJudge = std::function<Result<Evaluation>()>;
Result<Evaluation> judge_baseline(evaluate::Evaluator& evaluator, const Task& task,
                                  const std::string& id, const StopSignal& stop);

/// One source; where it is valid, its times stand beside the baseline's, or a note says why there
/// are none.
Result<Evaluation> judge_source(evaluate::Evaluator& evaluator, const std::string& id,
                                const std::string& source, const StopSignal& stop,
                                const BaselineJudge& baseline);

/// Two sources in turns, in a process of their own; an absent one is the task's baseline. The
/// evaluation has a comparison, or a bad verdict.
Result<Evaluation> compare_sources(const Settings& settings, const Task& task,
                                   const std::optional<std::string>& first,
                                   const std::optional<std::string>& second,
                                   const StopSignal& stop);

/// What to explain; an empty size is the largest that fits.
evaluate::JobRequest explain_request(const Task& task, const std::string& source,
                                     const std::string& target, const std::string& size);
Result<evaluate::Explanation> explain_source(const evaluate::JobRequest& request,
                                             const StopSignal& stop);

}  // namespace warpwright::cli
