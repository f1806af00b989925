// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/evaluation.h"
#include "evaluate/explain.h"
#include "mcp/jobs.h"

namespace warpwright::mcp {

/// Short first: the verdict, at most three things to fix, the times. With `complete`, all that a
/// model may read of it.
ToolAnswer evaluation_answer(const Evaluation& evaluation, bool complete);

/// The same of what the SIMT machine saw: reports, the costly lines, the estimate.
ToolAnswer explanation_answer(const evaluate::Explanation& explanation, bool complete);

/// The whole evaluation without what is for people alone: the seed of the inputs and the sentence
/// that may name tolerances and paths.
Json evaluation_for_model(const Evaluation& evaluation);

/// [{kind, line, message}], worst first, at most three.
Json things_to_fix(const Evaluation& evaluation);

}  // namespace warpwright::mcp
