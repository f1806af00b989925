// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>

#include "base/files.h"
#include "cli/exit_codes.h"
#include "cli/options.h"
#include "cli/session.h"
#include "cli/verbs.h"
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

Result<int> write_page(const ReportFlags& flags) {
  const SystemClock clock;
  WW_TRY(const auto archive, store::Archive::open_read_only(archive_path(flags.archive), clock));
  WW_TRY(const auto page, report::run_page(*archive, flags.run, clock.unix_ms()));
  WW_CHECK(write_file(flags.out, report::render(page).html));
  std::printf("%s\n", flags.out.c_str());
  return static_cast<int>(kOk);
}

}  // namespace

void add_report(CLI::App& verb, Action& action) {
  const auto flags = std::make_shared<ReportFlags>();
  verb.add_option("run", flags->run, "a run's id, its beginning, or last");
  verb.add_option("-o,--out", flags->out, "file to write [report.html]");
  add_archive_option(verb, flags->archive);
  verb.callback([flags, &action] {
    action = [flags] {
      const auto code = write_page(*flags);
      return code.ok() ? *code : fail(code.error());
    };
  });
}

void add_serve(CLI::App&, Action&) {}

}  // namespace warpwright::cli
