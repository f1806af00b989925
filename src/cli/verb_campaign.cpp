// SPDX-License-Identifier: Apache-2.0
// campaign: many runs and a benchmark as one document.
#include <CLI/CLI.hpp>

#include "base/files.h"
#include "cli/exit_codes.h"
#include "cli/session.h"
#include "cli/verbs.h"
#include "report/campaign.h"

namespace warpwright::cli {

namespace {

namespace fs = std::filesystem;

struct CampaignFlags {
  std::vector<std::string> archives;
  std::vector<std::string> benches;
  std::string out;
};

/// An archive's file, or a folder that holds one where `run` puts it.
fs::path archive_file(const std::string& given) {
  std::error_code ignored;
  for (const char* name : {"archive.db", ".warpwright/archive.db"}) {
    if (fs::is_regular_file(fs::path(given) / name, ignored)) return fs::path(given) / name;
  }
  return given;
}

Result<int> write_campaign(const CampaignFlags& flags) {
  std::vector<fs::path> archives;
  for (const auto& given : flags.archives) archives.push_back(archive_file(given));
  if (archives.empty()) archives.push_back(archive_path(""));
  std::vector<report::BenchText> benches;
  for (const auto& file : flags.benches) {
    WW_TRY(auto text, read_file(file));
    benches.push_back({file, std::move(text)});
  }
  const SystemClock clock;
  WW_TRY(const auto campaign, report::read_campaign(archives, benches, clock));
  const std::string text = report::campaign_markdown(campaign);
  if (flags.out.empty()) {
    std::printf("%s", text.c_str());
  } else {
    WW_CHECK(write_file(flags.out, text));
    std::printf("%s\n", flags.out.c_str());
  }
  return static_cast<int>(kOk);
}

}  // namespace

void add_campaign(CLI::App& verb, Action& action) {
  const auto flags = std::make_shared<CampaignFlags>();
  verb.add_option(
      "archive", flags->archives,
      "archives, or folders that hold one; the newest run of each task and rule set counts "
      "[the current one]");
  verb.add_option("--bench", flags->benches, "JSON of 'warpwright bench': baselines, comparators");
  verb.add_option("-o,--out", flags->out, "Markdown file to write [standard output]");
  verb.callback([flags, &action] {
    action = [flags] {
      const auto code = write_campaign(*flags);
      return code.ok() ? *code : fail(code.error());
    };
  });
}

}  // namespace warpwright::cli
