// SPDX-License-Identifier: Apache-2.0
#include "evaluate/hand_over.h"

#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/sha256.h"
#include "core/evaluation_json.h"
#include "evaluate/compare.h"
#include "evaluate/limits.h"

namespace warpwright::evaluate {

using nlohmann::json;

namespace {

constexpr const char* kFile = "prepared.cbor";
constexpr std::size_t kMostBytes = std::size_t{1} << 30;

std::filesystem::path file_of(const JobDirectory& job) { return job.path() / kFile; }

/// Of all that was asked, the sources included.
std::string digest_of(const JobRequest& request) {
  const std::string text = request_to_json(request);
  std::string whole = std::to_string(text.size()) + ' ' + std::to_string(request.source.size());
  whole += ' ' + text + request.source + request.rival.value_or("");
  return sha256_hex(whole);
}

json program_json(const Program& program) {
  json plans = json::object();
  for (const auto& [key, plan] : program.plans) plans[key] = plan_to_text(plan);
  const auto& cubin = program.code.cubin;
  return {{"front_end", std::string(build::name_of(program.code.front_end))},
          {"ptx", program.code.ptx},
          {"bounds_ptx", program.code.bounds_ptx},
          {"cubin", json::binary({cubin.begin(), cubin.end()})},
          {"plans", std::move(plans)}};
}

Result<Program> program_in(const json& document) {
  Program program;
  program.code.verdict = Verdict::ok;
  const auto front_end = build::front_end_named(document.at("front_end").get<std::string>());
  if (!front_end) return Error{"unknown front end"};
  program.code.front_end = *front_end;
  program.code.ptx = document.at("ptx").get<std::string>();
  program.code.bounds_ptx = document.at("bounds_ptx").get<std::string>();
  const auto& cubin = document.at("cubin").get_binary();
  program.code.cubin.assign(cubin.begin(), cubin.end());
  for (const auto& [key, text] : document.at("plans").items()) {
    WW_TRY(program.plans[key], plan_from_text(text.get_ref<const std::string&>()));
  }
  return program;
}

json notes_json(const Notes& notes) {
  Evaluation so_far;
  so_far.diagnostics = notes.diagnostics;
  so_far.resources = notes.resources;
  so_far.findings = notes.findings;
  so_far.stage_s = notes.stage_s;
  so_far.manifest = notes.manifest;
  return evaluation_to_json(so_far);
}

Result<Notes> notes_in(const json& text) {
  WW_TRY(auto so_far, evaluation_from_json(text.get_ref<const std::string&>()));
  Notes notes;
  notes.diagnostics = std::move(so_far.diagnostics);
  notes.resources = std::move(so_far.resources);
  notes.findings = std::move(so_far.findings);
  notes.stage_s = std::move(so_far.stage_s);
  notes.manifest = std::move(so_far.manifest);
  return notes;
}

json contender_json(const Contender& contender) {
  const Prepared& prepared = contender.prepared;
  json document = {{"notes", notes_json(contender.context.notes)},
                   {"seed", prepared.seed},
                   {"candidate", program_json(prepared.candidate)}};
  if (prepared.baseline) document["baseline"] = program_json(*prepared.baseline);
  return document;
}

/// Cases and sizes follow from the seed; the plans must be theirs.
Status read_into(const json& document, Contender& contender) {
  Prepared& prepared = contender.prepared;
  WW_TRY(contender.context.notes, notes_in(document.at("notes")));
  WW_TRY(prepared.target, resolved_device(prepared.request()));
  prepared.seed = document.at("seed").get<std::uint64_t>();
  WW_TRY(prepared.candidate, program_in(document.at("candidate")));
  if (document.contains("baseline")) {
    WW_TRY(prepared.baseline, program_in(document.at("baseline")));
  }
  WW_CHECK(choose_work(prepared, contender.context));
  WW_TRY(const auto keys, recorded_calls(prepared));
  for (const std::string& key : keys) {
    if (!prepared.candidate.plans.contains(key)) return Error{"it lacks the plan of a call"};
  }
  return {};
}

Result<Contenders> contenders_in(const json& document, const JobRequest& request,
                                 const JobDirectory& job, Station& station,
                                 const StopSignal& stop) {
  if (document.at("request").get<std::string>() != digest_of(request)) {
    return Error{"it was made for another request"};
  }
  std::vector<SourcePointer> sources = {std::make_shared<const Source>(Source{request})};
  if (request.rival) sources.push_back(rival_of(request));
  Contenders contenders;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    Contender& one = contenders.emplace_back(
        Contender{make_context(request, job.path() / "scratch", station, stop), {}});
    one.prepared.source = sources[i];
    WW_CHECK(read_into(document.at("contenders").at(i), one));
  }
  return contenders;
}

}  // namespace

Result<std::string> hand_over(const JobDirectory& job, const Contenders& contenders) {
  json document = {{"request", digest_of(contenders.front().prepared.request())},
                   {"contenders", json::array()}};
  for (const Contender& one : contenders) document["contenders"].push_back(contender_json(one));
  const auto bytes = json::to_cbor(document);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  WW_CHECK(write_file(file_of(job), text));
  std::error_code ignored;
  std::filesystem::permissions(file_of(job), std::filesystem::perms(0600), ignored);
  return sha256_hex(text);
}

Result<Contenders> take_over(const JobDirectory& job, std::string_view digest,
                             const JobRequest& request, Station& station, const StopSignal& stop) {
  WW_TRY(const std::string text, read_file(file_of(job), kMostBytes));
  if (sha256_hex(text) != digest) return Error{"it is not the file that was handed over"};
  // Ours by its digest: what does not fit is a fault of ours, and costs the stages once more.
  try {
    return contenders_in(json::from_cbor(text), request, job, station, stop);
  } catch (const std::exception& error) {
    return Error{std::string("it cannot be read: ") + error.what()};
  }
}

void forget_hand_over(const JobDirectory& job) {
  std::error_code ignored;
  std::filesystem::remove(file_of(job), ignored);
}

}  // namespace warpwright::evaluate
