// SPDX-License-Identifier: Apache-2.0
#include "evaluate/job.h"

#include "base/files.h"
#include "core/evaluation_json.h"
#include "core/json_reader.h"
#include "core/task_json.h"

namespace warpwright::evaluate {

using nlohmann::json;

namespace {

constexpr int kFormat = 1;
constexpr const char* kRequestFile = "request.json";
constexpr const char* kSourceFile = "candidate.cu";
constexpr const char* kRivalFile = "rival.cu";
constexpr const char* kResultFile = "result.json";
constexpr std::size_t kMaxSourceBytes = std::size_t{1} << 20;
constexpr double kMaxLimitSeconds = 24 * 3600.0;

Error prefixed(const std::string& where, const Error& error) {
  return Error{where + ": " + error.message};
}

template <class Choice>
void read_choice(JsonReader& in, const char* key, Choice& field) {
  const std::string text = in.text(key);
  const auto choice = Choice::named(text);
  if (!choice) in.fail(key, "is '" + text + "', not one of" + Choice::spelt_out());
  field = choice.value_or(Choice());
}

}  // namespace

std::string request_to_json(const JobRequest& request) {
  json document = {{"format", kFormat},
                   {"id", request.id},
                   {"task", parse_json_or_discard(task_to_json(request.task))},
                   {"is_baseline", request.is_baseline},
                   {"timing_only", request.timing_only},
                   {"device", request.device.text()},
                   {"target", request.target},
                   {"rule_set", request.rule_set.name()},
                   {"sizes", request.sizes},
                   {"front_end", request.front_end.name()},
                   {"checks", request.checks.name()},
                   {"engine", request.engine.name()},
                   {"sanitize", request.sanitize.name()},
                   {"counters", request.counters},
                   {"limit_s", request.limit_s},
                   {"unsafe", request.unsafe},
                   {"cache", request.cache.string()}};
  if (request.rival) document["rival"] = {{"is_baseline", request.rival_is_baseline}};
  if (request.seed) document["seed"] = *request.seed;
  return dump_json(document, 1);
}

Result<JobRequest> request_from_json(std::string_view text) {
  WW_TRY(const json document, parse_json(text, "request"));
  JsonReader in(document, "request");
  if (in.integer("format") != kFormat) in.fail("format", "is not 1: written by another version");
  JobRequest request;
  request.id = in.text("id");
  request.is_baseline = in.flag("is_baseline");
  request.timing_only = in.has("timing_only") && in.flag("timing_only");
  if (request.timing_only && !request.is_baseline) {
    in.fail("timing_only", "is for the judge's own kernels: is_baseline must be true, too");
  }
  read_choice(in, "device", request.device);
  request.target = in.text("target");
  // Called "lane" by older programs.
  read_choice(in, in.has("rule_set") ? "rule_set" : "lane", request.rule_set);
  read_choice(in, "front_end", request.front_end);
  read_choice(in, "checks", request.checks);
  // Younger than the format: a request may come from an older program.
  if (in.has("engine")) read_choice(in, "engine", request.engine);
  if (in.has("sanitize")) read_choice(in, "sanitize", request.sanitize);
  if (in.has("counters")) request.counters = in.flag("counters");
  if (in.has("rival")) {
    JsonReader rival(in.object("rival"), "request, rival");
    request.rival.emplace();
    request.rival_is_baseline = rival.flag("is_baseline");
    in.adopt(rival);
  }
  if (request.timing_only && request.rival && !request.rival_is_baseline) {
    in.fail("timing_only", "is for the judge's own kernels: the rival must be one, too");
  }
  for (const auto& label : in.array("sizes")) {
    if (!label.is_string()) in.fail("sizes", "holds something that is not a string");
    if (label.is_string()) request.sizes.push_back(label.get<std::string>());
  }
  request.limit_s = in.number("limit_s");
  if (!(request.limit_s > 0) || request.limit_s > kMaxLimitSeconds) {
    in.fail("limit_s", "is not between 0 and 86400");
  }
  request.unsafe = in.flag("unsafe");
  request.cache = in.text("cache");
  if (in.has("seed")) {
    const json& seed = document["seed"];
    if (!seed.is_number_unsigned()) in.fail("seed", "is not a non-negative integer");
    if (seed.is_number_unsigned()) request.seed = seed.get<std::uint64_t>();
  }
  const json& task = in.object("task");
  WW_CHECK(in.status());
  auto read = task_from_json(dump_json(task));
  if (!read.ok()) return prefixed("request, task", read.error());
  request.task = std::move(read).value();
  return request;
}

Status JobDirectory::write_request(const JobRequest& request) const {
  WW_CHECK(make_directories(path_));
  WW_CHECK(write_file(path_ / kSourceFile, request.source));
  if (request.rival) WW_CHECK(write_file(path_ / kRivalFile, *request.rival));
  return write_file(path_ / kRequestFile, request_to_json(request));
}

Result<JobRequest> JobDirectory::read_request() const {
  WW_TRY(const std::string text, read_file(path_ / kRequestFile));
  auto request = request_from_json(text);
  if (!request.ok()) return prefixed((path_ / kRequestFile).string(), request.error());
  WW_TRY(request->source, read_file(path_ / kSourceFile, kMaxSourceBytes));
  if (request->rival) {
    WW_TRY(request->rival, read_file(path_ / kRivalFile, kMaxSourceBytes));
  }
  if (!request->cache.empty() && request->cache.is_relative()) {
    std::error_code ignored;
    request->cache = std::filesystem::absolute(path_ / request->cache, ignored).lexically_normal();
  }
  return request;
}

Status JobDirectory::write_result(const Evaluation& evaluation) const {
  return write_file_durably(path_ / kResultFile, evaluation_to_json(evaluation));
}

bool JobDirectory::has_result() const {
  std::error_code ignored;
  return std::filesystem::exists(path_ / kResultFile, ignored);
}

Result<Evaluation> JobDirectory::read_result() const {
  WW_TRY(const std::string text, read_file(path_ / kResultFile));
  auto result = evaluation_from_json(text);
  if (!result.ok()) return prefixed((path_ / kResultFile).string(), result.error());
  return result;
}

}  // namespace warpwright::evaluate
