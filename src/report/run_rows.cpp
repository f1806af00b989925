// SPDX-License-Identifier: Apache-2.0
#include "report/run_rows.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "base/text.h"
#include "core/device_facts.h"
#include "core/evaluation_json.h"
#include "core/json_reader.h"
#include "core/task_json.h"
#include "report/repeat.h"
#include "report/speedup.h"

namespace warpwright::report {

using nlohmann::json;

namespace {

// Rows are read whole by every page; long texts are links.
constexpr std::size_t kMaxInlineBytes = 600;

json short_text(const std::string& text) { return shortened(text, kMaxInlineBytes); }

json measurement_row(const Measurement& m) {
  json row = {m.size,
              rounded(m.median_us),
              rounded(m.low_us),
              rounded(m.high_us),
              m.samples,
              rounded(m.floor_us),
              rounded(m.baseline_us),
              m.source == TimeSource::estimated ? 1 : 0};
  if (m.weight != 1) row.push_back(rounded(m.weight));
  return row;
}

json evaluation_row(const Evaluation& evaluation, const Evaluation* baseline) {
  json row = {{"verdict", name_of(evaluation.verdict)}, {"stage", name_of(evaluation.stage)}};
  if (!evaluation.reason.empty()) row["reason"] = short_text(evaluation.reason);
  if (!evaluation.device.empty()) row["device"] = short_text(evaluation.device);
  if (!evaluation.seed.empty()) row["seed"] = short_text(evaluation.seed);
  if (evaluation.device_s > 0) row["device_s"] = rounded(evaluation.device_s);
  if (!evaluation.measurements.empty()) {
    json& list = row["times"] = json::array();
    for (const auto& m : evaluation.measurements) list.push_back(measurement_row(m));
  }
  if (!evaluation.valid()) return row;
  if (const auto score = score_us(evaluation)) row["score"] = rounded(*score);
  if (const auto share = roofline_share(evaluation)) row["share"] = rounded(*share);
  if (const auto sol = sol_score(evaluation)) row["sol"] = rounded(*sol);
  if (const auto gain = speedup_interval(evaluation, baseline)) {
    row["speedup"] = {rounded(gain->value), rounded(gain->low), rounded(gain->high)};
  }
  return row;
}

/// Total: a stored result that cannot be read is shown as the judge's failure, with its text.
json verdict_row(const store::StoredVerdict& verdict, const Evaluation* baseline) {
  auto evaluation = evaluation_from_json(verdict.result);
  json row;
  if (evaluation.ok()) {
    row = evaluation_row(*evaluation, baseline);
  } else {
    row = {{"verdict", "harness_error"},
           {"stage", "reply"},
           {"reason", "the stored result cannot be read: " + evaluation.error().message}};
  }
  row["ms"] = verdict.created_ms;
  return row;
}

json reply_row(const store::ReplyFacts& reply) {
  json row = {{"model", short_text(reply.model)}, {"ms", reply.created_ms}};
  if (!reply.finish_reason.empty()) row["finish"] = short_text(reply.finish_reason);
  if (reply.origin != "model") row["origin"] = short_text(reply.origin);
  row["tokens"] = {reply.fresh, reply.cache_read, reply.cache_write, reply.output,
                   reply.reasoning_tokens};
  if (reply.estimated) row["estimated"] = true;
  row["usd"] = reply.unpriced ? json() : json(rounded(reply.cost_usd));
  return row;
}

json task_part(const Task& task, TextLinks& links) {
  json sizes = json::array();
  for (const auto& size : task.sizes) {
    const auto bytes = least_bytes(task, size);
    const auto operations = flops(task, size);
    sizes.push_back(
        {size.label, bytes.ok() ? rounded(*bytes) : 0, operations.ok() ? rounded(*operations) : 0});
  }
  return {{"title", task.title},
          {"rule_set", task.rule_set},
          {"signature", signature_of(task)},
          {"description", links.own("description", description_for_model(task))},
          {"baseline", links.own("baseline", task.baseline_source)},
          {"sizes", sizes}};
}

/// The described device that the run's words or its target name; null when none does.
json device_part(const RunStory& story) {
  std::string words = story.baseline ? story.baseline->device : story.run.device;
  std::optional<DeviceFacts> facts;
  for (const auto& known : known_devices()) {
    const bool longer = !facts || known.name.size() > facts->name.size();
    if (longer && words.find(known.name) != std::string::npos) facts = known;
  }
  for (const auto& value : story.config) {
    if (!facts && value.key == "judge.target") facts = known_device(value.value);
  }
  json part = {{"words", short_text(words)}};
  if (!facts) return part;
  part["name"] = facts->name;
  part["architecture"] = facts->architecture;
  part["compute"] = facts->amd.empty() ? std::to_string(facts->compute_major) + "." +
                                             std::to_string(facts->compute_minor)
                                       : facts->amd;
  part["sms"] = facts->sm_count;
  part["l2_bytes"] = facts->l2_bytes;
  part["memory_gb_per_s"] = facts->memory_gb_per_s;
  part["fp32_tflops"] = facts->fp32_tflops;
  return part;
}

/// The trial of a source: the best one where several have it; empty where none has.
std::string trial_of_source(const RunStory& story, const std::string& sha256) {
  std::string name;
  for (const auto& trial : story.trials) {
    if (trial.source_sha256 != sha256) continue;
    if (name.empty() || trial.prompt.trial == story.run.best_trial) name = trial.prompt.trial;
  }
  return name;
}

json run_part(const store::RunRecord& run) {
  return {{"id", run.id},
          {"task", run.task},
          {"strategy", run.strategy},
          {"model", run.model},
          {"device", run.device},
          {"status", status_name(run.status)},
          {"ending", run.ending},
          {"best", run.best_trial},
          {"created_ms", run.created_ms},
          {"elapsed_ms", run.elapsed_ms}};
}

}  // namespace

std::string status_name(store::RunStatus status) {
  const int number = static_cast<int>(status);
  if (number < 0 || number > static_cast<int>(store::RunStatus::failed)) return "unknown";
  return std::string(name_of(status));
}

double rounded(double number) {
  if (!std::isfinite(number)) return 0;
  char text[40];
  std::snprintf(text, sizeof text, "%.7g", number);
  return std::strtod(text, nullptr);
}

Result<RunStory> read_story(store::Archive& archive, const std::string& run) {
  RunStory story;
  store::StoryReader reader(archive);
  WW_TRY(story.run, archive.find_run(run));
  WW_TRY(story.config, archive.config(story.run.id));
  WW_TRY(story.events, reader.events(story.run.id));
  WW_TRY(story.baseline_verdict, reader.baseline(story.run.id));
  WW_TRY(story.trials, reader.trials(story.run.id));
  WW_TRY(story.derived, archive.derived(story.run.id));
  if (story.baseline_verdict) {
    auto baseline = evaluation_from_json(story.baseline_verdict->result);
    if (baseline.ok()) story.baseline = std::move(*baseline);
  }
  if (auto task = task_from_json(story.run.task_json); task.ok()) story.task = std::move(*task);
  return story;
}

json head_of(const RunStory& story, TextLinks& links) {
  json head = {{"run", run_part(story.run)},
               {"device", device_part(story)},
               {"config", json::array()},
               {"events", json::array()},
               {"repeat", json::array()}};
  if (story.task) head["task"] = task_part(*story.task, links);
  if (story.baseline_verdict) {
    head["baseline"] = verdict_row(*story.baseline_verdict, nullptr);
    head["baseline"]["full"] = links.result("baseline", story.baseline_verdict->result);
  }
  for (const auto& value : story.config) {
    head["config"].push_back({value.key, value.value, value.origin});
  }
  for (const auto& event : story.events) {
    head["events"].push_back({event.at_ms, event.kind, short_text(event.data)});
  }
  for (const auto& record : story.derived) {
    head["derived"].push_back({trial_of_source(story, record.source_sha256),
                               record.accepted ? 1 : 0, short_text(record.summary)});
  }
  for (const auto& step : ways_to_repeat(story.run, story.config)) {
    head["repeat"].push_back({step.what, step.command});
  }
  return head;
}

json row_of(const store::TrialStory& trial, const RunStory& story, TextLinks& links) {
  json row = {{"id", trial.prompt.trial},
              {"round", trial.prompt.round},
              {"slot", trial.prompt.slot},
              {"kind", trial.prompt.kind},
              {"asked_ms", trial.asked_ms}};
  if (trial.prompt.repair != 0) row["repair"] = trial.prompt.repair;
  if (!trial.prompt.parent.empty()) row["parent"] = trial.prompt.parent;
  row["prompt"] = json::array();
  for (const auto& [role, sha256] : trial.messages) {
    row["prompt"].push_back({role, links.stored(sha256)});
  }
  if (!trial.source_sha256.empty()) row["source"] = links.stored(trial.source_sha256);
  if (!trial.reason.empty()) row["no_code"] = short_text(trial.reason);
  if (trial.reply) {
    row["reply"] = reply_row(*trial.reply);
    row["reply"]["text"] = links.reply(trial.prompt.trial);
    if (trial.reply->has_reasoning) row["reply"]["reasoning"] = links.reasoning(trial.prompt.trial);
  }
  for (const auto& failure : trial.failures) {
    row["failures"].push_back(
        {failure.attempt, short_text(failure.error), failure.is_final ? 1 : 0, failure.tokens,
         failure.unpriced.empty() ? json(rounded(failure.cost_usd)) : json()});
  }
  if (trial.verdict) {
    row["eval"] = verdict_row(*trial.verdict, story.baseline ? &*story.baseline : nullptr);
    row["eval"]["full"] = links.result(trial.prompt.trial, trial.verdict->result);
  }
  return row;
}

}  // namespace warpwright::report
