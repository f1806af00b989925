// SPDX-License-Identifier: Apache-2.0
#include "evaluate/judgement.h"

#include <algorithm>
#include <random>

#include "device/kernel_name.h"
#include "evaluate/check_queue.h"
#include "evaluate/compare.h"
#include "evaluate/session.h"

namespace warpwright::evaluate {

Validated::Validated() = default;
Validated::Validated(Validated&&) noexcept = default;
Validated::~Validated() = default;

DeviceHold::DeviceHold(DeviceHold&& other) noexcept
    : lease_(std::move(other.lease_)),
      notes_(std::exchange(other.notes_, nullptr)),
      since_(other.since_) {}

void DeviceHold::give_back() {
  if (notes_ == nullptr) return;
  notes_->device_s =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - since_).count();
  notes_ = nullptr;
  lease_ = {};
}

std::string reason_of(const Halt& halt) {
  if (const auto* ended = std::get_if<Ended>(&halt)) return ended->reason;
  return std::get<Error>(halt).message;
}

std::uint64_t seed_of(const JobRequest& request) {
  std::random_device source;
  return request.seed.value_or((std::uint64_t{source()} << 32) ^ source());
}

Context make_context(const JobRequest& request, const std::filesystem::path& scratch,
                     Station& station, const StopSignal& stop) {
  return {.scratch = scratch, .station = station, .stop = stop, .limit_s = request.limit_s};
}

Outcome<Built> build_program(SourcePointer source, Context& context) {
  WW_CHECK(run_stage(context, Stage::lint, [&] { return lint_stage(*source, context); }));
  return run_stage(context, Stage::build, [&] { return build_stage(source, context); });
}

Outcome<Prepared> prepare(SourcePointer source, Context& context) {
  WW_TRY(Built built, build_program(source, context));
  const std::uint64_t seed = seed_of(source->request);
  return run_stage(context, Stage::record,
                   [&] { return record_stage(std::move(built), seed, context); });
}

Outcome<Validated> validate(const Prepared& prepared, Context& context, device::Device* device) {
  WW_TRY(Validated validated, run_stage(context, Stage::validate,
                                        [&] { return validate_stage(prepared, context, device); }));
  WW_CHECK(run_stage(context, Stage::sanitize, [&] { return sanitize_stage(validated, context); }));
  return validated;
}

Evaluation evaluation_of(Context& context, Outcome<Measured> end) {
  Notes& notes = context.notes;
  // What costs is told behind what is wrong.
  std::stable_partition(notes.findings.begin(), notes.findings.end(), [](const Finding& each) {
    return each.kind != FindingKind("implicit_flops");
  });
  Evaluation evaluation{.verdict = Verdict::ok,
                        .stage = context.stage,
                        .diagnostics = std::move(notes.diagnostics),
                        .resources = std::move(notes.resources),
                        .findings = std::move(notes.findings),
                        .unchecked = std::move(notes.unchecked),
                        .device = std::move(notes.device),
                        .seed = std::move(notes.seed),
                        .device_s = notes.device_s,
                        .stage_s = std::move(notes.stage_s),
                        .manifest = std::move(notes.manifest)};
  for (KernelResources& resources : evaluation.resources) {
    resources.kernel = device::kernel_name(resources.kernel);
  }
  if (end.ok()) {
    evaluation.measurements = std::move(end->measurements);
    if (evaluation.unchecked.empty()) return evaluation;
    evaluation.verdict = Verdict::unchecked;
    evaluation.reason = "not all could be checked: " + evaluation.unchecked.front();
    evaluation.feedback = evaluation.reason + "\n";
    return evaluation;
  }
  const Halt halt = end.error();
  evaluation.reason = reason_of(halt);
  const auto* ended = std::get_if<Ended>(&halt);
  evaluation.verdict = ended == nullptr ? Verdict::harness_error : ended->verdict;
  if (ended == nullptr) return evaluation;
  evaluation.feedback = ended->feedback;
  evaluation.stage = ended->stage.value_or(evaluation.stage);
  return evaluation;
}

namespace {

Outcome<Measured> on_device(const Prepared& prepared, Context& context) {
  WW_TRY(Validated validated, validate(prepared, context));
  return run_stage(context, Stage::measure, [&] { return measure_stage(validated, context); });
}

}  // namespace

std::variant<Contenders, Evaluation> prepare_judgement(const JobRequest& request,
                                                       const std::filesystem::path& scratch,
                                                       Station& station, const StopSignal& stop) {
  if (request.rival) return prepare_comparison(request, scratch, station, stop);
  Context context = make_context(request, scratch, station, stop);
  auto prepared = prepare(std::make_shared<const Source>(Source{request}), context);
  if (!prepared.ok()) return evaluation_of(context, prepared.error());
  Contenders contenders;
  contenders.push_back({std::move(context), std::move(prepared).value()});
  return contenders;
}

Evaluation finish_judgement(Contenders contenders) {
  if (contenders.size() == 2) return finish_comparison(std::move(contenders));
  auto& [context, prepared] = contenders.front();
  Outcome<Measured> end = on_device(prepared, context);
  return evaluation_of(context, std::move(end));
}

Evaluation judge(const JobRequest& request, const std::filesystem::path& scratch, Station& station,
                 const StopSignal& stop) {
  auto prepared = prepare_judgement(request, scratch, station, stop);
  if (auto* ended = std::get_if<Evaluation>(&prepared)) return std::move(*ended);
  return finish_judgement(std::get<Contenders>(std::move(prepared)));
}

Evaluation judge(const JobRequest& request, const std::filesystem::path& scratch,
                 const StopSignal& stop) {
  Station station;
  return judge(request, scratch, station, stop);
}

}  // namespace warpwright::evaluate
