// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reorder/workload.h"

namespace warpwright::cli {

/// Inputs of a workload that was recorded for a task, as the judge draws them: the declared
/// distributions, the task's variants and the generic patterns in turns. Of arguments that may hold
/// any bits, some sets hold any.
Result<reorder::InputSource> task_inputs(const reorder::Workload& workload);

/// Makes a few sets of the cases that are not large, where the workload has a task: what would fail
/// on a GPU fails here. How many buffers were made.
Result<int> try_inputs(const std::string& workload_file);

}  // namespace warpwright::cli
