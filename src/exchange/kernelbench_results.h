// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/evaluation.h"

namespace warpwright::exchange {

/// One problem of a suite: how its kernel was judged and how long others take.
struct SuiteRow {
  std::string task;   ///< "level1_26_GELU_"
  std::string level;  ///< "level1"; "suite" where the name says none
  std::string problem;
  bool judged = false;  ///< there was a kernel
  Verdict verdict = Verdict::no_code;
  std::string reason;
  bool estimated = false;
  double time_ms = 0;      ///< 0: none
  double eager_ms = 0;     ///< PyTorch's own; 0: not known
  double compiled_ms = 0;  ///< torch.compile's; 0: not known
};

/// Level and number from a task's name.
SuiteRow suite_row(const std::string& task);

/// What a judgement adds to a row.
void add_judgement(const Evaluation& evaluation, SuiteRow& row);

/// Times of KernelBench's baseline file, {"level1": {"26_GELU_.py": {"mean": ms}}}: by level and
/// problem's number.
Result<std::map<std::string, double>> baseline_times(std::string_view json);

/// Correct share and fast_0, fast_1, fast_2 per level, for people.
std::string suite_text(const std::vector<SuiteRow>& rows);

/// The same with all rows, as JSON.
std::string suite_json(const std::vector<SuiteRow>& rows);

/// eval_results.json of KernelBench for one level.
std::string eval_results(const std::vector<SuiteRow>& rows, const std::string& level);

}  // namespace warpwright::exchange
