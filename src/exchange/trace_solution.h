// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/evaluation.h"
#include "exchange/torch_package.h"

namespace warpwright::exchange {

/// What a task that was imported from a definition keeps of it: a line "# trace: {...}" of
/// reference.py. A task of our own stands for a definition of its name.
struct TraceOrigin {
  std::string definition;
  std::vector<std::string> inputs;  ///< names in the order of the definition
  std::vector<std::string> outputs;
  std::string workload;  ///< JSON; empty: made from the timed size
};
TraceOrigin trace_origin(const Task& task);

/// The status of a verdict: "PASSED". `hacks`: the form knows REWARD_HACK and INVALID_REFERENCE,
/// as SOL-ExecBench does; FlashInfer-Bench has RUNTIME_ERROR for both.
std::string_view trace_status(Verdict verdict, bool hacks);

/// One line per size: a Trace of the FlashInfer format.
std::string trace_lines(const Task& task, const Evaluation& evaluation, const std::string& solution,
                        bool hacks);

/// One Trace: a workload (JSON) of a definition and what came of a solution. `size`: the label of
/// the size that stands for the workload; empty: none does, and `ok` cannot be said of it.
std::string trace_text(const std::string& definition, const std::string& workload,
                       const std::string& solution, const Evaluation& evaluation,
                       const std::string& size, bool hacks);

/// The label of the task's size that a workload has become; empty where none has.
std::string size_of_workload(const Task& task, const std::string& uuid);

/// A solution of others: who made it for which definition, and its sources.
struct Solution {
  std::string name;
  std::string definition;
  std::string entry;                           ///< name of the function
  std::vector<std::string> order;              ///< paths; the entry's file last
  std::map<std::string, std::string> sources;  ///< path -> text
  bool destinations = true;                    ///< outputs are the last arguments
};

/// An error where it is none, or not CUDA.
Result<Solution> read_solution(std::string_view json);

/// The solution as one source with our `solve`. With a task that has a stream, what the solution
/// does must be over for work behind it on the default stream. An error says what is in the way.
Result<std::string> source_of(const Solution& solution, const Task& task);

/// solutions/NAME.json with the tvm-ffi binding, solutions/NAME_torch.json with torch's, and the
/// evaluation as traces/NAME.jsonl where there is one.
Result<Files> trace_files(const Winner& winner, const Evaluation* evaluation);

}  // namespace warpwright::exchange
