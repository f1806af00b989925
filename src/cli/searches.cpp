// SPDX-License-Identifier: Apache-2.0
#include "cli/searches.h"

#include <algorithm>
#include <thread>

#include "cli/session.h"
#include "core/task_json.h"

namespace warpwright::cli {

namespace {

constexpr const char* kByClient = "client";
constexpr const char* kServer = "server's limit";
constexpr std::size_t kAtOnce = 2;
constexpr std::size_t kKept = 64;
constexpr std::int64_t kUsualEvaluations = 100;
constexpr std::int64_t kUsualTokens = 2'000'000;
constexpr double kUsualWallSeconds = 1800;
constexpr std::chrono::milliseconds kGlance{300};

Limits caps_of(const Settings& settings) {
  Limits limits = limits_of(settings);
  if (!limits.evaluations) limits.evaluations = kUsualEvaluations;
  if (!limits.tokens) limits.tokens = kUsualTokens;
  limits.wall_s.reset();  // of each search, not of all together
  return limits;
}

/// What a search may use up, as its own settings say.
Cost promised(const Settings& settings) {
  Cost cost;
  cost.evaluations = settings.integer("limits.evaluations").value_or(0);
  cost.tokens = settings.integer("limits.tokens").value_or(0);
  cost.usd = settings.number("limits.usd").value_or(0);
  return cost;
}

}  // namespace

struct Searches::Search final : search::Observer {
  void on_state(const search::SearchState& state) override { keep(state); }
  void on_trial(const search::Trial&, const search::SearchState& state) override { keep(state); }
  void on_event(std::string_view, std::string_view, const search::SearchState& state) override {
    keep(state);
  }
  void keep(const search::SearchState& state) {
    const std::lock_guard lock(mutex);
    stand.round = state.round;
    stand.finished = state.finished;
    stand.valid = state.valid;
    stand.judging = state.judging + state.to_judge;
    stand.asking = state.asking + state.to_ask;
    stand.waiting = state.waiting;
    stand.best_us = state.best_us;
    stand.best_speedup = state.best_speedup;
    stand.best_trial = state.best_trial;
    stand.evaluations = state.spent.evaluations;
    stand.tokens = state.spent.tokens;
    stand.usd = state.spent.unpriced ? std::nullopt : std::optional(state.spent.usd);
    stand.elapsed_s = state.elapsed_s;
    spent = state.spent;
  }

  std::string run;
  Task task;
  Settings settings;
  Cost reserved;
  SystemClock clock;
  std::unique_ptr<store::Archive> archive;
  std::optional<HeldRun> held;
  StopSignal stop;
  std::mutex mutex;
  mcp::SearchStand stand;
  Cost spent;
  std::jthread thread;  // last: it uses what is above
};

Searches::Searches(const Settings& settings, std::filesystem::path archive)
    : settings_(settings),
      archive_(std::move(archive)),
      budget_(caps_of(settings)),
      wall_s_(settings.number("limits.wall").value_or(kUsualWallSeconds)) {}

Searches::~Searches() { end(); }

Result<Settings> Searches::settings_for(const mcp::SearchWish& wish) const {
  Settings settings = settings_;
  const auto set = [&](const char* key, const std::string& value) {
    return settings.set(key, value, kByClient);
  };
  if (wish.inbox) WW_CHECK(set("model.spec", "inbox"));
  if (settings.text("model.spec").empty()) {
    return Error{
        "this server has no model: start it with --model SERVICE:MODEL, or search with "
        "model inbox and answer yourself"};
  }
  if (!wish.strategy.empty()) WW_CHECK(set("search.strategy", wish.strategy));
  if (wish.candidates) WW_CHECK(set("search.candidates", std::to_string(*wish.candidates)));
  if (wish.depth) WW_CHECK(set("search.depth", std::to_string(*wish.depth)));
  WW_CHECK(set("limits.evaluations", std::to_string(wish.evaluations)));
  const double wall = std::min(wish.wall_s.value_or(wall_s_), wall_s_);
  WW_CHECK(settings.set("limits.wall", std::to_string(wall), kServer));
  if (wish.tokens) WW_CHECK(set("limits.tokens", std::to_string(*wish.tokens)));
  if (wish.usd) WW_CHECK(set("limits.usd", std::to_string(*wish.usd)));
  // What the client leaves open is what is left of the server's own.
  const Limits& caps = budget_.limits();
  if (!wish.tokens && !wish.inbox) {
    const auto left = *caps.tokens - budget_.spent().tokens - budget_.reserved().tokens;
    WW_CHECK(
        settings.set("limits.tokens", std::to_string(std::max<std::int64_t>(left, 1)), kServer));
  }
  if (caps.usd && !wish.usd && !wish.inbox) {
    const double left = *caps.usd - budget_.spent().usd - budget_.reserved().usd;
    WW_CHECK(settings.set("limits.usd", std::to_string(std::max(left, 0.0)), kServer));
  }
  if (wish.inbox) {  // answers of the client cost the server nothing
    WW_CHECK(settings.set("limits.usd", "", kServer));
    if (!wish.tokens) WW_CHECK(settings.set("limits.tokens", "", kServer));
  }
  return settings;
}

Status Searches::affordable(const Cost& cost) const {
  const auto limit = budget_.refusal(cost);
  if (!limit) return {};
  return Error{"the budget of this server does not allow it: " + *limit +
               "; ask for less, or start the server with larger limits"};
}

Status Searches::promise(std::int64_t evaluations) {
  const std::lock_guard lock(mutex_);
  Cost cost;
  cost.evaluations = evaluations;
  WW_CHECK(affordable(cost));
  budget_.reserve(cost);
  return {};
}

void Searches::settle(std::int64_t promised, std::int64_t judged) {
  const std::lock_guard lock(mutex_);
  Cost cost;
  cost.evaluations = promised;
  budget_.release(cost);
  cost.evaluations = judged;
  budget_.spend(cost);
}

Status Searches::admit(const Cost& cost) {
  std::size_t alive = 0;
  for (const auto& [run, search] : searches_) {
    const std::lock_guard lock(search->mutex);
    alive += search->stand.alive ? 1 : 0;
  }
  if (alive >= kAtOnce) {
    return Error{"busy: this server works on " + std::to_string(kAtOnce) +
                 " searches at a time; stop one or wait"};
  }
  WW_CHECK(affordable(cost));
  for (auto old = searches_.begin(); old != searches_.end() && searches_.size() >= kKept;) {
    const bool over = !old->second->stand.alive;
    old = over ? searches_.erase(old) : std::next(old);
  }
  return {};
}

Result<std::string> Searches::start(const mcp::SearchWish& wish) {
  const std::lock_guard lock(mutex_);
  const auto search = std::make_shared<Search>();
  WW_TRY(search->settings, settings_for(wish));
  search->task = wish.task;
  search->reserved = promised(search->settings);
  WW_CHECK(admit(search->reserved));
  WW_CHECK(check_settings(search->settings, search->task));
  WW_CHECK(make_directories(archive_.parent_path()));
  WW_TRY(search->archive, store::Archive::open(archive_, search->clock));
  store::RunRecord run;
  run.task = wish.task.name;
  run.task_json = task_to_json(wish.task);
  describe(run, search->settings);
  WW_TRY(search->run, search->archive->create_run(run, search->settings.all()));
  WW_TRY(run, search->archive->find_run(search->run));
  WW_TRY(auto held, hold_run(*search->archive, run));
  search->held.emplace(std::move(held));
  budget_.reserve(search->reserved);
  search->stand.alive = true;
  searches_[search->run] = search;
  search->thread = std::jthread([this, search = search.get()] { work(*search); });
  return search->run;
}

/// The engine, again whenever the client answered, until there is nothing to wait for.
void Searches::work(Search& search) {
  const auto run_all = [&]() -> Status {
    for (;;) {
      WW_TRY(const int answers, search.archive->answer_count(search.run));
      WW_TRY(const auto run, search.archive->find_run(search.run));
      WW_TRY(const auto ending,
             run_engine(*search.archive, run, *search.held, search.task, search.settings, true,
                        {search, search.stop, search.clock}));
      search.keep(ending.state);
      if (ending.status == store::RunStatus::failed) return Error{ending.why};
      if (ending.status != store::RunStatus::waiting) return {};
      for (int now = answers; now == answers && !search.stop.requested();) {
        std::this_thread::sleep_for(kGlance);
        WW_TRY(now, search.archive->answer_count(search.run));
      }
      if (search.stop.requested()) return {};
    }
  };
  const Status status = run_all();
  search.held.reset();
  search.archive.reset();
  {
    const std::lock_guard lock(mutex_);
    budget_.release(search.reserved);
    budget_.spend(search.spent);
  }
  const std::lock_guard lock(search.mutex);
  if (!status.ok()) search.stand.error = status.error().message;
  search.stand.alive = false;
}

std::optional<mcp::SearchStand> Searches::stand(const std::string& run) {
  std::shared_ptr<Search> search;
  {
    const std::lock_guard lock(mutex_);
    const auto found = searches_.find(run);
    if (found == searches_.end()) return std::nullopt;
    search = found->second;
  }
  const std::lock_guard lock(search->mutex);
  return search->stand;
}

Status Searches::stop(const std::string& run) {
  const std::lock_guard lock(mutex_);
  const auto found = searches_.find(run);
  if (found == searches_.end()) return Error{"run '" + run + "' is not worked on by this server"};
  found->second->stop.request(StopReason::interrupted);
  return {};
}

void Searches::end() {
  std::map<std::string, std::shared_ptr<Search>> all;
  {
    const std::lock_guard lock(mutex_);
    for (auto& [run, search] : searches_) search->stop.request(StopReason::interrupted);
    all = std::move(searches_);
    searches_.clear();
  }
  all.clear();  // joins
}

}  // namespace warpwright::cli
