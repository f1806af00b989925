// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.h"

#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <optional>
#include <thread>

#include <fmt/format.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/terminal.h"
#include "core/json_reader.h"

namespace warpwright::cli {

using search::SearchState;
using search::Trial;

namespace {

std::string tokens_text(std::int64_t tokens) {
  return tokens < 10'000 ? fmt::format("{}", tokens) : fmt::format("{:.0f}k", tokens / 1e3);
}

std::string seconds_text(double seconds) {
  const auto whole = static_cast<long>(seconds);
  if (whole < 120) return fmt::format("{} s", whole);
  if (whole < 7200) return fmt::format("{}m{:02}s", whole / 60, whole % 60);
  return fmt::format("{}h{:02}m", whole / 3600, whole / 60 % 60);
}

std::string first_line(const std::string& text) {
  const auto lines = lines_of(text);
  return lines.empty() ? "" : std::string(lines[0]);
}

std::string trial_line(const Trial& trial) {
  const Evaluation& evaluation = trial.evaluation;
  std::string line = fmt::format(
      "{:<12} {:<15} {}", trial.proposal.id, trial.proposal.kind,
      Painter::standard_error().verdict(name_of(evaluation.verdict), evaluation.valid()));
  if (const auto score = score_us(evaluation); score && evaluation.valid()) {
    const bool estimated = evaluation.measurements[0].source == TimeSource::estimated;
    line += fmt::format("  {:.3f} us{}", *score, estimated ? " (estimate)" : "");
    if (const auto gain = speedup(evaluation)) line += fmt::format("  x{:.2f}", *gain);
  } else if (!evaluation.reason.empty()) {
    line += ": " + first_line(evaluation.reason);
  }
  return line;
}

/// Lines for logs; the live line builds on it.
class LineProgress : public search::Observer {
 public:
  /// What a request waits for, such as its next try, is told once.
  void on_state(const SearchState& state) override {
    if (state.note == told_note_) return;
    told_note_ = state.note;
    if (!state.note.empty()) say("model: " + first_line(state.note));
  }
  void on_trial(const Trial& trial, const SearchState&) override { say(trial_line(trial)); }
  void on_event(std::string_view kind, std::string_view text, const SearchState&) override {
    say(fmt::format("{}: {}", kind, first_line(std::string(text))));
  }

 protected:
  virtual void say(const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); }

 private:
  std::string told_note_;
};

/// A search may have nothing to tell for minutes: its clock runs on a thread of its own.
class LiveProgress final : public LineProgress {
 public:
  LiveProgress(const search::StrategyOptions& plan, const Clock& clock)
      : plan_(plan), clock_(clock), ticker_([this](const std::stop_token& stop) { tick(stop); }) {}
  ~LiveProgress() override {
    ticker_.request_stop();
    ticker_.join();
    std::fputs("\r\x1b[K", stderr);
  }

  void on_state(const SearchState& state) override {
    const std::lock_guard lock(mutex_);
    state_ = state;
    told_ = clock_.now();
    if (told_ - drawn_ >= std::chrono::milliseconds(80)) draw();
  }

 protected:
  void say(const std::string& line) override {
    const std::lock_guard lock(mutex_);
    std::fprintf(stderr, "\r\x1b[K%s\n", line.c_str());
    draw();
  }

 private:
  void tick(const std::stop_token& stop) {
    constexpr auto kTick = std::chrono::seconds(1);
    std::unique_lock lock(mutex_);
    while (!ended_.wait_for(lock, stop, kTick, [&] { return stop.stop_requested(); })) draw();
  }

  /// With the lock held.
  void draw() {
    if (!state_) return;
    drawn_ = clock_.now();
    SearchState now = *state_;
    now.elapsed_s += std::chrono::duration<double>(drawn_ - told_).count();
    const std::string line = progress_line(now, plan_).substr(0, terminal_columns() - 1);
    std::fprintf(stderr, "\r\x1b[K%s", line.c_str());
    std::fflush(stderr);
  }

  search::StrategyOptions plan_;
  const Clock& clock_;
  std::mutex mutex_;
  std::condition_variable_any ended_;
  std::optional<SearchState> state_;
  Nanoseconds told_{0};  ///< when the state was
  Nanoseconds drawn_{-1'000'000'000};
  std::jthread ticker_;  ///< last: it uses the others
};

class JsonProgress final : public search::Observer {
 public:
  void on_state(const SearchState& state) override {
    if (state.note == told_note_) return;
    told_note_ = state.note;
    if (!state.note.empty()) emit({{"event", "waiting"}, {"text", state.note}}, state);
  }
  void on_trial(const Trial& trial, const SearchState& state) override {
    nlohmann::json event = {{"event", "trial"},
                            {"trial", trial.proposal.id},
                            {"kind", trial.proposal.kind},
                            {"round", trial.proposal.round},
                            {"verdict", name_of(trial.evaluation.verdict)},
                            {"reason", trial.evaluation.reason}};
    if (const auto score = score_us(trial.evaluation)) event["score_us"] = *score;
    if (const auto gain = speedup(trial.evaluation)) event["speedup"] = *gain;
    emit(std::move(event), state);
  }
  void on_event(std::string_view kind, std::string_view text, const SearchState& state) override {
    emit({{"event", kind}, {"text", text}}, state);
  }

 private:
  static void emit(nlohmann::json event, const SearchState& state) {
    event["tokens"] = state.spent.tokens;
    event["usd"] = usd_json(state.spent);
    event["evaluations"] = state.spent.evaluations;
    event["elapsed_s"] = state.elapsed_s;
    if (state.best_us) event["best_us"] = *state.best_us;
    if (!state.best_trial.empty()) event["best_trial"] = state.best_trial;
    std::printf("%s\n", dump_json(event).c_str());
    std::fflush(stdout);
  }

  std::string told_note_;
};

class QuietProgress final : public search::Observer {
 public:
  void on_state(const SearchState&) override {}
  void on_trial(const Trial&, const SearchState&) override {}
  void on_event(std::string_view, std::string_view, const SearchState&) override {}
};

}  // namespace

std::string money_text(const Cost& spent) {
  if (!spent.unpriced) return fmt::format("${:.4f}", spent.usd);
  if (spent.usd == 0) return "price unknown";
  return fmt::format("${:.4f} and more (price unknown in part)", spent.usd);
}

nlohmann::json usd_json(const Cost& spent) {
  return spent.unpriced ? nlohmann::json() : nlohmann::json(spent.usd);
}

std::string progress_line(const SearchState& state, const search::StrategyOptions& plan) {
  std::string line =
      fmt::format("round {}/{} | {} asked, {} judged, {} done ({} valid)", state.round, plan.depth,
                  state.asking, state.judging + state.to_judge, state.finished, state.valid);
  if (state.waiting > 0) line += fmt::format(", {} waiting", state.waiting);
  if (state.best_us) line += fmt::format(" | best {:.2f} us", *state.best_us);
  if (state.best_speedup) line += fmt::format(" (x{:.2f})", *state.best_speedup);
  line += " | " + tokens_text(state.spent.tokens + state.live_tokens) + " tokens";
  if (state.live_tokens > 0) line += fmt::format(" (+{} now)", tokens_text(state.live_tokens));
  if (state.spent.unpriced) line += ", price unknown";
  if (state.spent.usd > 0) line += fmt::format(", ${:.3f}", state.spent.usd);
  line += " | " + seconds_text(state.elapsed_s);
  // What N x D candidates take at this pace, and never more than the limit leaves. Repairs come on
  // top: it is a guess and says so.
  const int planned = plan.candidates * plan.depth - state.finished;
  if (state.finished > 0 && planned > 0) {
    line +=
        fmt::format(", about {} left", seconds_text(state.elapsed_s / state.finished * planned));
  }
  if (state.limits.wall_s) {
    line += fmt::format(", {} left",
                        seconds_text(std::max(0.0, *state.limits.wall_s - state.elapsed_s)));
  }
  if (!state.note.empty()) line += " | " + state.note;
  return line;
}

std::unique_ptr<search::Observer> make_progress(ProgressMode mode,
                                                const search::StrategyOptions& plan,
                                                const Clock& clock) {
  switch (mode) {
    case ProgressMode::quiet:
      return std::make_unique<QuietProgress>();
    case ProgressMode::json:
      return std::make_unique<JsonProgress>();
    case ProgressMode::lines:
      return std::make_unique<LineProgress>();
    case ProgressMode::automatic:
      break;
  }
  if (::isatty(STDERR_FILENO) != 0) return std::make_unique<LiveProgress>(plan, clock);
  return std::make_unique<LineProgress>();
}

}  // namespace warpwright::cli
