// SPDX-License-Identifier: Apache-2.0
// Whole runs against a provider that misbehaves: the right end, and budgets that hold.
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program.h"
#include "support/hostile_provider.h"
#include "support/places.h"
#include "support/share.h"

namespace warpwright::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kKey = "sk-planted-7f3a9c51e2";

struct Scene {
  Program program;
  std::unique_ptr<hostile::Provider> provider;

  explicit Scene(const std::string& scenario) {
    hostile::Options options;
    options.scenario = scenario;
    provider = std::move(hostile::Provider::start(options)).value();
    program.environment.push_back(std::string("OPENAI_API_KEY=") + kKey);
  }

  ProcessExit search(std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {"run",
                                          "transpose",
                                          "--model",
                                          "openai:m",
                                          "--base-url",
                                          provider->base_url(),
                                          "--worker",
                                          fake_worker_path(),
                                          "--delay-scale",
                                          "0.01",
                                          "--idle-timeout",
                                          "1s",
                                          "--tries",
                                          "3",
                                          "-n",
                                          "2",
                                          "-d",
                                          "2",
                                          "--repairs",
                                          "1",
                                          "--stop-at-roofline",
                                          "0"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return program.run(arguments);
  }
};

TEST(Provider, SearchesEndRightWhateverTheProviderDoes) {
  // Each is followed by good answers: the search must get over it and end with a result.
  for (const char* trouble :
       {"429",          "429_after",     "500",          "503",          "529",   "cut",
        "invalid_json", "empty_choices", "empty_answer", "stream_error", "close", "missing_usage",
        "text_plain",   "many_choices",  "slow",         "bad_utf8",     "huge",  "hang",
        "stall",        "endless_body",  "length"}) {
    if (!in_this_run(trouble, 3)) continue;
    SCOPED_TRACE(trouble);
    Scene scene(std::string(trouble) + ",answer");
    const auto exit = scene.search();
    EXPECT_LE(exit.exit_code, 1) << exit.err;
    EXPECT_THAT(scene.program.run({"show", "last"}).out, HasSubstr("finished"));
  }
}

TEST(Provider, HopelessProvidersEndTheRunWithTheReason) {
  struct Hopeless {
    const char* scenario;
    const char* said;
  };
  for (const auto& [scenario, said] :
       {Hopeless{"401_key_echo", "Incorrect API key"}, Hopeless{"402", "insufficient balance"},
        Hopeless{"404", "check the model's name"}, Hopeless{"400", "unknown parameter"}}) {
    SCOPED_TRACE(scenario);
    Scene scene(scenario);
    const auto exit = scene.search();
    EXPECT_EQ(exit.exit_code, 2);
    EXPECT_THAT(exit.err, HasSubstr(said));
    EXPECT_THAT(exit.out, HasSubstr("Go on with: warpwright resume transpose-1"));
    EXPECT_THAT(exit.err + exit.out, Not(HasSubstr(kKey)));
  }
}

TEST(Provider, AProviderThatNeverAnswersLeavesARunThatCanGoOn) {
  Scene scene("500");
  const auto exit = scene.search({"--repairs", "0"});
  EXPECT_EQ(exit.exit_code, 2) << exit.out;
  EXPECT_THAT(exit.out + exit.err, HasSubstr("'resume' asks again"));
}

/// A field of the last event.
double ending(const std::string& json_lines, const char* field) {
  if (json_lines.size() < 2) return -1;
  const auto from = json_lines.rfind('\n', json_lines.size() - 2);
  const auto end = nlohmann::json::parse(
      json_lines.substr(from == std::string::npos ? 0 : from + 1), nullptr, false);
  return end.is_object() && end.contains(field) ? end[field].get<double>() : -1;
}

TEST(Provider, ARunNeverTakesTheAnswersOfAnotherOfTheSameName) {
  Scene scene("answer");
  EXPECT_LE(scene.search({"--archive", "a.db"}).exit_code, 1);
  const int paid = scene.provider->paid();
  EXPECT_GT(paid, 0);
  // Beside it, and in its place after it was deleted.
  EXPECT_LE(scene.search({"--archive", "b.db"}).exit_code, 1);
  EXPECT_EQ(scene.provider->paid(), 2 * paid);
  for (const char* name : {"a.db", "a.db-wal", "a.db-shm"}) {
    std::filesystem::remove(scene.program.folder() / name);
  }
  EXPECT_LE(scene.search({"--archive", "a.db"}).exit_code, 1);
  EXPECT_EQ(scene.provider->paid(), 3 * paid);
}

TEST(Provider, TokenBudgetsHoldToTheToken) {
  // Every answer costs 180 tokens, a cut one what came of it; the longest allowed answer is 1000.
  for (const char* scenario : {"answer", "answer,cut", "cut,answer,answer", "missing_usage"}) {
    SCOPED_TRACE(scenario);
    for (const int budget : {12000, 20000}) {
      Scene scene(scenario);
      const auto exit =
          scene.search({"--budget-tokens", std::to_string(budget), "--max-output-tokens", "1000",
                        "-n", "4", "-d", "50", "--repairs", "50", "--json"});
      const double spent = ending(exit.out, "tokens");
      EXPECT_GT(spent, 0) << exit.out << exit.err;
      EXPECT_LE(spent, budget);
      EXPECT_THAT(exit.out, HasSubstr("limit of " + std::to_string(budget) + " tokens"));
    }
  }
}

TEST(Provider, NoAnswerIsBoughtThatMayNotBeJudged) {
  Scene scene("answer");
  const auto exit =
      scene.search({"--budget-evaluations", "3", "-n", "1", "-d", "9", "--repairs", "9"});
  EXPECT_THAT(exit.out, HasSubstr("limit of 3 evaluations")) << exit.err;
  EXPECT_EQ(scene.provider->paid(), 3);
}

TEST(Provider, MoneyIsCountedFromThePriceTableOfTheUser) {
  Scene scene("answer");
  scene.program.write("warpwright.toml", "[prices]\n\"openai:m\" = [1000, 100, 1000, 10000]\n");
  const auto exit = scene.search({"--json", "--budget-usd", "5000", "-d", "1"});
  // Two equal answers of 100 fresh, 20 cached and 60 written tokens.
  EXPECT_NEAR(ending(exit.out, "usd"),
              ending(exit.out, "trials") * (100e3 + 20 * 100 + 60 * 10e3) / 1e6, 1e-9)
      << exit.out << exit.err;
}

nlohmann::json last_event(const std::string& json_lines) {
  const auto from = json_lines.rfind('\n', json_lines.size() - 2);
  return nlohmann::json::parse(json_lines.substr(from == std::string::npos ? 0 : from + 1));
}

TEST(Provider, AnUnknownPriceIsNeverReportedAsNothing) {
  Scene scene("answer");
  const auto exit = scene.search({"-d", "1"});
  EXPECT_THAT(exit.err, HasSubstr("The price of 'openai:m' is not known"));
  EXPECT_THAT(exit.out, HasSubstr("tokens, price unknown;"));
  EXPECT_THAT(exit.out, Not(HasSubstr("$0")));
  const auto again = scene.program.run({"resume", "last", "--json"});
  EXPECT_TRUE(last_event(again.out)["usd"].is_null()) << again.out;
  const auto shown = nlohmann::json::parse(scene.program.run({"show", "last", "--json"}).out);
  EXPECT_TRUE(shown["trials"][0]["reply"]["cost_usd"].is_null());
  scene.program.run({"report", "last", "-o", "page.html"});
  EXPECT_THAT(read_file(scene.program.folder() / "page.html").value(), HasSubstr("\"usd\":null"));
  // An answer that was told, replayed or made here has a price: none.
  EXPECT_EQ(last_event(scene.search({"-m", "ollama:m", "--json"}).out)["usd"], 0);
}

TEST(Provider, AResumedRunFindsPricesWhereItTellsUsersToStateThem) {
  Scene scene("answer");
  EXPECT_LE(scene.search({"-d", "1"}).exit_code, 1);
  const auto refused = scene.program.run({"resume", "last", "--budget-usd", "5000", "-d", "2"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("state it in warpwright.toml"));
  scene.program.write("warpwright.toml", "[prices]\n\"openai:m\" = [1000, 100, 1000, 10000]\n");
  const auto exit =
      scene.program.run({"resume", "last", "--budget-usd", "5000", "-d", "2", "--json"});
  EXPECT_LE(exit.exit_code, 1) << exit.err;
  // Also those that were answered before the price was known, each in 180 tokens.
  EXPECT_NEAR(ending(exit.out, "usd"),
              ending(exit.out, "tokens") / 180 * (100e3 + 20 * 100 + 60 * 10e3) / 1e6, 1e-9)
      << exit.out << exit.err;
  const auto shown = nlohmann::json::parse(scene.program.run({"show", "last", "--json"}).out);
  EXPECT_GT(shown["trials"][0]["reply"]["cost_usd"].get<double>(), 0);
}

/// Every byte of every file below the folder.
std::string everything_below(const std::filesystem::path& folder) {
  std::string text;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    text.append(std::istreambuf_iterator<char>(file), {});
  }
  return text;
}

TEST(KeyLeak, APlantedKeyIsNowhere) {
  Scene scene("401_key_echo,answer");
  std::string printed;
  const auto first = scene.search();  // the provider echoes the key in its error
  const auto second = scene.program.run({"resume", "last"});
  printed += first.out + first.err + second.out + second.err;
  EXPECT_LE(second.exit_code, 1) << second.err;
  printed += scene.program.run({"show", "last", "--json"}).out;
  printed += scene.program.run({"doctor"}).out;
  scene.program.run({"export", "last", "-o", "out"});
  EXPECT_EQ(scene.provider->served().back().key, kKey);  // it did reach the provider
  EXPECT_THAT(printed, Not(HasSubstr(kKey)));
  const std::string files = everything_below(scene.program.folder());
  EXPECT_GT(files.size(), 10'000u);
  EXPECT_THAT(files, HasSubstr("PATH="));  // the worker's environment was written down
  EXPECT_EQ(files.find(kKey), std::string::npos);
}

TEST(KeyLeak, AnExecProgramSeesNoKey) {
  Scene scene("answer");
  scene.program.environment.emplace_back("MY_SECRET_TOKEN=hush-hush-451");
  scene.program.write("model.sh", "#!/bin/sh\nenv > env_seen.txt\ncat > /dev/null\nenv\n");
  std::filesystem::permissions(scene.program.folder() / "model.sh",
                               std::filesystem::perms::owner_all);
  scene.program.run({"run", "transpose", "--model", "exec:./model.sh", "-n", "1", "-d", "1",
                     "--repairs", "0", "--worker", fake_worker_path()});
  const std::string files = everything_below(scene.program.folder());
  EXPECT_THAT(files, HasSubstr("PATH="));
  EXPECT_EQ(files.find(kKey), std::string::npos);
  EXPECT_EQ(files.find("hush-hush"), std::string::npos);
}

}  // namespace
}  // namespace warpwright::cli
