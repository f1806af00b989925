// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flops/analysis.h"
#include "flops/source_files.h"

namespace warpwright::flop {

/// What a model is asked: how many operations the first launch of a kernel does.
struct Question {
  std::string id;  ///< "heat.initial_value"; the same for the same program and kernel
  std::string kernel;
  std::string text;
  Flops truth;  ///< our count
};

/// One for each kernel instance that the program launches.
std::vector<Question> questions_of(const AnalysisRequest& request, const Analysis& analysis,
                                   const std::vector<SourceFile>& files);

/// What a model said. Absent: it named no number.
struct Answer {
  std::optional<double> sp, dp;
};
/// Finds the two numbers in a reply: the last JSON object that has them, or their names with a
/// number behind.
Answer answer_in(std::string_view reply);

/// How near answers are to our counts, for one precision.
struct Score {
  std::size_t questions = 0, answered = 0;
  double within_1 = 0, within_10 = 0, within_100 = 0;  ///< shares of all questions, in percent
  double mcc = 0;                                      ///< of "zero or not": Matthews correlation
  double male = 0;  ///< mean |log10(answer / count)| where neither is zero
};
struct Pair {
  std::optional<double> answer;
  double truth = 0;
};
Score score_of(const std::vector<Pair>& pairs);

}  // namespace warpwright::flop
