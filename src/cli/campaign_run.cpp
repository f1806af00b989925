// SPDX-License-Identifier: Apache-2.0
#include "cli/campaign_run.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <mutex>
#include <thread>

#include <fmt/format.h>

#include "base/files.h"
#include "cli/fleet_judge.h"
#include "cli/session.h"
#include "cli/task_named.h"
#include "core/headroom.h"
#include "core/task_json.h"
#include "suite/load.h"

namespace warpwright::cli {

namespace fs = std::filesystem;

namespace {

constexpr int kLocalAtOnce = 2;
constexpr int kFleetAtOnce = 32;
constexpr int kParts = 4;  // of the budget, where searches are looked at in between
constexpr const char* kShare = "campaign's share";

/// "2M" and "500k" as whole numbers.
std::string plain_count(std::string_view text) {
  std::int64_t unit = 1;
  if (text.ends_with('k')) unit = 1'000;
  if (text.ends_with('M')) unit = 1'000'000;
  const std::string_view digits = unit == 1 ? text : text.substr(0, text.size() - 1);
  double value = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (unit == 1 || code != std::errc() || end != digits.data() + digits.size() || value > 1e12) {
    return std::string(text);
  }
  return std::to_string(static_cast<std::int64_t>(value * static_cast<double>(unit)));
}

/// What the engine of one search tells; kept for the summary.
class Quiet final : public search::Observer {
 public:
  void on_state(const search::SearchState&) override {}
  void on_trial(const search::Trial&, const search::SearchState&) override {}
  void on_event(std::string_view, std::string_view, const search::SearchState&) override {}
};

void keep(CampaignMember& member, const search::Ending& ending) {
  member.status = ending.status;
  member.why = ending.why;
  member.spent = ending.state.spent;
  member.finished = ending.state.finished;
  member.valid = ending.state.valid;
  member.best_trial = ending.state.best_trial;
  member.best_us = ending.state.best_us;
  member.best_speedup = ending.state.best_speedup;
  member.best_roofline = ending.state.best_roofline;
}

class Campaign {
 public:
  Campaign(const CampaignPlan& plan, StopSignal& stop)
      : plan_(plan), stop_(stop), budget_(limits_of(plan.settings)) {}

  Result<CampaignEnd> work();

 private:
  struct Search {
    const Task* task = nullptr;
    CampaignMember member;
    bool is_new = true;
    bool open = true;
    Limits limits;
    std::vector<double> best_us;  ///< after each part of the budget
  };

  Status open_runs();
  Result<Settings> settings_for(const Search& search) const;
  void share_out(std::vector<Search*>& open, const std::vector<double>& shares);
  [[nodiscard]] std::vector<double> shares_of(const std::vector<Search*>& open, int round) const;
  Status advance(Search& search);
  void advance_all(const std::vector<Search*>& searches);
  [[nodiscard]] std::vector<Search*> open_searches();
  [[nodiscard]] Cost spent() const;
  [[nodiscard]] bool budget_left() const;
  [[nodiscard]] int at_once() const;
  void say(const std::string& line) const {
    if (plan_.say) plan_.say(line);
  }

  const CampaignPlan& plan_;
  StopSignal& stop_;
  const Limits budget_;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::vector<Search> searches_;
  std::mutex saying_;
};

int Campaign::at_once() const {
  const auto all = static_cast<int>(searches_.size());
  if (plan_.at_once > 0) return std::min(plan_.at_once, all);
  return std::min(all, names_a_fleet(plan_.settings) ? kFleetAtOnce : kLocalAtOnce);
}

/// The runs of an earlier process, and new ones for what it had not begun.
Status Campaign::open_runs() {
  const SystemClock clock;
  WW_CHECK(make_directories(plan_.folder));
  WW_TRY(const auto archive, store::Archive::open(plan_.folder / "archive.db", clock));
  WW_TRY(const auto runs, archive->runs());
  for (const std::string& strategy : plan_.strategies) {
    for (const Task& task : plan_.tasks) {
      Search search;
      search.task = &task;
      search.member.task = task.name;
      search.member.strategy = strategy;
      WW_TRY(const Settings settings, settings_for(search));
      WW_CHECK(check_settings(settings, task));
      store::RunRecord run;
      for (const auto& known : runs) {
        if (known.task != task.name || known.strategy != strategy) continue;
        if (known.task_json != task_to_json(task)) {
          return Error{"task '" + task.name + "' is not what it was when '" +
                       plan_.folder.string() + "' began; start another campaign with -o"};
        }
        search.member.run = known.id;
      }
      search.is_new = search.member.run.empty();
      if (search.is_new) {
        run.task = task.name;
        run.task_json = task_to_json(task);
        describe(run, settings);
        WW_TRY(search.member.run, archive->create_run(run, settings.all()));
      }
      searches_.push_back(std::move(search));
    }
  }
  return {};
}

/// The model's rates are for all searches together, too.
Result<Settings> Campaign::settings_for(const Search& search) const {
  Settings settings = plan_.settings;
  WW_CHECK(settings.set("search.strategy", search.member.strategy, "campaign"));
  const auto text = [](const auto& value) { return value ? fmt::format("{}", *value) : ""; };
  WW_CHECK(settings.set("limits.evaluations", text(search.limits.evaluations), kShare));
  WW_CHECK(settings.set("limits.tokens", text(search.limits.tokens), kShare));
  WW_CHECK(settings.set("limits.usd", text(search.limits.usd), kShare));
  WW_CHECK(settings.set("limits.device", text(search.limits.device_s), kShare));
  WW_CHECK(settings.set("limits.wall", "", kShare));
  const int together = std::max(1, at_once());
  if (const auto all = settings.integer("model.concurrency"); all && *all > 0) {
    const auto each = std::max<std::int64_t>(1, *all / together);
    WW_CHECK(settings.set("model.concurrency", std::to_string(each), kShare));
  }
  for (const char* rate : {"model.requests_per_minute", "model.tokens_per_minute"}) {
    if (const auto all = settings.number(rate); all && *all > 0) {
      WW_CHECK(settings.set(rate, fmt::format("{}", *all / together), kShare));
    }
  }
  return settings;
}

Cost Campaign::spent() const {
  Cost all;
  for (const Search& search : searches_) {
    all += search.member.spent;
    all.unpriced = all.unpriced || search.member.spent.unpriced;
  }
  return all;
}

std::vector<Campaign::Search*> Campaign::open_searches() {
  std::vector<Search*> open;
  for (Search& search : searches_) {
    if (search.open) open.push_back(&search);
  }
  return open;
}

bool Campaign::budget_left() const {
  const Cost used = spent();
  return !(budget_.evaluations && used.evaluations >= *budget_.evaluations) &&
         !(budget_.tokens && used.tokens >= *budget_.tokens) &&
         !(budget_.usd && used.usd >= *budget_.usd) &&
         !(budget_.device_s && used.device_s >= *budget_.device_s);
}

/// Which part of what is left each of them gets; together at most all of it.
std::vector<double> Campaign::shares_of(const std::vector<Search*>& open, int round) const {
  const auto n = static_cast<double>(open.size());
  std::vector<double> shares(open.size(), 1 / n);
  if (!plan_.by_headroom) return shares;
  double sum = 0;
  for (std::size_t i = 0; i < open.size(); ++i) {
    const double gain = expected_gain({open[i]->member.best_roofline, open[i]->best_us});
    shares[i] = gain < kLeastGain ? 0 : gain;
    sum += shares[i];
  }
  const double parts = std::max(1, kParts - round + 1);
  for (double& share : shares) share = sum > 0 ? share / sum / parts : 0;
  return shares;
}

/// What each has used, and its part of what is left: the sum is never more than the budget.
void Campaign::share_out(std::vector<Search*>& open, const std::vector<double>& shares) {
  const Cost used = spent();
  const auto n = static_cast<std::int64_t>(open.size());
  const bool equal = std::all_of(shares.begin(), shares.end(), [&](double share) {
    return share == 1.0 / static_cast<double>(n);
  });
  for (std::int64_t i = 0; i < n; ++i) {
    Search& search = *open[static_cast<std::size_t>(i)];
    const double share = shares[static_cast<std::size_t>(i)];
    const Cost& own = search.member.spent;
    const auto part = [&](std::int64_t all, std::int64_t gone) {
      const auto left = std::max<std::int64_t>(0, all - gone);
      if (equal) return share_of(left, n, i);
      return static_cast<std::int64_t>(share * static_cast<double>(left));
    };
    const auto fraction = [&](double all, double gone) {
      return std::max(0.0, all - gone) * share;
    };
    Limits& limits = search.limits;
    if (budget_.evaluations) {
      limits.evaluations = own.evaluations + part(*budget_.evaluations, used.evaluations);
    }
    if (budget_.tokens) limits.tokens = own.tokens + part(*budget_.tokens, used.tokens);
    if (budget_.usd) limits.usd = own.usd + fraction(*budget_.usd, used.usd);
    if (budget_.device_s) {
      limits.device_s = own.device_s + fraction(*budget_.device_s, used.device_s);
    }
  }
}

Status Campaign::advance(Search& search) {
  const SystemClock clock;
  WW_TRY(const auto archive, store::Archive::open(plan_.folder / "archive.db", clock));
  WW_TRY(auto run, archive->find_run(search.member.run));
  WW_TRY(const HeldRun held, hold_run(*archive, run));
  WW_TRY(const Settings settings, settings_for(search));
  describe(run, settings);
  WW_CHECK(archive->restate_run(run, settings.all()));
  Quiet observer;
  WW_TRY(const auto ending,
         run_engine(*archive, run, held, *search.task, settings, false, {observer, stop_, clock}));
  keep(search.member, ending);
  return {};
}

void Campaign::advance_all(const std::vector<Search*>& searches) {
  std::atomic<std::size_t> next = 0;
  std::vector<std::jthread> threads;
  for (int t = 0; t < at_once(); ++t) {
    threads.emplace_back([&] {
      for (std::size_t i = next++; i < searches.size(); i = next++) {
        Search& search = *searches[i];
        if (stop_.requested()) return;
        if (const Status status = advance(search); !status.ok()) {
          search.member.status = store::RunStatus::failed;
          search.member.why = status.error().message;
        }
        const CampaignMember& member = search.member;
        const std::lock_guard lock(saying_);
        say(fmt::format("{} {} ({}): {}, {} judged{}", member.task, member.strategy, member.run,
                        member.why, member.finished,
                        member.best_speedup ? fmt::format(", best x{:.2f}", *member.best_speedup)
                                            : std::string()));
      }
    });
  }
}

Result<CampaignEnd> Campaign::work() {
  WW_CHECK(open_runs());
  // What earlier processes have spent is known from the runs themselves: without a budget they
  // only remember.
  std::vector<Search*> known;
  for (Search& search : searches_) {
    if (search.is_new) continue;
    search.limits = {.evaluations = 0, .tokens = 0, .usd = {}, .wall_s = {}, .device_s = {}};
    known.push_back(&search);
  }
  advance_all(known);
  for (Search* search : known) {
    search->limits = {};
    search->open = search->member.status != store::RunStatus::finished;
  }
  CampaignEnd end;
  end.budget = budget_;
  for (std::int64_t before = -1; !stop_.requested() && budget_left();) {
    auto open = open_searches();
    const Cost used = spent();
    // A round in which nobody could do anything with its part is the last, unless parts were small.
    const bool small = plan_.by_headroom && end.rounds > 0 && end.rounds < kParts;
    if (open.empty() || (used.evaluations + used.tokens == before && !small)) break;
    before = used.evaluations + used.tokens;
    ++end.rounds;
    const auto shares = shares_of(open, end.rounds);
    share_out(open, shares);
    std::vector<Search*> fed;
    for (std::size_t i = 0; i < open.size(); ++i) {
      if (shares[i] > 0) fed.push_back(open[i]);
    }
    if (fed.empty()) break;  // what is left is not worth spending on any of them
    say(fmt::format("Round {}: {} searches, {} at a time", end.rounds, fed.size(), at_once()));
    advance_all(fed);
    for (Search* search : fed) {
      search->open = search->member.status == store::RunStatus::stopped;
      if (search->member.best_us) search->best_us.push_back(*search->member.best_us);
    }
  }
  end.stopped = stop_.requested();
  end.spent = spent();
  for (const Search& search : searches_) end.members.push_back(search.member);
  return end;
}

}  // namespace

std::int64_t share_of(std::int64_t all, std::int64_t n, std::int64_t i) {
  return all / n + (i < all % n ? 1 : 0);
}

Status set_budget(Settings& settings, std::string_view text) {
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), item.size() + 1));
    if (item.empty()) continue;
    const auto equals = item.find('=');
    const std::string key(equals == std::string_view::npos ? "usd" : item.substr(0, equals));
    const auto keys = {"usd", "tokens", "evaluations", "wall", "device"};
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
      return Error{"--budget: no '" + key +
                   "'; there are usd, tokens, evaluations, wall and device, as in "
                   "usd=20,evaluations=500"};
    }
    const auto value = equals == std::string_view::npos ? item : item.substr(equals + 1);
    WW_CHECK(settings.set("limits." + key, plain_count(value), "flag --budget"));
  }
  return {};
}

Result<std::vector<Task>> tasks_of_suite(const std::string& suite) {
  std::vector<Task> tasks;
  std::error_code ignored;
  std::vector<std::string> names;
  if (suite == "paper" || suite == "all") {
    for (const auto& name : suite::embedded_task_names()) {
      WW_TRY(auto task, suite::load_embedded_task(name));
      if (suite == "all" || task.group.empty()) tasks.push_back(std::move(task));
    }
    return tasks;
  }
  if (fs::is_directory(suite, ignored) && !fs::exists(fs::path(suite) / "task.toml", ignored)) {
    for (const auto& entry : fs::directory_iterator(suite, ignored)) {
      if (fs::exists(entry.path() / "task.toml", ignored)) names.push_back(entry.path().string());
    }
    if (names.empty()) return Error{"'" + suite + "' holds no folder with a task.toml"};
    std::sort(names.begin(), names.end());
  } else {
    for (std::size_t from = 0; from < suite.size();) {
      const auto end = std::min(suite.find(',', from), suite.size());
      if (end > from) names.push_back(suite.substr(from, end - from));
      from = end + 1;
    }
  }
  for (const auto& name : names) {
    WW_TRY(auto task, task_named(name));
    for (const Task& other : tasks) {
      if (other.name == task.name) return Error{"two tasks of the suite are called " + task.name};
    }
    tasks.push_back(std::move(task));
  }
  if (tasks.empty()) return Error{"the suite names no task"};
  return tasks;
}

Result<CampaignEnd> run_campaign(const CampaignPlan& plan, StopSignal& stop) {
  Campaign campaign(plan, stop);
  return campaign.work();
}

}  // namespace warpwright::cli
