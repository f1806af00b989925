// SPDX-License-Identifier: Apache-2.0
// campaign: many runs and a benchmark as one document, and many searches within one budget.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <thread>

#include "base/files.h"
#include "cli/campaign_run.h"
#include "cli/exit_codes.h"
#include "cli/fleet_judge.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/session.h"
#include "cli/verbs.h"
#include "core/json_reader.h"
#include "report/campaign.h"
#include "report/server.h"

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

struct CampaignRunFlags {
  std::string suite, budget, out = "warpwright-campaign";
  std::vector<std::string> strategies;
  std::string share = "equal";
  int at_once = 0;
  int page = -1;
  bool json = false;
  std::shared_ptr<SettingFlags> settings;
};

nlohmann::json limits_json(const Limits& limits) {
  nlohmann::json json = nlohmann::json::object();
  if (limits.evaluations) json["evaluations"] = *limits.evaluations;
  if (limits.tokens) json["tokens"] = *limits.tokens;
  if (limits.usd) json["usd"] = *limits.usd;
  if (limits.wall_s) json["wall_s"] = *limits.wall_s;
  if (limits.device_s) json["device_s"] = *limits.device_s;
  return json;
}

nlohmann::json cost_json(const Cost& cost) {
  return {{"evaluations", cost.evaluations},
          {"tokens", cost.tokens},
          {"usd", usd_json(cost)},
          {"device_s", cost.device_s}};
}

std::string campaign_json(const CampaignEnd& end) {
  nlohmann::json runs = nlohmann::json::array();
  for (const auto& member : end.members) {
    nlohmann::json row = {{"task", member.task},
                          {"strategy", member.strategy},
                          {"run", member.run},
                          {"status", store::name_of(member.status)},
                          {"ending", member.why},
                          {"trials", member.finished},
                          {"valid", member.valid},
                          {"best", member.best_trial},
                          {"spent", cost_json(member.spent)}};
    row["best_us"] = member.best_us ? nlohmann::json(*member.best_us) : nlohmann::json();
    row["speedup"] = member.best_speedup ? nlohmann::json(*member.best_speedup) : nlohmann::json();
    runs.push_back(std::move(row));
  }
  return dump_json({{"format", 1},
                    {"runs", std::move(runs)},
                    {"rounds", end.rounds},
                    {"stopped", end.stopped},
                    {"budget", limits_json(end.budget)},
                    {"spent", cost_json(end.spent)}},
                   1);
}

/// The page of the campaign's runs, while they are searched.
class LivePage {
 public:
  /// An empty spool: there is no fleet.
  LivePage(const fs::path& archive, const fs::path& spool, int port) : library_({archive}, {}) {
    thread_ = std::jthread([this, spool, port] {
      report::ServerOptions options{.port = port};
      if (!spool.empty()) options.fleet = [spool] { return fleet_for_page(spool); };
      options.on_listening = [](int at) {
        std::fprintf(stderr, "http://127.0.0.1:%d/ shows all searches live\n", at);
      };
      const Status served = report::serve(library_, clock_, over_, options);
      if (!served.ok()) std::fprintf(stderr, "no page: %s\n", served.error().message.c_str());
    });
  }
  ~LivePage() { over_.request(StopReason::finished); }
  LivePage(const LivePage&) = delete;
  LivePage& operator=(const LivePage&) = delete;

 private:
  report::Library library_;
  SystemClock clock_;
  StopSignal over_;
  std::jthread thread_;
};

/// Ends all searches when the campaign's time is up.
std::jthread deadline(double seconds, StopSignal& stop) {
  return std::jthread([seconds, &stop](const std::stop_token& over) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (!over.stop_requested() && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    if (!over.stop_requested()) stop.request(StopReason::deadline);
  });
}

int campaign_code(const CampaignEnd& end, const StopSignal& stop) {
  if (stop.reason() == StopReason::interrupted) return kInterrupted;
  bool good = false;
  for (const auto& member : end.members) {
    if (member.status == store::RunStatus::failed) return kFailed;
    if (member.status == store::RunStatus::waiting) return kWaiting;
    good = good || member.valid > 0;
  }
  return good ? kOk : kBad;
}

Result<int> search_campaign(const CampaignRunFlags& flags) {
  CampaignPlan plan;
  WW_TRY(plan.settings, settings_from(*flags.settings));
  WW_CHECK(set_budget(plan.settings, flags.budget));
  const Limits budget = limits_of(plan.settings);
  if (!budget.evaluations && !budget.tokens && !budget.usd && !budget.wall_s && !budget.device_s) {
    return Error{"a campaign needs a budget: --budget usd=20, or tokens=, evaluations=, wall="};
  }
  if (plan.settings.text("model.spec").empty()) {
    return Error{"a campaign needs a model: --model SERVICE:MODEL (warpwright models lists them)"};
  }
  WW_TRY(plan.tasks, tasks_of_suite(flags.suite));
  plan.strategies = flags.strategies;
  if (plan.strategies.empty()) plan.strategies = {plan.settings.text("search.strategy")};
  plan.folder = flags.out;
  plan.at_once = flags.at_once;
  plan.by_headroom = flags.share == "headroom";
  plan.say = [](const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); };
  WW_CHECK(make_directories(plan.folder));
  WW_TRY(const auto lock, FileLock::acquire(plan.folder / "campaign.lock"));
  if (!lock) return Error{"'" + flags.out + "' is worked on by another process"};
  StopSignal stop;
  const InterruptGuard interrupts(stop);
  std::optional<LivePage> page;
  if (flags.page >= 0) {
    fs::path spool;
    if (names_a_fleet(plan.settings)) {
      WW_TRY(spool, spool_folder(plan.settings));
    }
    page.emplace(plan.folder / "archive.db", spool, flags.page);
  }
  std::jthread timer;
  if (budget.wall_s) timer = deadline(*budget.wall_s, stop);
  WW_TRY(const CampaignEnd end, run_campaign(plan, stop));
  WW_TRY(const auto campaign,
         report::read_campaign({plan.folder / "archive.db"}, {}, SystemClock()));
  WW_CHECK(write_file(plan.folder / "campaign.md", report::campaign_markdown(campaign)));
  const std::string json = campaign_json(end);
  WW_CHECK(write_file(plan.folder / "campaign.json", json + "\n"));
  if (flags.json) {
    std::printf("%s\n", json.c_str());
  } else {
    for (const auto& member : end.members) {
      std::printf(
          "%-24s %-8s %-10s %3d judged, %3d valid%s\n", member.task.c_str(),
          member.strategy.c_str(), std::string(store::name_of(member.status)).c_str(),
          member.finished, member.valid,
          member.best_speedup ? fmt::format(", x{:.2f}", *member.best_speedup).c_str() : "");
    }
    std::printf("%lld judged, %lld tokens, %s; %s\n", static_cast<long long>(end.spent.evaluations),
                static_cast<long long>(end.spent.tokens), money_text(end.spent).c_str(),
                (plan.folder / "campaign.md").c_str());
  }
  return campaign_code(end, stop);
}

void add_campaign_run(CLI::App& campaign, Action& action) {
  CLI::App* run = campaign.add_subcommand(
      "run", "search many tasks with many strategies within one budget; the same command goes on");
  run->footer(
      "Example:\n  warpwright campaign run paper --model openai:gpt-5 --budget usd=20 "
      "--strategies fsr,tree --worker slurm:partition=gpu,pilots=8");
  const auto flags = std::make_shared<CampaignRunFlags>();
  run->add_option("suite", flags->suite,
                  "task names or folders with commas, a folder of task folders, paper or all")
      ->required();
  run->add_option("--budget", flags->budget,
                  "of all searches together: usd=20,tokens=2M,evaluations=500,wall=2h,device=1h");
  run->add_option("--strategies", flags->strategies, "with commas [--strategy]")->delimiter(',');
  run->add_option("--share", flags->share,
                  "of the budget: equal, or headroom: more for searches with more to gain [equal]")
      ->check(CLI::IsMember({"equal", "headroom"}));
  run->add_option("--at-once", flags->at_once, "searches at a time [32 with a fleet, else 2]")
      ->check(CLI::Range(1, 1000));
  run->add_option("-o,--out", flags->out,
                  "folder of archive, tables and JSON [warpwright-campaign]");
  run->add_option("--page", flags->page, "show all searches live on this port, 0 for any [no page]")
      ->check(CLI::Range(0, 65535));
  run->add_flag("--json", flags->json, "the outcome as JSON (docs/fleet.md)");
  flags->settings = add_setting_flags(*run, {"search.", "limits.", "model.", "judge."});
  run->callback([flags, &action] {
    action = [flags] {
      const auto code = search_campaign(*flags);
      return code.ok() ? *code : fail(code.error());
    };
  });
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
  verb.require_subcommand(0, 1);
  add_campaign_run(verb, action);
  verb.callback([flags, &verb, &action] {
    if (!verb.get_subcommands().empty()) return;
    action = [flags] {
      const auto code = write_campaign(*flags);
      return code.ok() ? *code : fail(code.error());
    };
  });
}

}  // namespace warpwright::cli
