// SPDX-License-Identifier: Apache-2.0
#include "data/rows.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/sha256.h"
#include "core/json_reader.h"
#include "core/task_json.h"

namespace warpwright::data {

namespace {

using Json = nlohmann::json;

constexpr int kRowFormat = 1;
// How times came to be; other entries of a manifest are about one moment.
constexpr const char* kVersionKeys[] = {"driver", "front_end", "flags", "compute_capability",
                                        "code"};

Json times_of(const Evaluation& evaluation) {
  Json times = Json::array();
  for (const auto& m : evaluation.measurements) {
    times.push_back({{"size", m.size},
                     {"source", m.source == TimeSource::measured ? "measured" : "estimated"},
                     {"median_us", m.median_us},
                     {"low_us", m.low_us},
                     {"high_us", m.high_us},
                     {"samples", m.samples},
                     {"baseline_us", m.baseline_us},
                     {"floor_us", m.floor_us},
                     {"host_excess_us", m.host_excess_us}});
  }
  return times;
}

double number_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<double>() : 0;
}

std::string word_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

}  // namespace

Json judgement_fields(const Evaluation& evaluation, const Provenance& provenance) {
  Json fields = {{"verdict", name_of(evaluation.verdict)},
                 {"stage", name_of(evaluation.stage)},
                 {"speedup", nullptr},
                 {"times", times_of(evaluation)},
                 {"device", evaluation.device},
                 {"seeds", Json::array()},
                 {"versions", {{"warpwright", provenance.version}}}};
  if (const auto gain = speedup(evaluation); gain && evaluation.valid()) fields["speedup"] = *gain;
  if (!evaluation.seed.empty()) fields["seeds"].push_back(evaluation.seed);
  for (const char* key : kVersionKeys) {
    const auto found = evaluation.manifest.find(key);
    if (found != evaluation.manifest.end()) fields["versions"][key] = found->second;
  }
  return fields;
}

Evaluation evaluation_of_fields(const Json& row) {
  Evaluation evaluation;
  evaluation.verdict = verdict_named(word_at(row, "verdict")).value_or(Verdict::harness_error);
  evaluation.device = word_at(row, "device");
  const auto times = row.find("times");
  if (times == row.end() || !times->is_array()) return evaluation;
  for (const Json& time : *times) {
    if (!time.is_object()) continue;
    Measurement m;
    m.size = word_at(time, "size");
    m.source =
        word_at(time, "source") == "estimated" ? TimeSource::estimated : TimeSource::measured;
    m.median_us = number_at(time, "median_us");
    m.low_us = number_at(time, "low_us");
    m.high_us = number_at(time, "high_us");
    m.baseline_us = number_at(time, "baseline_us");
    m.floor_us = number_at(time, "floor_us");
    m.host_excess_us = number_at(time, "host_excess_us");
    evaluation.measurements.push_back(m);
  }
  return evaluation;
}

Json common_fields(const JudgedSample& judged, const Provenance& provenance) {
  const Sample& sample = judged.sample;
  const auto thinking = thinking_of(sample);
  Json fields = {{"format", kRowFormat},
                 {"task", sample.task_name},
                 {"task_sha256", sample.task ? sha256_hex(task_to_json(*sample.task)) : ""},
                 {"type", task_type(sample)},
                 {"rule_set", sample.rule_set},
                 {"model", sample.model},
                 {"origin",
                  {{"name", sample.origin},
                   {"run", sample.run},
                   {"trial", sample.trial},
                   {"parent", sample.parent}}},
                 {"judged", judged.judged_now ? "now" : "stored"},
                 {"reasoning_tokens", thinking.tokens},
                 {"reasoning_kind", thinking.is_reasoning ? "reasoning" : "explanation"},
                 {"commit", provenance.commit},
                 {"licence", provenance.licence},
                 {"sha256", sha256_hex(sample.source)}};
  fields.update(judgement_fields(judged.evaluation.value_or(Evaluation{}), provenance));
  return fields;
}

Json prompt_messages(const Sample& sample) {
  Json messages = Json::array();
  for (const auto& message : sample.messages) {
    messages.push_back({{"role", message.role}, {"content", message.text}});
  }
  return messages;
}

Json answer_message(const Sample& sample) {
  Json message = {{"role", "assistant"}, {"content", sample.answer}};
  if (!sample.reasoning.empty()) message["reasoning_content"] = sample.reasoning;
  return message;
}

Json sft_row(const JudgedSample& judged, const Provenance& provenance) {
  Json row = common_fields(judged, provenance);
  row["kind"] = "sft";
  row["messages"] = prompt_messages(judged.sample);
  row["messages"].push_back(answer_message(judged.sample));
  return row;
}

std::string seal_of(Json row) {
  row.erase("row_sha256");
  return sha256_hex(dump_json(row));
}

std::string sealed(Json row) {
  row["row_sha256"] = seal_of(row);
  return dump_json(row);
}

Result<RowWriter> RowWriter::create(const std::string& path) {
  if (path == "-") return RowWriter(path, stdout);
  std::FILE* file = std::fopen((path + ".part").c_str(), "wb");
  if (file == nullptr) return Error{"cannot write '" + path + "': " + std::strerror(errno)};
  return RowWriter(path, file);
}

RowWriter::RowWriter(RowWriter&& other) noexcept
    : path_(std::move(other.path_)),
      file_(std::exchange(other.file_, nullptr)),
      rows_(other.rows_) {}

RowWriter::~RowWriter() {
  if (file_ == nullptr || file_ == stdout) return;
  std::fclose(file_);
  ::unlink((path_ + ".part").c_str());
}

Status RowWriter::write(Json row) {
  const std::string line = sealed(std::move(row)) + "\n";
  if (std::fwrite(line.data(), 1, line.size(), file_) != line.size()) {
    return Error{"cannot write '" + path_ + "': " + std::strerror(errno)};
  }
  ++rows_;
  return {};
}

Status RowWriter::finish() {
  if (file_ == stdout) {
    std::fflush(stdout);
    file_ = nullptr;
    return {};
  }
  std::FILE* file = std::exchange(file_, nullptr);
  const bool written = std::fflush(file) == 0 && ::fsync(::fileno(file)) == 0;
  if (std::fclose(file) != 0 || !written ||
      std::rename((path_ + ".part").c_str(), path_.c_str()) != 0) {
    return Error{"cannot write '" + path_ + "': " + std::strerror(errno)};
  }
  return {};
}

}  // namespace warpwright::data
