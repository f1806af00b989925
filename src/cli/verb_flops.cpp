// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/sha256.h"
#include "base/text.h"
#include "build/toolchain.h"
#include "cli/cache_place.h"
#include "cli/exit_codes.h"
#include "cli/flops_score.h"
#include "cli/options.h"
#include "cli/session.h"
#include "cli/verbs.h"
#include "cli/words.h"
#include "core/json_reader.h"
#include "flops/analysis.h"
#include "flops/questions.h"
#include "flops/source_files.h"
#include "flops/targets.h"

namespace warpwright::cli {

namespace {

struct FlopsFlags {
  std::vector<std::string> files, includes, defines;
  std::string run, kernel, arch = "sm_86", front_end = "auto", cache, page, suite;
  long long seconds = 120;
  std::uint64_t launches = 16, budget = 0;
  bool json = false, fast_math = false, prompt = false, score = false, without_running = false;
  std::shared_ptr<SettingFlags> settings;
};

Result<flop::AnalysisRequest> request_of(const FlopsFlags& flags) {
  flop::AnalysisRequest request;
  request.program.files.assign(flags.files.begin(), flags.files.end());
  request.program.includes.assign(flags.includes.begin(), flags.includes.end());
  request.program.defines = flags.defines;
  request.program.fast_math = flags.fast_math;
  const auto front_end = build::front_end_named(flags.front_end);
  if (!front_end) return Error{"--front-end is auto, clang or nvcc"};
  request.program.front_end = *front_end;
  WW_TRY(request.program.target, flop::target_named(flags.arch));
  request.run.target = request.program.target;
  WW_TRY(request.run.arguments, words_of(flags.run));
  request.run.cwd = std::filesystem::canonical(flags.files.front()).parent_path();
  request.run.time = std::chrono::seconds(flags.seconds);
  request.run.limits.counted = flags.launches;
  if (flags.budget != 0) {
    request.run.limits.first = flags.budget;
    request.run.limits.repeats = flags.budget / 4;
  }
  request.kernel = flags.kernel;
  return request;
}

/// One program: what was asked for and what came of it.
struct Counted {
  flop::AnalysisRequest request;
  flop::Analysis analysis;
};

Result<build::Builder> builder_of(const FlopsFlags& flags) {
  std::filesystem::path cache = flags.cache;
  if (cache.empty()) {
    WW_TRY(cache, cache_place());
  }
  WW_TRY(auto sandbox, sandbox::Sandbox::open());
  return build::Builder::create(sandbox, build::find_toolchain(), {.cache = cache});
}

Result<Counted> counted(const FlopsFlags& flags) {
  for (const std::string& file : flags.files) {
    if (!std::filesystem::is_regular_file(file))
      return Counted{{}, flop::nothing_there("file " + file)};
  }
  Counted all;
  WW_TRY(all.request, request_of(flags));
  WW_TRY(const build::Builder builder, builder_of(flags));
  WW_TRY(all.analysis, flop::analyse(builder, all.request));
  return all;
}

void complain(const flop::Analysis& analysis) {
  if (analysis.ending == flop::Ending::counted) return;
  std::fprintf(stderr, "warpwright: %s\n", analysis.reason.c_str());
  if (!analysis.detail.empty()) std::fprintf(stderr, "%s\n", analysis.detail.c_str());
}

Result<int> count(const FlopsFlags& flags) {
  WW_TRY(const Counted all, counted(flags));
  const flop::Analysis& analysis = all.analysis;
  const std::string text =
      flags.json ? flop::analysis_json(analysis) : flop::analysis_text(analysis);
  std::fputs(text.c_str(), stdout);
  complain(analysis);
  if (!flags.page.empty() && !analysis.launches.empty())
    WW_CHECK(write_file(flags.page, flop::analysis_page(analysis, flags.files.front())));
  return static_cast<int>(analysis.ending);
}

Result<int> read_only(const FlopsFlags& flags) {
  flop::StaticAnalysis analysis;
  for (const std::string& file : flags.files) {
    if (std::filesystem::is_regular_file(file)) continue;
    const flop::Analysis nothing = flop::nothing_there("file " + file);
    analysis = {nothing.ending, nothing.reason, "", nothing.missing, {}};
  }
  if (analysis.ending == flop::Ending::counted) {
    WW_TRY(const flop::AnalysisRequest request, request_of(flags));
    WW_TRY(const build::Builder builder, builder_of(flags));
    WW_TRY(analysis, flop::analyse_text(builder, request));
  }
  const std::string text =
      flags.json ? flop::static_json(analysis.counts, analysis.missing, analysis.reason)
                 : flop::static_text(analysis.counts);
  std::fputs(text.c_str(), stdout);
  if (!analysis.reason.empty()) std::fprintf(stderr, "warpwright: %s\n", analysis.reason.c_str());
  if (!analysis.detail.empty()) std::fprintf(stderr, "%s\n", analysis.detail.c_str());
  return static_cast<int>(analysis.ending);
}

/// The programs that questions are asked about: the one of the command line, or those of a suite.
Result<std::vector<FlopsFlags>> programs_of(const FlopsFlags& flags) {
  if (flags.suite.empty()) {
    if (flags.files.empty()) return Error{"name the sources of a program, or a --suite"};
    return std::vector<FlopsFlags>{flags};
  }
  WW_TRY(const std::string text, read_file(flags.suite, std::size_t{16} << 20));
  const std::filesystem::path folder = std::filesystem::path(flags.suite).parent_path();
  std::vector<FlopsFlags> programs;
  int number = 0;
  for (const std::string_view line : lines_of(text)) {
    ++number;
    if (trimmed(line).empty()) continue;
    const auto row = parse_json_or_discard(line);
    const std::string place = "'" + flags.suite + "' line " + std::to_string(number);
    if (!row.is_object() || !row.contains("files"))
      return Error{place + ": not a JSON object with \"files\""};
    FlopsFlags program = flags;
    const auto texts = [&](const char* key, std::vector<std::string>& into, bool paths) {
      if (!row.contains(key) || !row[key].is_array()) return;
      for (const auto& each : row[key]) {
        if (!each.is_string()) continue;
        const auto word = each.get<std::string>();
        into.push_back(paths ? (folder / word).string() : word);
      }
    };
    program.files.clear();
    texts("files", program.files, true);
    texts("include", program.includes, true);
    texts("define", program.defines, false);
    if (program.files.empty()) return Error{place + ": \"files\" is no list of names"};
    if (row.contains("run") && row["run"].is_string()) program.run = row["run"];
    if (row.contains("kernel") && row["kernel"].is_string()) program.kernel = row["kernel"];
    programs.push_back(std::move(program));
  }
  return programs;
}

/// Questions of all programs; what could not be counted is told on standard error.
Result<std::vector<flop::Question>> questions(const FlopsFlags& flags, int& code) {
  WW_TRY(std::vector<FlopsFlags> programs, programs_of(flags));
  std::vector<flop::Question> all;
  for (FlopsFlags& program : programs) {
    program.launches = 1;
    WW_TRY(const Counted one, counted(program));
    complain(one.analysis);
    code = std::max(code, static_cast<int>(one.analysis.ending));
    if (one.analysis.ending != flop::Ending::counted) continue;
    for (flop::Question& each :
         flop::questions_of(one.request, one.analysis, flop::source_files(one.request.program)))
      all.push_back(std::move(each));
  }
  return all;
}

Result<int> question(const FlopsFlags& flags) {
  int code = 0;
  WW_TRY(const Settings settings, settings_from(*flags.settings));
  if (flags.score && settings.text("model.spec").empty())
    return Error{"--score needs a model: --model SERVICE:MODEL, exec:PROGRAM or replay:FILE"};
  WW_TRY(const std::vector<flop::Question> all, questions(flags, code));
  if (all.empty()) return code == 0 ? 1 : code;
  if (!flags.score) {
    std::fputs(prompt_report(all, flags.json).c_str(), stdout);
    return code;
  }
  // The same questions find the answers that were paid for them.
  std::string key = settings.text("model.spec") + settings.text("model.base_url");
  for (const flop::Question& each : all) key += each.id + each.text;
  std::filesystem::path cache = flags.cache;
  if (cache.empty()) {
    WW_TRY(cache, cache_place());
  }
  const std::filesystem::path spool = cache / "spool" / sha256_hex(key).substr(0, 16);
  WW_TRY(const Examined examined, examine(settings, all, spool));
  std::fputs(score_report(all, examined, flags.json).c_str(), stdout);
  return code;
}

}  // namespace

void add_flops(CLI::App& verb, Action& action) {
  const auto flags = std::make_shared<FlopsFlags>();
  verb.add_option("files", flags->files, "sources of a program with a main: .cu, .cpp, .c");
  verb.add_option("-I,--include", flags->includes, "a folder with headers")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  verb.add_option("-D,--define", flags->defines, "NAME or NAME=VALUE for the compiler")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  verb.add_option("--run", flags->run, "the program's command line, in one word");
  verb.add_option("--kernel", flags->kernel, "count only this kernel");
  verb.add_option("--arch", flags->arch, "sm_86, sm_90, ..., or a device's key [sm_86]");
  verb.add_option("--front-end", flags->front_end, "auto, clang or nvcc [auto]");
  verb.add_flag("--fast-math", flags->fast_math, "compile with fast mathematics");
  verb.add_option("--launches", flags->launches, "report so many launches of a kernel [16]");
  verb.add_option("--budget", flags->budget,
                  "warp instructions of a kernel that are run before blocks are sampled");
  verb.add_option("--seconds", flags->seconds, "processor time of the host part [120]");
  verb.add_option("--cache", flags->cache, "folder for what is built once [the user's cache]");
  verb.add_option("--page", flags->page, "write a page with the roofline into this file");
  verb.add_flag("--static", flags->without_running,
                "only read: what one thread does, in grid, block and scalar arguments");
  verb.add_flag("--prompt", flags->prompt, "write the question for a model, kernel by kernel");
  verb.add_flag("--score", flags->score, "ask --model these questions and score its answers");
  verb.add_option("--suite", flags->suite,
                  "programs to ask about: {\"files\": [...], \"run\": \"...\"} line by line");
  flags->settings = add_setting_flags(verb, {"model."});
  verb.add_flag("--json", flags->json, "as JSON (docs/flops.md)");
  verb.callback([flags, &action] {
    action = [flags] {
      const bool asks = flags->prompt || flags->score;
      if (!asks && flags->files.empty()) return fail(Error{"name the sources of a program"});
      const auto code = asks                     ? question(*flags)
                        : flags->without_running ? read_only(*flags)
                                                 : count(*flags);
      return code.ok() ? *code : fail(code.error());
    };
  });
}

}  // namespace warpwright::cli
