// SPDX-License-Identifier: Apache-2.0
#include "evaluate/oracle_code.h"

#include <fmt/format.h>

#include "build/record.h"
#include "verify/device_reference.h"
#include "verify/oracle_source.h"

namespace warpwright::evaluate {

namespace {

using Kind = verify::ReferenceParameter::Kind;

std::vector<build::SolveArgument> arguments_of(const Task& task) {
  std::vector<build::SolveArgument> list;
  for (const auto& parameter : verify::device_reference_parameters(task)) {
    build::SolveArgument argument;
    argument.pointer = parameter.kind != Kind::scalar;
    if (!argument.pointer) {
      const ElementType type = task.arguments[parameter.argument].type;
      argument.type = is_half(type) ? ElementType::f32 : type;
    }
    list.push_back(argument);
  }
  return list;
}

Result<build::BuildOutcome> build_own(const build::Builder& builder,
                                      const build::BuildRequest& request, std::string_view what,
                                      const StopSignal* stop) {
  WW_TRY(auto outcome, builder.build(request, stop));
  if (outcome.verdict == Verdict::ok) return outcome;
  std::string said = outcome.reason;
  for (const auto& diagnostic : outcome.diagnostics)
    said += fmt::format("\nline {}: {}", diagnostic.line, diagnostic.message);
  return Error{fmt::format("compiling {}: {}", what, said)};
}

device::Code code_of(const build::BuildOutcome& outcome, std::string_view file) {
  return {.ptx = outcome.ptx, .cubin = outcome.cubin, .source_file = std::string(file)};
}

Result<build::CallArgument> call_argument(const Task& task, const Values& values,
                                          const verify::ReferenceParameter& parameter) {
  build::CallArgument call;
  if (parameter.kind == Kind::choice) {
    call.buffer_bytes = 2 * sizeof(std::uint64_t);
    return call;
  }
  const TaskArgument& argument = task.arguments[parameter.argument];
  if (parameter.kind == Kind::scalar) {
    WW_TRY(call.real, scalar_value(argument, values));
    if (!is_floating(argument.type)) call.integer = static_cast<std::int64_t>(call.real);
    return call;
  }
  WW_TRY(const std::uint64_t count, element_count(argument, values));
  std::uint64_t width = bytes_of(argument.type);
  if (parameter.kind == Kind::input && is_half(argument.type)) width = sizeof(float);
  if (parameter.kind == Kind::wide || parameter.kind == Kind::scale) width = sizeof(double);
  call.buffer_bytes = count * width;
  return call;
}

}  // namespace

Result<BuiltOracle> build_oracle(const build::Builder& builder, const Task& task,
                                 const DeviceFacts& target, build::FrontEnd front_end,
                                 const StopSignal* stop) {
  BuiltOracle built;
  // Every sum and product of the generators is rounded on its own, as on the host.
  WW_TRY(const auto kernels, build_own(builder,
                                       {.source = verify::oracle_source(),
                                        .target = target,
                                        .front_end = front_end,
                                        .fused = false},
                                       "the judge's own kernels", stop));
  built.code.kernels = code_of(kernels, "oracle.cu");
  if (task.device_reference_source.empty()) return built;
  WW_TRY(built.reference,
         build_own(builder,
                   {.source = verify::device_reference_program(task),
                    .arguments = arguments_of(task),
                    .target = target,
                    .front_end = front_end},
                   fmt::format("reference.cu of the task '{}' (it must define {})", task.name,
                               verify::device_reference_signature(task)),
                   stop));
  built.code.reference = code_of(built.reference, "reference.cu");
  return built;
}

Result<std::vector<LaunchPlan>> record_reference(const build::Builder& builder,
                                                 const BuiltOracle& built, const Task& task,
                                                 const std::vector<Values>& values,
                                                 const DeviceFacts& target,
                                                 const StopSignal* stop) {
  if (built.reference.ptx.empty() || values.empty()) return std::vector<LaunchPlan>{};
  build::RecordRequest request;
  request.arguments = arguments_of(task);
  request.target = target;
  for (const Values& at : values) {
    build::SolveCall call;
    for (const auto& parameter : verify::device_reference_parameters(task)) {
      WW_TRY(auto argument, call_argument(task, at, parameter));
      call.arguments.push_back(argument);
    }
    request.calls.push_back(std::move(call));
  }
  WW_TRY(auto outcome, build::record(builder, built.reference, request, stop));
  if (outcome.verdict == Verdict::ok) return std::move(outcome.plans);
  return Error{
      fmt::format("recording reference.cu of the task '{}': {}", task.name, outcome.reason)};
}

}  // namespace warpwright::evaluate
