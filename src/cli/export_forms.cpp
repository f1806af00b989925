// SPDX-License-Identifier: Apache-2.0
#include "cli/export_forms.h"

#include <fmt/format.h>

#include "base/files.h"
#include "base/sha256.h"
#include "cli/task_named.h"
#include "core/json_reader.h"
#include "exchange/plain_package.h"
#include "exchange/trace_solution.h"
#include "suite/load.h"

namespace warpwright::cli {

namespace {

constexpr std::size_t kMostSource = std::size_t{1} << 20;

/// What the head of a kernel's file says, in a sentence and a list.
std::string head_words(const bench::KernelOrigin& origin) {
  std::string text =
      fmt::format("Judged on {}, {} (run {}, rules {}). Medians of that run:", origin.device,
                  origin.date, origin.run, origin.rule_set);
  for (const Measurement& m : origin.measurements) {
    text += fmt::format("\n\n* size {}: {:.2f} us{}", m.size, m.median_us,
                        m.source == TimeSource::estimated ? " (an estimate)" : "");
  }
  return text;
}

/// The head as fields of a provenance: those of a run's where they mean the same.
void add_origin(const bench::KernelOrigin& origin, nlohmann::json& document) {
  const auto space = origin.run.rfind(' ');
  document["run"] = origin.run.substr(0, space);
  document["trial"] = space == std::string::npos ? "" : origin.run.substr(space + 1);
  document["model"] = origin.model;
  document["date"] = origin.date;
  document["commit"] = origin.commit;
  document["found_by"] = origin.made_by;
  document["rule_set"] = origin.rule_set;
  nlohmann::json times = nlohmann::json::array();
  for (const Measurement& m : origin.measurements)
    times.push_back({{"size", m.size},
                     {"median_us", m.median_us},
                     {"source", m.source == TimeSource::estimated ? "estimated" : "measured"}});
  document["evaluation"] = {
      {"verdict", name_of(Verdict::ok)}, {"device", origin.device}, {"measurements", times}};
}

/// A package of PyTorch: of a module, or plain where the task has none.
Result<exchange::Files> torch_files(const Judged& judged, const Judged* backward) {
  const exchange::Winner& winner = judged.winner;
  if (!winner.task.torch.source.empty())
    return exchange::torch_package(winner, backward != nullptr ? &backward->winner : nullptr);
  if (backward != nullptr)
    return Error{fmt::format("'{}' has no PyTorch module, whose gradients could be exported",
                             winner.task.name)};
  WW_TRY(const auto test, test_case(winner.task));
  return exchange::plain_package(winner, winner.task.name, test ? &*test : nullptr,
                                 exchange::InputsAt::here);
}

}  // namespace

std::string measured_words(const Evaluation& evaluation) {
  std::string text =
      fmt::format("Judged `{}` on {}.", name_of(evaluation.verdict), evaluation.device);
  for (const Measurement& m : evaluation.measurements) {
    text += fmt::format("\n\n* size {}: {:.3f} us{}", m.size, call_us(m),
                        m.source == TimeSource::estimated ? " (an estimate)" : "");
    if (m.baseline_us > 0)
      text += fmt::format(", {:.2f} times as fast as the baseline", m.baseline_us / call_us(m));
  }
  return text;
}

Result<Judged> judged_from_text(Task task, const std::string& text, const std::string& where) {
  if (const auto problem = bench::kernel_file_problem(text, task.name))
    return Error{fmt::format("'{}': {}", where, *problem)};
  Judged judged;
  judged.file = bench::read_kernel_file(text);
  judged.winner.source = judged.file ? judged.file->source : text;
  judged.winner.measured = judged.file
                               ? head_words(judged.file->origin)
                               : "This kernel was exported from its file; no run has judged it.";
  judged.winner.task = std::move(task);
  return judged;
}

Result<Judged> judged_from_files(const std::string& task, const std::string& kernel) {
  WW_TRY(auto named, task_named(task));
  WW_TRY(const auto text, read_file(kernel, kMostSource));
  return judged_from_text(std::move(named), text, kernel);
}

KernelToExport kernel_of_file(const Judged& judged) {
  const std::string& source = judged.winner.source;
  nlohmann::json document = {{"format", 1},
                             {"made_by", "warpwright " WARPWRIGHT_VERSION},
                             {"task", judged.winner.task.name},
                             {"source_sha256", sha256_hex(source)}};
  if (judged.file) add_origin(judged.file->origin, document);
  if (judged.file && !judged.file->licence.empty()) document["licence"] = judged.file->licence;
  return {.task = judged.winner.task,
          .source = source,
          .device = judged.file ? judged.file->origin.device : "",
          .provenance = dump_json(document, 2) + "\n"};
}

Result<std::map<std::string, std::string>> form_files(const FormFlags& flags, const Judged& judged,
                                                      const Judged* backward) {
  std::map<std::string, std::string> files;
  if (flags.torch) {
    WW_TRY(const auto package, torch_files(judged, backward));
    files.insert(package.begin(), package.end());
  }
  if (flags.kernelbench) {
    WW_TRY(files[judged.winner.task.name + "_kernelbench.py"],
           exchange::kernelbench_file(judged.winner));
  }
  if (flags.gpu_mode) {
    WW_TRY(files["submission.py"], exchange::gpu_mode_submission(judged.winner));
  }
  if (flags.trace) {
    WW_TRY(const auto parts,
           exchange::trace_files(judged.winner, judged.evaluation ? &*judged.evaluation : nullptr));
    files.insert(parts.begin(), parts.end());
  }
  return files;
}

}  // namespace warpwright::cli
