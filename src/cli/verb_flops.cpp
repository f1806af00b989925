// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "base/files.h"
#include "base/text.h"
#include "build/toolchain.h"
#include "cli/exit_codes.h"
#include "cli/session.h"
#include "cli/verbs.h"
#include "flops/analysis.h"
#include "flops/targets.h"

namespace warpwright::cli {

namespace {

struct FlopsFlags {
  std::vector<std::string> files, includes, defines;
  std::string run, kernel, arch = "sm_86", front_end = "auto", cache;
  long long seconds = 120;
  std::uint64_t launches = 16, budget = 0;
  bool json = false, fast_math = false;
};

/// Words as a shell would make them: quotes keep spaces together, nothing else is special.
Result<std::vector<std::string>> words_of(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  bool begun = false;
  char quote = 0;
  for (const char c : line) {
    if (quote != 0) {
      if (c == quote) {
        quote = 0;
      } else {
        word += c;
      }
    } else if (c == '"' || c == '\'') {
      quote = c;
      begun = true;
    } else if (c == ' ' || c == '\t' || c == '\n') {
      if (begun) words.push_back(std::move(word));
      word.clear();
      begun = false;
    } else {
      word += c;
      begun = true;
    }
  }
  if (quote != 0) return Error{"--run: a quote is not closed"};
  if (begun) words.push_back(std::move(word));
  return words;
}

Result<flop::AnalysisRequest> request_of(const FlopsFlags& flags) {
  flop::AnalysisRequest request;
  for (const std::string& file : flags.files) {
    if (!std::filesystem::is_regular_file(file)) return Error{"there is no file " + file};
    request.program.files.emplace_back(file);
  }
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

Result<int> count(const FlopsFlags& flags) {
  WW_TRY(const flop::AnalysisRequest request, request_of(flags));
  WW_TRY(auto sandbox, sandbox::Sandbox::open());
  WW_TRY(const build::Builder builder,
         build::Builder::create(sandbox, build::find_toolchain(), {.cache = flags.cache}));
  WW_TRY(const flop::Analysis analysis, flop::analyse(builder, request));
  const std::string text =
      flags.json ? flop::analysis_json(analysis) : flop::analysis_text(analysis);
  std::fputs(text.c_str(), stdout);
  if (analysis.ending != flop::Ending::counted) {
    std::fprintf(stderr, "warpwright: %s\n", analysis.reason.c_str());
    if (!analysis.detail.empty()) std::fprintf(stderr, "%s\n", analysis.detail.c_str());
  }
  return static_cast<int>(analysis.ending);
}

std::string default_cache() {
  return (temporary_folder() / ("warpwright-flops-" + std::to_string(::getuid()))).string();
}

}  // namespace

void add_flops(CLI::App& verb, Action& action) {
  const auto flags = std::make_shared<FlopsFlags>();
  flags->cache = default_cache();
  verb.add_option("files", flags->files, "sources of a program with a main: .cu, .cpp, .c")
      ->required();
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
  verb.add_option("--cache", flags->cache, "folder for what is built once");
  verb.add_flag("--json", flags->json, "as JSON (docs/flops.md)");
  verb.callback([flags, &action] {
    action = [flags] {
      const auto code = count(*flags);
      return code.ok() ? *code : fail(code.error());
    };
  });
}

}  // namespace warpwright::cli
