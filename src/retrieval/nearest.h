// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/task.h"

namespace warpwright::retrieval {

/// A proven kernel of some task.
struct Example {
  Task task;
  std::string source;
  std::string from;     ///< "run transpose-3 of old.db", "kernels/scan.cu"
  std::string reached;  ///< "3.12 times the baseline on H200"
  double speedup = 0;   ///< 0 = not known; of one task the largest is taken
};

struct Found {
  const Example* example = nullptr;
  double likeness = 0;  ///< 0 to 1
};

/// How alike two tasks are: cosines of word and word-pair weights (TF-IDF over `all`) of what is
/// said of them, of their signatures and of their references, weighted 5 : 2 : 3.
double likeness(const Task& a, const Task& b, const std::vector<Example>& all);

/// The nearest examples, the nearest first, at most one of a task, and none of the task itself
/// unless asked for. What has nothing in common with the task is no example.
std::vector<Found> nearest(const Task& task, const std::vector<Example>& all, std::size_t count,
                           bool same_task);

/// What the prompt says of them: where each comes from, what it reached, its source.
std::string examples_text(const std::vector<Found>& found);

}  // namespace warpwright::retrieval
