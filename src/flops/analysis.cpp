// SPDX-License-Identifier: Apache-2.0
#include "flops/analysis.h"

#include <algorithm>

#include "base/text.h"
#include "flops/runtime/protocol.h"
#include "flops/staging.h"

namespace warpwright::flop {

namespace {

Analysis not_built(const BuiltProgram& built) {
  Analysis analysis;
  analysis.ending = built.missing.empty() ? Ending::at_fault : Ending::missing;
  analysis.reason = built.reason;
  analysis.detail = built.detail;
  analysis.missing = built.missing;
  return analysis;
}

bool is_wanted(const LaunchCount& launch, const std::string& kernel) {
  return kernel.empty() || launch.kernel == kernel || launch.signature == kernel ||
         launch.signature.find(kernel + "(") != std::string::npos;
}

/// What the program said last, for people: nobody else knows why it launched nothing.
std::string last_words(const ProcessExit& exit) {
  for (const std::string* said : {&exit.err, &exit.out}) {
    std::string last;
    for (const std::string_view line : lines_of(*said)) {
      if (!trimmed(line).empty()) last = trimmed(line);
    }
    if (!last.empty()) return "; it said: " + shortened(last, 300);
  }
  return {};
}

/// Whether a program that ended badly lacked something that no program can do without.
bool lacks_much(const ProgramRun& run) {
  return run.exit.exit_code != 0 &&
         std::any_of(run.missing.begin(), run.missing.end(), [](const std::string& what) {
           return what.starts_with("device ") || what.starts_with("memory ") ||
                  what.starts_with("call ");
         });
}

/// What a run that came to its end by itself says of the program.
void judge_end(const ProgramRun& run, Analysis& analysis) {
  const ProcessExit& exit = run.exit;
  if (exit.stopped && run.faults.empty()) return;
  if (exit.exit_code == ww_flops::kMissing) {
    analysis.ending = Ending::missing;
    analysis.reason = run.missing.empty() ? "the program could not start" : run.missing.back();
    return;
  }
  constexpr int kCpuLimit = 24;  // SIGXCPU
  if (exit.timed_out || exit.signal == kCpuLimit) {
    analysis.notes.push_back("the program was stopped at its time limit (" + exit.describe() + ")");
    if (!run.launches.empty()) return;
    analysis.ending = Ending::at_fault;
    analysis.reason = "the program launched no kernel within its time limit";
    return;
  }
  const bool crashed = exit.signal != 0;
  if (!run.faults.empty() || crashed) {
    analysis.ending = Ending::at_fault;
    analysis.reason =
        run.faults.empty() ? "the program ended by " + exit.describe() : run.faults.front();
  } else if (run.launches.empty()) {
    analysis.ending = Ending::at_fault;
    analysis.reason = "the program launched no kernel (" + exit.describe() + ")" + last_words(exit);
  } else if (lacks_much(run)) {
    analysis.ending = Ending::missing;
    analysis.reason = run.missing.front();
  } else if (exit.exit_code != 0) {
    analysis.notes.push_back("the program ended with " + exit.describe());
  }
  // A program that lacks its input does wrong for that reason.
  if (analysis.ending == Ending::at_fault && !run.missing.empty()) {
    analysis.ending = Ending::missing;
    analysis.reason = run.missing.front() + " is not there";
  }
}

std::filesystem::path full_path_of(const std::filesystem::path& path) {
  std::error_code code;
  const std::filesystem::path full = std::filesystem::canonical(path, code);
  return code ? std::filesystem::absolute(path) : full;
}

Sources sources_of(const AnalysisRequest& request) {
  Sources sources;
  for (const auto& file : request.program.files) sources.files.push_back(full_path_of(file));
  for (const auto& each : request.program.includes) sources.includes.push_back(full_path_of(each));
  sources.cwd = full_path_of(request.run.cwd);
  return sources;
}

}  // namespace

Analysis nothing_there(const std::string& what) {
  Analysis analysis;
  analysis.ending = Ending::missing;
  analysis.missing = {what};
  analysis.reason = "there is no " + what;
  return analysis;
}

Result<Analysis> analyse(const build::Builder& builder, const AnalysisRequest& given,
                         const StopSignal* stop) {
  WW_TRY(const TemporaryDirectory folder, TemporaryDirectory::create("warpwright-flops-"));
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
  AnalysisRequest request = given;
  WW_TRY(Sources sources, readable_sources(sources_of(given), folder.path() / "sources"));
  request.program.files = std::move(sources.files);
  request.program.includes = std::move(sources.includes);
  request.run.cwd = std::move(sources.cwd);
  // Programs write their results beside themselves; ours stay as they are.
  const std::filesystem::path work = folder.path() / "run" / "work";
  WW_CHECK(make_directories(work.parent_path()));
  if (working_copy(request.run.cwd, work).ok()) {
    request.run.cwd = work;
    request.run.may_write = true;
  }
  WW_TRY(const BuiltProgram built, build_program(builder, request.program, folder.path(), stop));
  if (!built.ok) return not_built(built);
  WW_TRY(const ProgramRun run, run_program(builder.sandbox(), built, request.run, stop));
  Analysis analysis;
  analysis.front_end = built.front_end;
  analysis.missing = run.missing;
  analysis.detail = shortened(run.exit.err, 4000);
  for (const LaunchCount& launch : run.launches) {
    if (is_wanted(launch, request.kernel)) analysis.launches.push_back(launch);
  }
  const std::vector<SourceFile> files = source_files(given.program);
  for (const LaunchCount& launch : analysis.launches) {
    if (!analysis.attributes.contains(launch.kernel))
      analysis.attributes[launch.kernel] = attributes_of(launch.kernel, files, launch.traits);
  }
  analysis.device = request.run.target;
  judge_end(run, analysis);
  for (const LaunchCount& launch : analysis.launches) {
    if (!launch.cut_short) continue;
    const std::string note = launch.kernel +
                             " did not end within its budget (--budget): what was "
                             "run of it is counted";
    if (std::find(analysis.notes.begin(), analysis.notes.end(), note) == analysis.notes.end())
      analysis.notes.push_back(note);
  }
  if (run.left_out != 0)
    analysis.notes.push_back(std::to_string(run.left_out) + " repeated launches were not run");
  if (analysis.ending == Ending::counted && analysis.launches.empty()) {
    analysis.ending = Ending::at_fault;
    analysis.reason = "no kernel \"" + request.kernel + "\" was launched";
  }
  return analysis;
}

Result<StaticAnalysis> analyse_text(const build::Builder& builder, const AnalysisRequest& given,
                                    const StopSignal* stop) {
  WW_TRY(const TemporaryDirectory folder, TemporaryDirectory::create("warpwright-flops-"));
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
  ProgramRequest program = given.program;
  WW_TRY(Sources sources, readable_sources(sources_of(given), folder.path() / "sources"));
  program.files = std::move(sources.files);
  program.includes = std::move(sources.includes);
  program.rolled = true;
  WW_TRY(const BuiltProgram built, compile_device_code(builder, program, folder.path(), stop));
  StaticAnalysis analysis;
  if (!built.ok) {
    const Analysis failed = not_built(built);
    return StaticAnalysis{failed.ending, failed.reason, failed.detail, failed.missing, {}};
  }
  const std::vector<SourceFile> files = source_files(given.program);
  for (const std::string& ptx : built.ptx) {
    for (StaticCount& count : static_counts(ptx, files)) {
      const bool wanted =
          given.kernel.empty() || count.kernel == given.kernel || count.signature == given.kernel;
      if (wanted) analysis.counts.push_back(std::move(count));
    }
  }
  if (analysis.counts.empty()) {
    analysis.ending = Ending::at_fault;
    analysis.reason = given.kernel.empty() ? "there is no kernel in the sources"
                                           : "there is no kernel \"" + given.kernel + "\"";
  }
  return analysis;
}

}  // namespace warpwright::flop
