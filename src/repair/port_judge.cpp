// SPDX-License-Identifier: Apache-2.0
#include "repair/port_judge.h"

#include <sys/stat.h>

#include <algorithm>

#include "base/files.h"
#include "build/diagnostics.h"
#include "port/verify_cpu.h"
#include "port/verify_cuda.h"

namespace warpwright::repair {

namespace fs = std::filesystem;

namespace {

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

/// Paths of this machine say nothing to a model.
std::string without_folder(std::string text, const fs::path& folder) {
  const std::string prefix = folder.string() + "/";
  for (auto at = text.find(prefix); at != std::string::npos; at = text.find(prefix, at))
    text.erase(at, prefix.size());
  return text;
}

/// The same project in a copy of its folder.
Result<port::CarriedProject> copied(const port::CarriedProject& project, const fs::path& folder) {
  std::error_code code;
  fs::copy(project.folder, folder, fs::copy_options::recursive, code);
  if (code) return Error{"cannot copy '" + project.folder.string() + "': " + code.message()};
  port::CarriedProject copy = project;
  const auto moved = [&](const fs::path& path) {
    const fs::path inner = path.lexically_relative(project.folder);
    return inner == "." ? folder : folder / inner;
  };
  copy.folder = folder;
  for (port::Unit& unit : copy.units) unit.path = moved(unit.path);
  for (std::string& each : copy.flags.includes) each = moved(each).string();
  return copy;
}

Evaluation ended(Verdict verdict, Stage stage, std::string reason, std::string feedback) {
  Evaluation evaluation;
  evaluation.verdict = verdict;
  evaluation.stage = stage;
  evaluation.reason = std::move(reason);
  evaluation.feedback = std::move(feedback);
  return evaluation;
}

/// What the compilers of the targets say; ok where all take it.
Result<Evaluation> judge_by_compilers(const PortProof& proof, const port::CarriedProject& project,
                                      const sandbox::Sandbox& sandbox, const StopSignal& stop) {
  WW_TRY(const auto outcomes, port::compile_project(project, proof.direction, proof.targets,
                                                    port::find_port_tools(), sandbox, &stop));
  for (const port::CompileOutcome& outcome : outcomes) {
    if (!outcome.compiles) return Error{outcome.target + ": " + outcome.reason};
    if (*outcome.compiles) continue;
    const std::string said = without_folder(joined(outcome.errors), project.folder);
    Evaluation evaluation =
        ended(Verdict::compile_error, Stage::build, "it does not compile for " + outcome.target,
              "The compiler for " + outcome.target + " says:\n" + said);
    evaluation.diagnostics = build::parse_diagnostics(said);
    return evaluation;
  }
  return ended(Verdict::ok, Stage::build, "", "");
}

/// Of one answer of a proof by running.
Evaluation judge_answer(const std::optional<bool>& same, port::Hindrance hindrance,
                        const std::string& what, const std::string& notes) {
  if (same && *same) return ended(Verdict::ok, Stage::validate, "", "");
  if (same)
    return ended(Verdict::mismatch, Stage::validate,
                 "it does not do what the original does " + what,
                 "The program was run beside the original " + what + ". What differs:\n" + notes);
  const bool built = hindrance != port::Hindrance::port_not_built;
  return ended(built ? Verdict::timeout : Verdict::compile_error,
               built ? Stage::validate : Stage::build, "it could not be run " + what,
               "The program could not be run " + what + ":\n" + notes);
}

/// Nothing that a model writes changes the original, or what this machine has.
bool can_be_mended(port::Hindrance hindrance) {
  return hindrance != port::Hindrance::tools && hindrance != port::Hindrance::original;
}

Result<Evaluation> judge_on_cpu(const PortProof& proof, const port::CarriedProject& project,
                                const build::Builder& builder, const StopSignal& stop) {
  WW_TRY(const auto verdict,
         port::verify_on_cpu(project, proof.direction, proof.run, builder, &stop));
  const std::string notes = without_folder(joined(verdict.notes), project.folder);
  if (!can_be_mended(verdict.hindrance))
    return Error{"the original cannot be run on the CPU: " + notes};
  Evaluation narrow =
      judge_answer(verdict.wave32, verdict.hindrance, "with wavefronts of 32 lanes", notes);
  if (!narrow.valid()) return narrow;
  return judge_answer(verdict.wave64, verdict.hindrance, "with wavefronts of 64 lanes", notes);
}

Result<Evaluation> judge_on_gpu(const PortProof& proof, const port::CarriedProject& project,
                                const sandbox::Sandbox& sandbox, const StopSignal& stop) {
  WW_TRY(const auto verdict, port::verify_on_gpu(project, proof.direction, proof.run,
                                                 port::find_port_tools(), sandbox, &stop));
  const std::string notes = without_folder(joined(verdict.notes), project.folder);
  if (!can_be_mended(verdict.hindrance))
    return Error{"the original cannot be run on a GPU: " + notes};
  return judge_answer(verdict.same, verdict.hindrance, "on a GPU of NVIDIA", notes);
}

}  // namespace

std::string PortJudge::device() const {
  std::string text;
  for (const std::string& target : proof_.targets) text += (text.empty() ? "" : ", ") + target;
  if (proof_.on_cpu) text += "; run on the SIMT machine";
  if (proof_.on_cuda) text += "; run on a GPU of NVIDIA";
  return text;
}

Result<Evaluation> PortJudge::evaluate(const evaluate::EvaluationRequest& request,
                                       const StopSignal& stop) {
  WW_TRY(const TemporaryDirectory folder, TemporaryDirectory::create("warpwright-repair-"));
  ::chmod(folder.path().c_str(), 0755);
  WW_TRY(const auto project, copied(proof_.project, folder.path() / "port"));
  WW_CHECK(write_file(project.folder / proof_.file, request.source));
  WW_TRY(Evaluation evaluation, judge_by_compilers(proof_, project, builder_.sandbox(), stop));
  if (evaluation.valid() && proof_.on_cpu) {
    WW_TRY(evaluation, judge_on_cpu(proof_, project, builder_, stop));
  }
  if (evaluation.valid() && proof_.on_cuda) {
    WW_TRY(evaluation, judge_on_gpu(proof_, project, builder_.sandbox(), stop));
  }
  evaluation.device = device();
  return evaluation;
}

std::string file_to_mend(const port::CarriedProject& project,
                         const std::vector<port::CompileOutcome>& compiled) {
  for (const port::CompileOutcome& outcome : compiled)
    for (const std::string& line : outcome.errors)
      for (const std::string& file : project.files)
        if (line.find((project.folder / file).string() + ":") != std::string::npos ||
            line.starts_with(file + ":"))
          return file;
  return project.units.empty() ? std::string() : project.units.front().name;
}

}  // namespace warpwright::repair
