// SPDX-License-Identifier: Apache-2.0
#include "build/plan_fit.h"

#include <algorithm>

#include "ptx/variables.h"

namespace warpwright::build {

namespace {

Error problem(const std::string& what) { return Error{"launch plan: " + what}; }

Status buffer_fits(const PlanBuffer& buffer, const RecordRequest& request, const SolveCall& call,
                   const std::vector<ptx::ModuleVariable>& variables) {
  if (buffer.kind == BufferKind::argument) {
    const auto number = std::size_t{buffer.argument};
    if (number >= request.arguments.size() || !request.arguments[number].pointer) {
      return problem("a buffer for an argument that solve does not have");
    }
    if (buffer.bytes != call.arguments[number].buffer_bytes) {
      return problem("an argument's buffer of another size");
    }
  } else if (buffer.kind == BufferKind::symbol) {
    const auto found = std::find_if(
        variables.begin(), variables.end(),
        [&](const ptx::ModuleVariable& variable) { return variable.name == buffer.symbol; });
    if (found == variables.end()) return problem("a variable that the program does not have");
    if (buffer.bytes > found->bytes) return problem("a variable of another size");
  }
  return {};
}

Status launch_fits(const KernelLaunch& launch, const std::vector<ptx::Entry>& entries) {
  const auto entry = std::find_if(entries.begin(), entries.end(), [&](const ptx::Entry& known) {
    return known.name == launch.kernel;
  });
  if (entry == entries.end()) return problem("a kernel that the program does not have");
  bool same = launch.parameters.size() == entry->parameter_bytes &&
              launch.parameter_offsets.size() == entry->parameters.size();
  for (std::size_t i = 0; same && i < entry->parameters.size(); ++i) {
    same = launch.parameter_offsets[i] == entry->parameters[i].offset;
  }
  return same ? Status{} : Status{problem("other parameters than the kernel declares")};
}

}  // namespace

Status plan_fits(const LaunchPlan& plan, const BuildOutcome& built, const RecordRequest& request,
                 const SolveCall& call) {
  const auto variables = ptx::module_variables(built.ptx);
  for (const auto& buffer : plan.buffers) {
    WW_CHECK(buffer_fits(buffer, request, call, variables));
  }
  for (const auto& step : plan.steps) {
    const auto* launch = std::get_if<KernelLaunch>(&step);
    if (launch != nullptr) WW_CHECK(launch_fits(*launch, built.entries));
  }
  return {};
}

}  // namespace warpwright::build
