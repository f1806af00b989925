// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/files.h"
#include "build/device_rules.h"
#include "build/lint.h"
#include "evaluate/feedback.h"
#include "evaluate/hip_build.h"
#include "evaluate/stages.h"
#include "flops/implicit.h"

namespace warpwright::evaluate {

namespace {

constexpr double kLongestBuildSeconds = 60;

/// clang's PTX may call math functions that only the SIMT machine has, and its dialect is wider
/// than nvcc's: a GPU gets nvcc wherever there is one, the SIMT machine gets clang.
Result<build::FrontEnd> front_end_for(const JobRequest& request,
                                      const device::ResolvedDevice& target,
                                      const build::Toolchain& tools) {
  const auto named = build::front_end_named(request.front_end.name());
  ASSERT(named.has_value(), "a choice without a front end");
  build::FrontEnd front_end = *named;
  // Only clang leaves calls alone that the machine itself answers.
  if (!target.facts.amd.empty()) {
    if (front_end == build::FrontEnd::nvcc)
      return Error{"--front-end nvcc: candidates for " + target.facts.name +
                   " are compiled by clang"};
    front_end = build::FrontEnd::clang;
  }
  if (front_end == build::FrontEnd::automatic && target.is_cuda &&
      tools.supports(build::FrontEnd::nvcc)) {
    front_end = build::FrontEnd::nvcc;
  }
  return tools.resolve(front_end);
}

/// "clang 19.1.7"
Result<std::string> compiler_words(const JobRequest& request, const device::ResolvedDevice& target,
                                   const build::Toolchain& tools) {
  WW_TRY(const auto front_end, front_end_for(request, target, tools));
  const std::string& version =
      front_end == build::FrontEnd::nvcc ? tools.nvcc.version : tools.clang.version;
  const auto from = version.find_first_of("0123456789");
  std::string words(name_of(front_end));
  if (from == std::string::npos) return words;
  const auto end = version.find_first_not_of("0123456789.", from);
  return words + " " + version.substr(from, end - from);
}

void note_census(const build::BuildOutcome& code, Notes& notes) {
  std::string text = ptx::describe(code.census);
  if (text.empty()) return;
  if (!code.sass.empty()) text += "; in machine code: " + ptx::describe(code.sass);
  notes.findings.push_back(
      {"instructions", code.census.front().line, "the device code has " + text});
}

/// Operations that the text of a kernel does not show, where they are many: a division is ten.
void note_implicit(const build::BuildOutcome& code, Notes& notes) {
  constexpr std::size_t kMost = 3;
  for (const flop::ImplicitCost& cost : flop::implicit_costs(code.ptx)) {
    if (notes.findings.size() >= kMost + 1) break;
    notes.findings.push_back({"implicit_flops", cost.line, flop::sentence_of(cost)});
  }
}

}  // namespace

Ended forbidden(const build::LintFinding& broken, const JobRequest& request, Notes& notes) {
  notes.diagnostics.insert(notes.diagnostics.begin(), {"error", broken.line, 0, broken.message});
  return {Verdict::forbidden, broken.message + " (rule " + broken.rule + ")",
          at_line(broken.line, broken.message, request.source)};
}

std::filesystem::path cache_of(const JobRequest& request, const Context& context) {
  return request.cache.empty() ? context.scratch / "cache" : request.cache;
}

Result<device::ResolvedDevice> resolved_device(const JobRequest& request) {
  return device::resolve_device({.device = request.device,
                                 .target = request.target,
                                 .checks = request.checks,
                                 .engine = request.engine});
}

Result<build::BuildOutcome> compile(const JobRequest& request, const device::ResolvedDevice& target,
                                    const build::Builder& builder, const std::string& source,
                                    const Context& context) {
  WW_TRY(const auto front_end, front_end_for(request, target, builder.tools()));
  const double limit_s = std::clamp(context.deadline.remaining_s(), 1.0, kLongestBuildSeconds);
  build::BuildRequest wanted{
      .source = source,
      .arguments = build::solve_arguments(request.task),
      .include = {request.task.build.include.begin(), request.task.build.include.end()},
      .signature = signature_of(request.task),
      .target = target.facts,
      .front_end = front_end};
  wanted.limits.wall = std::chrono::milliseconds(static_cast<int>(limit_s * 1e3));
  return target.facts.amd.empty() ? builder.build(wanted, &context.stop)
                                  : build_hip(std::move(wanted), builder, &context.stop);
}

Outcome<> lint_stage(const Source& source, Context& context) {
  const JobRequest& request = source.request;
  if (request.is_baseline) return {};
  const auto broken = build::lint(request.source);
  if (!broken) return {};
  return forbidden(*broken, request, context.notes);
}

Outcome<Built> build_stage(SourcePointer source, Context& context) {
  const JobRequest& request = source->request;
  WW_TRY(auto target, resolved_device(request));
  WW_CHECK(make_directories(context.scratch));
  WW_TRY(auto builder, context.station.builder(cache_of(request, context), request.unsafe));
  WW_TRY(auto code, compile(request, target, builder, request.source, context));
  WW_TRY(context.notes.manifest["compiler"], compiler_words(request, target, builder.tools()));
  if (!target.facts.amd.empty()) context.notes.manifest["compiled_for"] = target.facts.amd;
  if (!code.libraries.empty()) context.notes.manifest["include"] = code.libraries;
  context.notes.diagnostics = code.diagnostics;
  context.notes.resources = code.resources;
  if (code.verdict != Verdict::ok) {
    std::string feedback = compile_feedback(code.diagnostics, request.source);
    if (feedback.empty()) feedback = code.reason + "\n";
    return Ended{code.verdict, code.reason, std::move(feedback)};
  }
  note_census(code, context.notes);
  note_implicit(code, context.notes);
  if (!request.is_baseline) {
    const auto rules = build::device_rules(request.task, request.rule_set.name());
    const auto broken = build::broken_by_code(rules, code.entries, code.census);
    if (broken) return forbidden(*broken, request, context.notes);
  }
  return Built{std::move(source), std::move(target), std::move(builder), std::move(code)};
}

}  // namespace warpwright::evaluate
