// SPDX-License-Identifier: Apache-2.0
// kill -9 at random moments: every resume ends in the archive of the undisturbed run, no answer is
// lost, nothing is paid twice. WARPWRIGHT_KILLS sets the number of moments (bench/kill_moments
// runs 200), WARPWRIGHT_KILL_SEED their choice.
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <random>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program.h"
#include "support/hostile_provider.h"
#include "support/places.h"

namespace warpwright::cli {
namespace {

int number_from(const char* variable, int otherwise) {
  const char* text = std::getenv(variable);
  return text != nullptr ? std::atoi(text) : otherwise;
}

const std::vector<std::string> kSearch = {
    "-n", "3", "-d", "3", "--repairs", "2", "--stop-at-roofline", "0", "-q"};

std::vector<std::string> joined(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// One way to drive a run. start() may be repeated after a kill: it resumes what there is.
class Way {
 public:
  virtual ~Way() = default;
  /// The commands that bring the run one step further; empty when it is finished.
  virtual std::vector<std::string> next_command() = 0;
  /// Answers paid for so far, or -1.
  virtual int paid() { return -1; }
  Program program;

 protected:
  [[nodiscard]] bool has_run() {
    if (!std::filesystem::exists(program.archive())) return false;
    return program.run({"runs"}).out.find("transpose-1") != std::string::npos;
  }
  bool finished() { return program.run({"runs"}).out.find("finished") != std::string::npos; }
};

class ByReplay final : public Way {
 public:
  ByReplay() {
    std::string lines;
    for (int round = 1; round <= 3; ++round) {
      for (int slot = 1; slot <= 3; ++slot) {
        for (const char* fix : {"", ".fix1", ".fix2"}) {
          const std::string id = "r" + std::to_string(round) + ".c" + std::to_string(slot) + fix;
          lines += dump_json({{"id", id}, {"text", answer("replay " + id)}}) + "\n";
        }
      }
    }
    program.write("talk/conversation.jsonl", lines);
  }
  std::vector<std::string> next_command() override {
    if (!has_run()) {
      return joined({"run", "transpose", "--model", "replay:talk", "--worker", fake_worker_path()},
                    kSearch);
    }
    return finished() ? std::vector<std::string>{}
                      : std::vector<std::string>{"resume", "last", "-q"};
  }
};

/// A provider on loopback. The slow act makes sure that kills hit requests in flight.
class ByProvider final : public Way {
 public:
  ByProvider() {
    hostile::Options options;
    options.scenario = "slow,answer,answer,slow,answer,slow";
    options.chunk_delay_ms = 10;
    provider_ = std::move(hostile::Provider::start(options)).value();
    program.environment.emplace_back("OPENAI_API_KEY=sk-test");
  }
  std::vector<std::string> next_command() override {
    if (!has_run()) {
      return joined({"run", "transpose", "--model", "openai:m", "--base-url", provider_->base_url(),
                     "--worker", fake_worker_path()},
                    kSearch);
    }
    return finished() ? std::vector<std::string>{}
                      : std::vector<std::string>{"resume", "last", "-q"};
  }
  int paid() override { return provider_->paid(); }

 private:
  std::unique_ptr<hostile::Provider> provider_;
};

/// By hand: each question is answered through tell, each answer judged through resume.
class ByHand final : public Way {
 public:
  std::vector<std::string> next_command() override {
    if (!has_run()) {
      return joined({"run", "transpose", "--model", "inbox", "--worker", fake_worker_path()},
                    kSearch);
    }
    if (finished()) return {};
    const auto asked =
        nlohmann::json::parse(program.run({"ask", "last", "--json"}).out, nullptr, false);
    if (asked.is_array() && !asked.empty() && !resumed_last_) {
      const std::string id = asked[0]["id"];
      program.write("answer.md", answer("by hand " + id));
      resumed_last_ = asked.size() % 2 == 0;  // sometimes resume with questions still open
      return {"tell", "last", id, "answer.md"};
    }
    resumed_last_ = false;
    return {"resume", "last", "-q"};
  }

 private:
  bool resumed_last_ = false;
};

template <class Kind>
struct Undisturbed {
  std::string story;
  int paid = -1;
  double seconds_per_step = 0;
};

template <class Kind>
Undisturbed<Kind> run_undisturbed() {
  Kind way;
  double seconds = 0;
  int steps = 0;
  for (; steps < 200; ++steps) {
    const auto command = way.next_command();
    if (command.empty()) break;
    seconds += way.program.run(command).wall_s;
  }
  return {story(way.program.archive(), "last"), way.paid(), seconds / steps};
}

/// Runs the command and kills it after `delay`; true when the kill hit it alive.
bool run_and_kill(Program& program, const std::vector<std::string>& arguments,
                  std::chrono::microseconds delay) {
  Command command = program.command(arguments);
  StopSignal kill;
  std::mutex mutex;
  std::condition_variable ended;
  bool over = false;
  std::thread killer([&] {
    std::unique_lock lock(mutex);
    // run_process answers a stop with SIGKILL to the group.
    if (!ended.wait_for(lock, delay, [&] { return over; })) kill.request(StopReason::interrupted);
  });
  const auto exit = run_process(command, &kill);
  {
    const std::lock_guard lock(mutex);
    over = true;
  }
  ended.notify_all();
  killer.join();
  EXPECT_TRUE(exit.ok());
  return exit.ok() && exit->stopped;
}

template <class Kind>
int disturb(const Undisturbed<Kind>& expected, std::mt19937& random) {
  Kind way;
  int hits = 0;
  const double longest_us = std::max(5'000.0, expected.seconds_per_step * 0.9e6);
  for (int step = 0; step < 400; ++step) {
    const auto command = way.next_command();
    if (command.empty()) break;
    // Up to four kills per run, at any moment of it; then let it end.
    if (hits < 4) {
      const auto delay = std::chrono::microseconds(
          static_cast<int>(std::uniform_real_distribution<>(1000, longest_us)(random)));
      if (run_and_kill(way.program, command, delay)) ++hits;
    } else {
      way.program.run(command);
    }
  }
  EXPECT_EQ(story(way.program.archive(), "last"), expected.story);
  EXPECT_EQ(way.paid(), expected.paid);
  return hits;
}

template <class Kind>
int disturb_until(int kills, std::mt19937& random) {
  const auto expected = run_undisturbed<Kind>();
  EXPECT_THAT(expected.story, testing::HasSubstr("finished"));
  int hits = 0;
  for (int run = 0; hits < kills && run < kills * 3; ++run) hits += disturb<Kind>(expected, random);
  EXPECT_GE(hits, kills);
  return hits;
}

TEST(Kill, AnyMomentOfAReplayedRun) {
  std::mt19937 random(static_cast<unsigned>(number_from("WARPWRIGHT_KILL_SEED", 20261115)));
  const int kills = number_from("WARPWRIGHT_KILLS", 12);
  std::printf("%d kills of replayed runs\n", disturb_until<ByReplay>(kills / 3, random));
}

TEST(Kill, AnyMomentWithAProviderAndNothingIsPaidTwice) {
  std::mt19937 random(static_cast<unsigned>(number_from("WARPWRIGHT_KILL_SEED", 20261115)) + 1);
  const int kills = number_from("WARPWRIGHT_KILLS", 12);
  std::printf("%d kills of runs with a provider\n",
              disturb_until<ByProvider>(kills - 2 * (kills / 3), random));
}

TEST(Kill, AnyMomentOfAskAndTell) {
  std::mt19937 random(static_cast<unsigned>(number_from("WARPWRIGHT_KILL_SEED", 20261115)) + 2);
  const int kills = number_from("WARPWRIGHT_KILLS", 12);
  std::printf("%d kills of runs by ask and tell\n", disturb_until<ByHand>(kills / 3, random));
}

}  // namespace
}  // namespace warpwright::cli
