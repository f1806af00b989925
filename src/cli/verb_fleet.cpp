// SPDX-License-Identifier: Apache-2.0
// fleet: the pilots of a spool and their work.
#include <CLI/CLI.hpp>

#include "cli/exit_codes.h"
#include "cli/fleet_judge.h"
#include "cli/options.h"
#include "cli/verbs.h"
#include "fleet/standing.h"

namespace warpwright::cli {

namespace {

struct FleetFlags {
  std::string spool;
  std::string tidy;
  bool json = false;
  std::shared_ptr<SettingFlags> settings;
};

Result<int> show_fleet(const FleetFlags& flags) {
  WW_TRY(const Settings settings, settings_from(*flags.settings));
  std::filesystem::path folder = flags.spool;
  if (folder.empty()) {
    WW_TRY(folder, spool_folder(settings));
  }
  WW_TRY(const auto spool, fleet::Spool::open(folder));
  if (!flags.tidy.empty()) {
    const auto age = parse_duration(flags.tidy);
    if (!age) return Error{"--tidy: '" + flags.tidy + "' is no time like 90s, 15m or 2h"};
    std::printf("%d old results, records and logs removed\n", spool.tidy(*age));
    return static_cast<int>(kOk);
  }
  const auto standing = fleet::standing_of(spool);
  std::printf(
      "%s%s",
      (flags.json ? fleet::standing_json(standing) : fleet::standing_text(standing)).c_str(),
      flags.json ? "\n" : "");
  return static_cast<int>(kOk);
}

}  // namespace

void add_fleet(CLI::App& verb, Action& action) {
  const auto flags = std::make_shared<FleetFlags>();
  verb.add_option("spool", flags->spool, "the spool's folder [that of the settings]");
  verb.add_flag("--json", flags->json, "as JSON (docs/fleet.md)");
  verb.add_option("--tidy", flags->tidy,
                  "remove results, records and logs older than 90s, 2h, ...");
  flags->settings = add_setting_flags(verb, {"judge.worker"});
  verb.callback([flags, &action] {
    action = [flags] {
      const auto code = show_fleet(*flags);
      return code.ok() ? *code : fail(code.error());
    };
  });
}

}  // namespace warpwright::cli
