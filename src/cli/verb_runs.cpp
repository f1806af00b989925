// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "base/files.h"
#include "cli/exit_codes.h"
#include "cli/options.h"
#include "cli/run_listing.h"
#include "cli/session.h"
#include "cli/verbs.h"
#include "core/json_reader.h"
#include "report/archive_json.h"

namespace warpwright::cli {

using nlohmann::json;

namespace {

struct RunsFlags {
  std::string archive;
  std::vector<std::string> to_delete;
  bool json = false;
};

json listed_json(const ListedRun& listed) {
  json object = report::run_json(listed.run);
  object["dead"] = listed.dead;
  if (listed.best_us) object["best_us"] = *listed.best_us;
  if (listed.speedup) object["speedup"] = *listed.speedup;
  return object;
}

std::string ending_of(const ListedRun& listed) {
  if (!listed.dead) return listed.run.ending;
  return "its process is gone; go on with: warpwright resume " + listed.run.id;
}

void print_listed(const ListedRun& listed) {
  const auto& run = listed.run;
  std::string best = run.best_trial.empty() ? "-" : run.best_trial;
  if (listed.speedup) best += fmt::format(" x{:.2f}", *listed.speedup);
  const std::string status = listed.dead ? "dead" : std::string(name_of(run.status));
  fmt::print("{:<20} {} UTC  {:<9} {:<28} best {:<16} {}\n", run.id, date_of(run.created_ms),
             status, run.model, best, ending_of(listed));
}

Result<int> delete_runs(store::Archive& archive, const std::vector<std::string>& names) {
  for (const auto& name : names) {
    WW_TRY(const std::string id, delete_run(archive, name));
    fmt::print("deleted {}\n", id);
  }
  return static_cast<int>(kOk);
}

Result<int> list_runs(const RunsFlags& flags) {
  const SystemClock clock;
  const auto path = archive_path(flags.archive);
  WW_TRY(const bool there, path_exists(path));
  std::unique_ptr<store::Archive> archive;
  std::vector<store::RunRecord> runs;
  // An archive that was named shall be there; the usual one comes with the first run.
  if (there || !flags.archive.empty() || !flags.to_delete.empty()) {
    WW_TRY(archive, existing_archive(flags.archive, clock));
    if (!flags.to_delete.empty()) return delete_runs(*archive, flags.to_delete);
    WW_TRY(runs, archive->runs());
  }
  json list = json::array();
  for (const auto& run : runs) {
    WW_TRY(const auto listed, listed_run(*archive, run));
    list.push_back(listed_json(listed));
    if (!flags.json) print_listed(listed);
  }
  if (flags.json) fmt::print("{}\n", dump_json(list, 1));
  if (!flags.json && runs.empty()) {
    fmt::print("No runs yet in {}. Start one with: warpwright run TASK\n", path.string());
  }
  return static_cast<int>(kOk);
}

}  // namespace

void add_runs(CLI::App& verb, Action& action) {
  const auto flags = std::make_shared<RunsFlags>();
  verb.add_flag("--json", flags->json, "as JSON");
  verb.add_option("--delete", flags->to_delete,
                  "remove runs for good: whole ids, or last; nothing is asked");
  add_archive_option(verb, flags->archive);
  verb.require_subcommand(0, 1);
  verb.callback([flags, &verb, &action] {
    if (!verb.get_subcommands().empty()) return;  // what was asked for is theirs
    action = [flags] {
      const auto code = list_runs(*flags);
      return code.ok() ? *code : fail(code.error());
    };
  });
  add_scaling(verb, action);
}

}  // namespace warpwright::cli
