// SPDX-License-Identifier: Apache-2.0
#include "cli/flops_score.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/files.h"
#include "base/process.h"
#include "base/stop.h"
#include "cli/session.h"
#include "cli/verbs.h"
#include "core/json_reader.h"
#include "llm/make_model.h"

namespace warpwright::cli {

namespace {

using ScoreJson = nlohmann::ordered_json;

ScoreJson number_json(const std::optional<double>& value) {
  return value ? ScoreJson(*value) : ScoreJson(nullptr);
}

ScoreJson score_json(const flop::Score& score) {
  return {{"questions", score.questions},
          {"answered", score.answered},
          {"within_1", score.within_1},
          {"within_10", score.within_10},
          {"within_100", score.within_100},
          {"mcc", score.mcc},
          {"male", score.male}};
}

struct Both {
  flop::Score sp, dp;
};

Both scores_of(const std::vector<flop::Question>& questions, const Examined& examined) {
  std::vector<flop::Pair> sp, dp;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    sp.push_back({examined.answers[i].sp, questions[i].truth.sp});
    dp.push_back({examined.answers[i].dp, questions[i].truth.dp});
  }
  return {flop::score_of(sp), flop::score_of(dp)};
}

std::string score_line(std::string_view name, const flop::Score& score) {
  return fmt::format(
      "{}  answered {} of {}  within 1 % {:.1f}  10 % {:.1f}  100 % {:.1f}  MCC {:.3f}  MALE "
      "{:.4f}\n",
      name, score.answered, score.questions, score.within_1, score.within_10, score.within_100,
      score.mcc, score.male);
}

}  // namespace

Result<Examined> examine(const Settings& settings, const std::vector<flop::Question>& questions,
                         const std::filesystem::path& spool) {
  WW_TRY(const llm::ModelOptions options, model_options(settings));
  if (options.spec.empty())
    return Error{"--score needs a model: --model SERVICE:MODEL, exec:PROGRAM or replay:FILE"};
  WW_CHECK(make_directories(spool));
  WW_TRY(const auto model,
         llm::make_model(options, llm::process_environment(spool, {own_program(), "courier"})));
  Examined examined;
  examined.model = model->name();
  examined.answers.resize(questions.size());
  std::vector<std::string> errors(questions.size());
  StopSignal stop;
  const InterruptGuard interrupts(stop);
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < questions.size(); i = next++) {
      llm::Request request;
      request.id = questions[i].id;
      request.messages = {{llm::Role::user, questions[i].text}};
      request.max_output_tokens = options.max_output_tokens;
      request.temperature = options.temperature;
      const llm::Outcome outcome = model->ask(
          request, [](const llm::Progress&) {}, stop);
      if (outcome.kind == llm::OutcomeKind::answered) {
        examined.answers[i] = flop::answer_in(outcome.reply.text);
        if (!examined.answers[i].sp && !examined.answers[i].dp)
          errors[i] = questions[i].id + ": the reply names no count";
      } else {
        errors[i] = questions[i].id + ": " +
                    (outcome.kind == llm::OutcomeKind::waiting ? "no answer yet" : outcome.error);
      }
    }
  };
  const auto count = static_cast<std::size_t>(std::max(1, model->concurrency()));
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < std::min(count, questions.size()); ++i) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
  for (std::string& error : errors) {
    if (!error.empty()) examined.errors.push_back(std::move(error));
  }
  return examined;
}

std::string score_report(const std::vector<flop::Question>& questions, const Examined& examined,
                         bool json) {
  const Both both = scores_of(questions, examined);
  if (!json) {
    std::string text = "model " + examined.model + "\n";
    text += score_line("SP", both.sp) + score_line("DP", both.dp);
    for (const std::string& error : examined.errors) text += "no answer: " + error + "\n";
    return text;
  }
  ScoreJson report = {{"model", examined.model},
                      {"sp", score_json(both.sp)},
                      {"dp", score_json(both.dp)},
                      {"answers", ScoreJson::array()},
                      {"errors", examined.errors}};
  for (std::size_t i = 0; i < questions.size(); ++i) {
    report["answers"].push_back({{"id", questions[i].id},
                                 {"kernel", questions[i].kernel},
                                 {"sp_flops", std::round(questions[i].truth.sp)},
                                 {"dp_flops", std::round(questions[i].truth.dp)},
                                 {"sp_answer", number_json(examined.answers[i].sp)},
                                 {"dp_answer", number_json(examined.answers[i].dp)}});
  }
  return dump_json(report, 2) + "\n";
}

std::string prompt_report(const std::vector<flop::Question>& questions, bool json) {
  if (json) {
    ScoreJson all = ScoreJson::array();
    for (const flop::Question& each : questions)
      all.push_back({{"id", each.id}, {"kernel", each.kernel}, {"prompt", each.text}});
    return dump_json(all, 2) + "\n";
  }
  std::string text;
  for (const flop::Question& each : questions) {
    if (questions.size() > 1) text += "=== " + each.id + "\n";
    text += each.text;
  }
  return text;
}

}  // namespace warpwright::cli
