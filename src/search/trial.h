// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/evaluation.h"
#include "llm/model.h"

namespace warpwright::search {

/// A question that a strategy wants answered and the answer judged. The id is a function of the
/// strategy's own course, never of time, so that a resumed run asks the same questions.
struct Proposal {
  std::string id;
  int round = 0;
  int slot = 0;
  int repair = 0;
  std::string kind;    ///< "initial", "optimise", "repair-compile", ...
  std::string parent;  ///< the trial it refines, or empty
  std::vector<llm::Message> messages;
  int model = 0;  ///< of several models, which one is asked
};

/// What came of a proposal: the answer, its source and the verdict.
struct Trial {
  Proposal proposal;
  std::string reply;   ///< empty when no answer could be had
  std::string source;  ///< empty for no_code
  Evaluation evaluation;
};

/// Whether a beats b: valid where the other is not, else a shorter time, and the earlier question
/// on a tie, so that the answer does not depend on who finished first.
bool faster(const Trial& a, const Trial& b);

}  // namespace warpwright::search
