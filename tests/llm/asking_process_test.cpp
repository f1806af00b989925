// SPDX-License-Identifier: Apache-2.0
#include "llm/asking_process.h"

#include <csignal>
#include <filesystem>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>

#include "support/places.h"

namespace warpwright::llm {

namespace fs = std::filesystem;

namespace {
constexpr const char* kQuestion = "Scale a vector.";
}

AskingProcess::AskingProcess(const Asker& asker, const std::string& id) {
  const fs::path prompt = asker.folder() / "prompt.txt";
  EXPECT_TRUE(write_file(prompt, kQuestion).ok());
  std::vector<std::string> argv = {ask_tool_path(),        "ask",
                                   asker.options.spec,     asker.options.base_url,
                                   asker.spool().string(), id};
  std::vector<char*> arguments;
  for (auto& text : argv) arguments.push_back(text.data());
  arguments.push_back(nullptr);
  std::string key = std::string("OPENAI_API_KEY=") + kPlantedKey;
  std::string path = "PATH=/usr/bin:/bin";
  std::string scale = "ASK_TOOL_DELAY_SCALE=" + std::to_string(asker.options.delay_scale);
  char* environment[] = {key.data(), path.data(), scale.data(), nullptr};
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, prompt.c_str(), O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  EXPECT_EQ(::posix_spawn(&pid_, argv[0].c_str(), &actions, nullptr, arguments.data(), environment),
            0);
  ::posix_spawn_file_actions_destroy(&actions);
}

AskingProcess::~AskingProcess() { kill_and_reap(); }

void AskingProcess::signal(int number) const { ::kill(pid_, number); }

void AskingProcess::kill_and_reap() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

std::vector<pid_t> live_couriers() {
  const std::string wanted = ask_tool_path() + '\0' + "courier" + '\0';
  std::vector<pid_t> found;
  std::error_code code;
  for (const auto& entry : fs::directory_iterator("/proc", code)) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    FileDescriptor file(::open((entry.path() / "cmdline").c_str(), O_RDONLY | O_CLOEXEC));
    if (!file.valid()) continue;
    const auto line = read_all(file.get());
    if (line.ok() && *line == wanted) found.push_back(std::stoi(name));
  }
  return found;
}

bool eventually(const std::function<bool()>& condition) {
  for (int i = 0; i < 2000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

void serve_slowly(Asker& asker, int chunk_delay_ms, const std::string& scenario = "slow") {
  // Couriers of an earlier test may still be on their way home.
  EXPECT_TRUE(eventually([] { return live_couriers().empty(); }));
  asker.provider =
      hostile::Provider::start({.scenario = scenario, .chunk_delay_ms = chunk_delay_ms}).value();
  asker.options.base_url = asker.provider->base_url();
  asker.question = {{Role::user, kQuestion}};
}

void expect_one_paid_answer(Asker& asker, const Outcome& outcome) {
  ASSERT_EQ(outcome.kind, OutcomeKind::answered) << outcome.error;
  EXPECT_TRUE(eventually([&] { return asker.provider->paid() == 1; }));
  ASSERT_EQ(asker.provider->requests(), 1);
  EXPECT_EQ(outcome.reply.text, hostile::default_answer(asker.provider->served()[0].body));
}

TEST(KillNine, InMidStreamTheCourierFinishesAndTheNextProcessWaitsForIt) {
  Asker asker;
  serve_slowly(asker, 80);
  AskingProcess process(asker, "a");
  ASSERT_TRUE(eventually([&] { return asker.provider->requests() == 1; }));
  process.kill_and_reap();
  EXPECT_EQ(asker.provider->paid(), 0);
  const Outcome outcome = asker.ask("a");
  EXPECT_THAT(asker.notes, Contains(HasSubstr("already under way")));
  expect_one_paid_answer(asker, outcome);
}

TEST(KillNine, JustAfterCompletionTheAnswerIsFound) {
  Asker asker;
  serve_slowly(asker, 5);
  AskingProcess process(asker, "a");
  ASSERT_TRUE(eventually([&] { return asker.provider->requests() == 1; }));
  process.signal(SIGSTOP);  // it never gets to see the answer
  ASSERT_TRUE(eventually([&] { return fs::exists(asker.spool() / "a.json"); }));
  process.kill_and_reap();
  expect_one_paid_answer(asker, asker.ask("a"));
}

TEST(KillNine, AtAnyMomentEachQuestionIsPaidOnce) {
  Asker asker;
  serve_slowly(asker, 6);
  constexpr int kQuestions = 12;
  for (int i = 0; i < kQuestions; ++i) {
    const std::string id = "q" + std::to_string(i);
    AskingProcess process(asker, id);
    std::this_thread::sleep_for(std::chrono::milliseconds(10 * i));
    process.kill_and_reap();
    const Outcome outcome = asker.ask(id);
    EXPECT_EQ(outcome.kind, OutcomeKind::answered) << outcome.error;
  }
  EXPECT_TRUE(eventually([] { return live_couriers().empty(); }));
  EXPECT_EQ(asker.provider->paid(), kQuestions);
  EXPECT_EQ(asker.provider->requests(), kQuestions);
}

TEST(KillNine, WhileWaitingToTryAgainNothingIsSentAnyMore) {
  Asker asker;
  asker.serve("429_after,answer");
  asker.options.delay_scale = 100;  // the courier would wait for minutes
  AskingProcess process(asker, "a");
  ASSERT_TRUE(eventually([&] { return asker.provider->served().size() == 1; }));
  process.kill_and_reap();
  EXPECT_TRUE(eventually([&] { return live_couriers().empty(); }));
  EXPECT_EQ(asker.provider->requests(), 1);
  EXPECT_EQ(asker.ask("a").kind, OutcomeKind::answered);
  EXPECT_EQ(asker.provider->paid(), 1);
}

TEST(KillNine, OfTheCourierItselfIsReportedAsAPossibleLoss) {
  Asker asker;
  serve_slowly(asker, 100, "slow,answer");
  std::thread killer([&] {
    ASSERT_TRUE(eventually([&] { return asker.provider->requests() == 1; }));
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
    const auto couriers = live_couriers();
    ASSERT_EQ(couriers.size(), 1U);
    ::kill(couriers[0], SIGKILL);
  });
  const Outcome outcome = asker.ask("a");
  killer.join();
  EXPECT_EQ(outcome.kind, OutcomeKind::failed);
  EXPECT_TRUE(outcome.retry);
  EXPECT_GT(outcome.wasted.fresh, 0);
  EXPECT_EQ(asker.ask("a").kind, OutcomeKind::answered);
}

TEST(Courier, HasASessionOfItsOwnAndNoSignalOfOursReachesIt) {
  Asker asker;
  serve_slowly(asker, 60);
  AskingProcess process(asker, "a");
  ASSERT_TRUE(eventually([&] { return asker.provider->requests() == 1; }));
  const auto couriers = live_couriers();
  ASSERT_EQ(couriers.size(), 1U);
  EXPECT_NE(::getsid(couriers[0]), ::getsid(process.pid()));
  EXPECT_NE(::getpgid(couriers[0]), ::getpgid(process.pid()));
}

TEST(Courier, TwoProcessesWithTheSameQuestionShareOneRequest) {
  Asker asker;
  serve_slowly(asker, 10);
  AskingProcess first(asker, "a");
  AskingProcess second(asker, "a");
  expect_one_paid_answer(asker, asker.ask("a"));
}

TEST(Courier, AStopLeavesThePaidRequestRunning) {
  Asker asker;
  serve_slowly(asker, 60);
  std::thread stopper([&] {
    eventually([&] { return asker.provider->requests() == 1; });
    asker.stop.request(StopReason::interrupted);
  });
  const auto start = std::chrono::steady_clock::now();
  const Outcome outcome = asker.ask("a");
  stopper.join();
  EXPECT_EQ(outcome.kind, OutcomeKind::failed);
  EXPECT_EQ(outcome.error, "stopped");
  EXPECT_FALSE(outcome.retry);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  ASSERT_TRUE(eventually([&] { return fs::exists(asker.spool() / "a.json"); }));
  const StopSignal fresh;
  expect_one_paid_answer(asker,
                         asker.model()->ask({.id = "a", .messages = asker.question}, {}, fresh));
}

TEST(Courier, RequestsAtOnceAreLimited) {
  Asker asker;
  asker.options.concurrency = 2;
  serve_slowly(asker, 15);
  const auto model = asker.model();
  std::vector<std::thread> threads;
  std::atomic<int> answers{0};
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([&, i] {
      const auto outcome =
          model->ask({.id = "q" + std::to_string(i), .messages = asker.question}, {}, asker.stop);
      if (outcome.kind == OutcomeKind::answered) ++answers;
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(answers, 6);
  EXPECT_EQ(asker.provider->most_at_once(), 2);
}

TEST(Courier, ARateLimitSeenByOneHoldsBackTheOthers) {
  Asker asker;
  asker.serve("429_after,answer");
  asker.options.delay_scale = 0.4;  // "Retry-After: 2" is 800 ms
  const auto model = asker.model();
  std::atomic<bool> limited{false};
  std::thread first([&] {
    const auto outcome = model->ask(
        {.id = "a", .messages = asker.question},
        [&](const Progress& now) { limited = limited || !now.note.empty(); }, asker.stop);
    EXPECT_EQ(outcome.kind, OutcomeKind::answered) << outcome.error;
  });
  ASSERT_TRUE(eventually([&] { return limited.load(); }));
  std::string note;
  const auto outcome = model->ask(
      {.id = "b", .messages = asker.question},
      [&](const Progress& now) {
        if (note.empty()) note = now.note;
      },
      asker.stop);
  first.join();
  EXPECT_EQ(outcome.kind, OutcomeKind::answered) << outcome.error;
  EXPECT_EQ(note, "waiting 1 s: rate limit");
}

/// A clock that the test moves.
class ManualClock final : public Clock {
 public:
  [[nodiscard]] Nanoseconds now() const override { return Nanoseconds(now_.load()); }
  [[nodiscard]] std::int64_t unix_ms() const override { return 0; }
  void advance(Nanoseconds by) { now_ += by.count(); }

 private:
  std::atomic<std::int64_t> now_{0};
};

TEST(Courier, RequestsPerMinuteAreKept) {
  ManualClock clock;
  Asker asker;
  asker.serve("answer");
  asker.clock = &clock;
  asker.options.requests_per_minute = 1;
  const auto model = asker.model();
  EXPECT_EQ(model->ask({.id = "a"}, {}, asker.stop).kind, OutcomeKind::answered);
  std::atomic<bool> waiting{false};
  std::thread second([&] {
    const auto outcome = model->ask(
        {.id = "b"}, [&](const Progress& now) { waiting = waiting || !now.note.empty(); },
        asker.stop);
    EXPECT_EQ(outcome.kind, OutcomeKind::answered);
  });
  ASSERT_TRUE(eventually([&] { return waiting.load(); }));
  EXPECT_EQ(asker.provider->requests(), 1);
  clock.advance(std::chrono::seconds(61));
  second.join();
  EXPECT_EQ(asker.provider->requests(), 2);
}

TEST(Courier, AMissingProgramIsAnErrorNotAHang) {
  Asker asker;
  asker.serve("answer");
  auto environment = asker.environment();
  environment.courier = {"/nonexistent/courier"};
  const auto model = make_model(asker.options, environment);
  ASSERT_TRUE(model.ok());
  EXPECT_THAT((*model)->ask({.id = "a"}, {}, asker.stop).error, HasSubstr("/nonexistent/courier"));
  environment.courier = {"/bin/true"};
  const auto silent = make_model(asker.options, environment);
  EXPECT_EQ((*silent)->ask({.id = "a"}, {}, asker.stop).kind, OutcomeKind::failed);
}

/// Asks; gives up after some seconds, with the error "stopped".
Outcome ask_with_patience(Model& model, Asker& asker) {
  std::atomic<bool> over{false};
  std::thread watchdog([&] {
    for (int i = 0; i < 500 && !over; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    asker.stop.request(StopReason::interrupted);
  });
  Outcome outcome = model.ask({.id = "a", .messages = asker.question}, {}, asker.stop);
  over = true;
  watchdog.join();
  return outcome;
}

TEST(Courier, ASpoolThatCannotBeUsedIsAnErrorNotAHang) {
  Asker asker;
  asker.serve("answer");
  const auto model = asker.model();
  fs::remove_all(asker.spool());
  const Outcome outcome = ask_with_patience(*model, asker);
  EXPECT_EQ(outcome.kind, OutcomeKind::failed);
  EXPECT_FALSE(outcome.retry);
  EXPECT_THAT(outcome.error, HasSubstr("the spool cannot be used"));
  EXPECT_THAT(outcome.error, HasSubstr("a.lock"));
  EXPECT_EQ(asker.provider->requests(), 0);
}

TEST(Courier, NothingIsAskedWhereTheAnswerHasNoRoom) {
  Asker asker;
  asker.serve("answer");
  auto environment = asker.environment();
  // Files of no more than 4 KiB: an answer may be longer.
  environment.courier = {"/bin/sh", "-c", "trap '' XFSZ; ulimit -f 8; exec \"$0\" courier",
                         ask_tool_path()};
  const auto model = std::move(make_model(asker.options, environment)).value();
  const Outcome outcome = ask_with_patience(*model, asker);
  EXPECT_EQ(outcome.kind, OutcomeKind::failed);
  EXPECT_FALSE(outcome.retry);
  EXPECT_THAT(outcome.error, HasSubstr("no room for"));
  EXPECT_EQ(outcome.wasted.total(), 0);
  EXPECT_EQ(asker.provider->requests(), 0);
  EXPECT_FALSE(fs::exists(asker.spool() / "a.json.part"));
}

// The key: in no file, no error, no argument vector, no environment.

std::string everything_in(const fs::path& folder) {
  std::string all;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    all += entry.path().string() + "\n";
    if (entry.is_regular_file()) all += read_file(entry.path()).value();
  }
  return all;
}

TEST(Key, IsInNoChildsEnvironmentOrArguments) {
  Asker asker;
  serve_slowly(asker, 80);
  AskingProcess process(asker, "a");
  ASSERT_TRUE(eventually([&] { return asker.provider->requests() == 1; }));
  const auto couriers = live_couriers();
  ASSERT_FALSE(couriers.empty());
  for (const pid_t pid : couriers) {
    for (const char* name : {"cmdline", "environ"}) {
      const std::string path = "/proc/" + std::to_string(pid) + "/" + name;
      FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
      // A courier is closed to others of the same user; only root may look.
      if (!file.valid() && std::string_view(name) == "environ") continue;
      const auto text = read_all(file.get());
      ASSERT_TRUE(text.ok()) << path;
      EXPECT_THAT(*text, Not(HasSubstr(kPlantedKey))) << path;
    }
  }
  ASSERT_TRUE(eventually([&] { return fs::exists(asker.spool() / "a.json"); }));
  EXPECT_EQ(asker.provider->served().at(0).key, kPlantedKey) << "the provider did get it";
  EXPECT_THAT(everything_in(asker.folder()), Not(HasSubstr(kPlantedKey)));
}

TEST(Key, IsInNoFileAndNoErrorEvenWhenTheProviderEchoesIt) {
  for (const char* spec : {"openai:m", "anthropic:m"}) {
    Asker asker;
    asker.options.spec = spec;
    asker.serve("401_key_echo,key_in_answer");
    const Outcome refused = asker.ask("a");
    EXPECT_THAT(refused.error, HasSubstr("[key]"));
    EXPECT_THAT(refused.error, Not(HasSubstr(kPlantedKey)));
    const Outcome answered = asker.ask("b");
    ASSERT_EQ(answered.kind, OutcomeKind::answered);
    EXPECT_EQ(answered.reply.text, "your key is [key], isn't it");
    EXPECT_THAT(everything_in(asker.folder()), Not(HasSubstr(kPlantedKey)));
  }
}

}  // namespace
}  // namespace warpwright::llm
