// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/domain.h"
#include "core/task.h"

namespace warpwright {

/// The task's domains, in the order in which values are drawn.
Result<std::vector<NamedDomain>> domains_of(const Task& task);

/// No buffer of a drawn size has more elements: as many as an int counts, or as many as a listed
/// size has where that is more.
Result<std::uint64_t> most_elements(const Task& task);

/// What is wrong with the domains, ranges and work of a task.
std::optional<TaskProblem> find_domain_problem(const Task& task, Domains domains);

/// "[domain]\nN = \"1..4096\"\n": lines that a task without domains could begin with, from its
/// sizes.
std::string suggested_domains(const Task& task);

/// What scalars and inputs may be, in sentences for the model. Empty without domains.
std::string ranges_for_model(const Task& task);

}  // namespace warpwright
