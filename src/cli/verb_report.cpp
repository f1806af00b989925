// SPDX-License-Identifier: Apache-2.0
// report: one self-contained page of a run, a benchmark, or several runs.
#include <CLI/CLI.hpp>

#include "base/files.h"
#include "cli/exit_codes.h"
#include "cli/options.h"
#include "cli/session.h"
#include "cli/verbs.h"
#include "report/bench_document.h"
#include "report/compare.h"
#include "report/run_document.h"

namespace warpwright::cli {

namespace {

struct ReportFlags {
  std::string archive;
  std::string run;
  std::string bench;
  std::string out;
  std::vector<std::string> runs;
  bool force = false;
};

Result<report::Page> make_page(const ReportFlags& flags) {
  const SystemClock clock;
  std::string bench;
  if (!flags.bench.empty()) {
    WW_TRY(bench, read_file(flags.bench));
    if (flags.run.empty()) return report::bench_page(bench, flags.bench, clock.unix_ms());
  }
  WW_TRY(const auto archive, store::Archive::open_read_only(archive_path(flags.archive), clock));
  if (!flags.runs.empty()) return report::compare_page(*archive, flags.runs, clock.unix_ms());
  return report::run_page(*archive, flags.run.empty() ? "last" : flags.run,
                          {.made_ms = clock.unix_ms(), .bench = bench, .bench_file = flags.bench});
}

Result<int> write_page(const ReportFlags& flags) {
  if (!flags.runs.empty() && (!flags.run.empty() || !flags.bench.empty())) {
    return Error{"--runs compares runs; it goes with neither a single run nor --bench"};
  }
  const std::string out = flags.out.empty() ? "report.html" : flags.out;
  WW_TRY(const bool there, path_exists(out));
  if (!flags.force && there) {
    return Error{"'" + out + "' exists already; --force replaces it, -o names another file"};
  }
  WW_TRY(const auto page, make_page(flags));
  const std::filesystem::path path(out);
  if (path.has_parent_path()) WW_CHECK(make_directories(path.parent_path()));
  WW_CHECK(write_file(path, report::render(page).html));
  std::printf("%s\n", out.c_str());
  return static_cast<int>(kOk);
}

}  // namespace

void add_report(CLI::App& verb, Action& action) {
  const auto flags = std::make_shared<ReportFlags>();
  verb.add_option("run", flags->run, "a run's id, its beginning, or last [last]");
  verb.add_option("-o,--out", flags->out, "file to write [report.html]");
  verb.add_option("--bench", flags->bench,
                  "JSON of 'warpwright bench': its page, or with a run its comparators");
  verb.add_option("--runs", flags->runs, "two or more runs to compare")->expected(1, 100000);
  verb.add_flag("--force", flags->force, "replace an existing file");
  add_archive_option(verb, flags->archive);
  verb.callback([flags, &action] {
    action = [flags] {
      const auto code = write_page(*flags);
      return code.ok() ? *code : fail(code.error());
    };
  });
}

}  // namespace warpwright::cli
