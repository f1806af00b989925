// SPDX-License-Identifier: Apache-2.0
//
// machine_run FOLDER BUDGET NVCC|CLANG|AUTO SOURCE [-D... -I...] -- ARGUMENTS...
//
// Builds a CUDA program of one source and runs all of it on the SIMT machine, every block of every
// launch, for at most BUDGET warp instructions, in a new folder FOLDER. Prints what the program
// prints. Exit code 0: it ended by itself; 1: it did not, or a fault was found, and standard error
// says which; 3: it could not be built or run.
#include <sys/stat.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/files.h"
#include "flops/exact_run.h"
#include "flops/program.h"
#include "flops/staging.h"
#include "flops/targets.h"
#include "port/compare_runs.h"
#include "port/outputs.h"

namespace {

namespace fs = std::filesystem;
using namespace warpwright;

struct Words {
  fs::path folder, source;
  std::uint64_t budget = 0;
  build::FrontEnd front_end = build::FrontEnd::automatic;
  std::vector<std::string> flags, arguments;
};

Result<Words> words_of(int count, char** given) {
  if (count < 5)
    return Error{"usage: machine_run FOLDER BUDGET nvcc|clang|auto SOURCE [FLAGS] -- ..."};
  Words words;
  words.folder = fs::absolute(given[1]);
  words.budget = std::strtoull(given[2], nullptr, 10);
  const std::string front(given[3]);
  if (front == "nvcc") words.front_end = build::FrontEnd::nvcc;
  if (front == "clang") words.front_end = build::FrontEnd::clang;
  words.source = fs::absolute(given[4]);
  bool own = false;
  for (int i = 5; i < count; ++i) {
    const std::string word(given[i]);
    if (!own && word == "--")
      own = true;
    else
      (own ? words.arguments : words.flags).push_back(word);
  }
  return words;
}

Result<fs::path> below(const Words& words, const char* name) {
  const fs::path folder = words.folder / name;
  WW_CHECK(make_directories(folder));
  ::chmod(words.folder.c_str(), 0755);
  ::chmod(folder.c_str(), 0755);
  return folder;
}

Result<flop::BuiltProgram> built(const build::Builder& builder, const Words& words) {
  flop::Sources sources;
  sources.cwd = words.source.parent_path();
  sources.files = {words.source};
  flop::ProgramRequest request;
  for (const std::string& flag : words.flags) {
    if (flag.starts_with("-D")) request.defines.push_back(flag.substr(2));
    if (flag.starts_with("-I")) sources.includes.emplace_back(flag.substr(2));
  }
  WW_TRY(const fs::path copies, below(words, "sources"));
  WW_TRY(sources, flop::readable_sources(sources, copies));
  request.files = sources.files;
  request.includes = sources.includes;
  request.includes.push_back(sources.cwd);
  request.front_end = words.front_end;
  WW_TRY(request.target, flop::target_named("h200"));
  WW_TRY(const fs::path folder, below(words, "build"));
  return flop::build_program(builder, request, folder);
}

Result<int> run(const Words& words) {
  WW_TRY(auto sandbox, sandbox::Sandbox::open());
  WW_TRY(const fs::path cache, below(words, "cache"));
  const char* shared = std::getenv("MACHINE_RUN_CACHE");
  WW_TRY(const build::Builder builder,
         build::Builder::create(sandbox, build::find_toolchain(),
                                {.cache = shared != nullptr ? fs::path(shared) : cache}));
  WW_TRY(const flop::BuiltProgram program, built(builder, words));
  if (!program.ok) return Error{"cannot be built: " + program.reason};
  flop::ExactRequest request;
  request.checks = simt::Checks::full;
  request.budget = words.budget;
  request.run.arguments = words.arguments;
  request.run.time = std::chrono::minutes(5);
  WW_TRY(request.run.target, flop::target_named("h200"));
  WW_TRY(const fs::path parent, below(words, "run"));
  WW_CHECK(flop::working_copy(words.source.parent_path(), parent / "work"));
  request.run.may_write = true;
  request.run.cwd = parent / "work";
  WW_TRY(const flop::ExactRun ran, flop::run_exactly(builder.sandbox(), program, request));
  const std::string text = port::without_own_path(ran.exit.out, program.executable.string());
  std::fputs(text.c_str(), stdout);
  std::fputs(ran.printed.c_str(), stdout);
  if (ran.over_budget) return Error{"more work than the budget"};
  for (const std::string& what : ran.missing) std::fprintf(stderr, "missing: %s\n", what.c_str());
  for (const std::string& what : ran.faults) std::fprintf(stderr, "fault: %s\n", what.c_str());
  if (!ran.missing.empty() || ran.launches == 0) return Error{"could not be run as a whole"};
  std::fprintf(stderr, "%llu launches, %llu warp instructions, exit %d%s\n",
               static_cast<unsigned long long>(ran.launches),
               static_cast<unsigned long long>(ran.warp_instructions), ran.exit.exit_code,
               port::adds_in_any_order(program) ? ", sums" : "");
  return ran.exit.exit_code == 0 && ran.exit.signal == 0 && ran.faults.empty() ? 0 : 1;
}

}  // namespace

int main(int count, char** given) {
  const auto words = words_of(count, given);
  if (!words.ok()) {
    std::fprintf(stderr, "%s\n", words.error().message.c_str());
    return 3;
  }
  const auto code = run(*words);
  if (code.ok()) return *code;
  std::fprintf(stderr, "machine_run: %s\n", code.error().message.c_str());
  return 3;
}
