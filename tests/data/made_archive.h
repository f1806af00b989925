// SPDX-License-Identifier: Apache-2.0
// Archives of made-up answers, and a judge whose verdicts are a function of the source.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/sha256.h"
#include "core/task_json.h"
#include "data/catalogue.h"
#include "prompt/extract.h"
#include "store/archive.h"
#include "store/run_log.h"
#include "suite/load.h"

namespace warpwright::data {

/// "ok 40": right in 40 us; any other first word is the verdict's name.
inline std::string made_answer(const std::string& says, const std::string& salt) {
  return "A plan for " + salt + ".\n\n```cuda\n// judged: " + says + "\n__global__ void k_" + salt +
         "(float* out) { out[threadIdx.x] = " + salt.substr(salt.find_first_of("0123456789")) +
         "; }\nextern \"C\" void solve(float* out) { k_" + salt + "<<<1, 32>>>(out); }\n```\n";
}

inline Evaluation made_verdict(const std::string& source) {
  Evaluation evaluation;
  evaluation.device = "made up";
  const std::string mark = "// judged: ";
  const auto at = source.find(mark);
  const std::string says =
      at == std::string::npos
          ? ""
          : source.substr(at + mark.size(), source.find('\n', at) - at - mark.size());
  const std::string word = says.substr(0, says.find(' '));
  evaluation.verdict = verdict_named(word).value_or(Verdict::mismatch);
  evaluation.stage = evaluation.valid() ? Stage::measure : Stage::validate;
  evaluation.seed = "7";
  if (!evaluation.valid()) return evaluation;
  const double us = std::stod(says.substr(says.find(' ')));
  evaluation.measurements.push_back(
      {"N", TimeSource::estimated, us, us * 0.99, us * 1.01, 30, 1.0, 100});
  return evaluation;
}

struct MadeAnswer {
  std::string trial;
  std::string answer;
  std::string reasoning = {};
  std::string parent = {};
  bool stored = true;  ///< with its verdict
  std::string origin = "model";
};

class MadeArchive {
 public:
  MadeArchive() : folder_(std::move(TemporaryDirectory::create("ww-data-")).value()) {
    archive_ = std::move(store::Archive::open(path(), clock_)).value();
    ledger_ = std::move(store::Ledger::open(folder_.path() / "ledger.db", clock_)).value();
  }

  [[nodiscard]] std::filesystem::path folder() const { return folder_.path(); }
  [[nodiscard]] std::filesystem::path path() const { return folder_.path() / "archive.db"; }

  void add_run(const std::string& task_name, const std::vector<MadeAnswer>& answers,
               const std::string& prompt = "Write it.") {
    const Task task = suite::load_embedded_task(task_name).value();
    store::RunRecord run;
    run.task = task_name;
    run.task_json = task_to_json(task);
    const std::string id = archive_->create_run(run, {}).value();
    store::RunLog log(*archive_, id);
    ASSERT_TRUE(log.begin().ok());
    int slot = 0;
    for (const MadeAnswer& made : answers) {
      store::PromptRecord question{
          made.trial, 1, ++slot, 0, "initial", made.parent, {{0, "Be brief."}, {1, prompt}}};
      ASSERT_TRUE(log.remember_prompt(question).ok());
      store::ReplyRecord reply;
      reply.text = made.answer;
      reply.reasoning = made.reasoning;
      reply.model = "made up";
      reply.origin = made.origin;
      reply.finish_reason = "stop";
      ASSERT_TRUE(log.add_reply(made.trial, reply).ok());
      const auto found = prompt::extract_source(made.answer, "stop");
      ASSERT_TRUE(log.add_candidate(made.trial, {found.ok ? found.source : "", found.reason}).ok());
      if (!made.stored || !found.ok) continue;
      const std::string hash = sha256_hex(found.source);
      if (!log.evaluation(hash).value()) {
        ASSERT_TRUE(log.add_evaluation(hash, made_verdict(found.source)).ok());
      }
    }
    ASSERT_TRUE(log.commit().ok());
  }

  Judging judging() {
    return {[this](const JudgeWish& wish, const StopSignal&) -> Result<Evaluation> {
              ++judged;
              return made_verdict(wish.source);
            },
            2, ledger_.get(), "made up", &stop_};
  }

  static FindTask find_task() {
    return [](const std::string& name) -> std::shared_ptr<const Task> {
      auto task = suite::load_embedded_task(name);
      return task.ok() ? std::make_shared<const Task>(std::move(task).value()) : nullptr;
    };
  }

  Catalogue catalogue(const Judging* judging = nullptr) {
    auto sources = open_sources({path().string()}, clock_, find_task());
    EXPECT_TRUE(sources.ok());
    auto made = make_catalogue(std::move(sources).value(), {RewardRule{}, judging});
    EXPECT_TRUE(made.ok());
    return std::move(made).value();
  }

  std::atomic<int> judged{0};

 private:
  SystemClock clock_;
  StopSignal stop_;
  TemporaryDirectory folder_;
  std::unique_ptr<store::Archive> archive_;
  std::unique_ptr<store::Ledger> ledger_;
};

inline std::vector<nlohmann::json> rows_of(const std::filesystem::path& file) {
  std::vector<nlohmann::json> rows;
  const std::string text = read_file(file).value();
  std::size_t from = 0;
  while (from < text.size()) {
    const auto end = text.find('\n', from);
    rows.push_back(nlohmann::json::parse(text.substr(from, end - from)));
    from = end + 1;
  }
  return rows;
}

}  // namespace warpwright::data
