// SPDX-License-Identifier: Apache-2.0
#include "llm/spool.h"

#include <algorithm>
#include <system_error>

#include "base/files.h"
#include "base/sha256.h"
#include "llm/json_reading.h"

namespace warpwright::llm {

namespace fs = std::filesystem;

namespace {

constexpr int kVersion = 1;
constexpr std::size_t kMaxOutcomeBytes = std::size_t{256} << 20;
constexpr std::int64_t kBytesPerToken = 4;
constexpr std::int64_t kReservedBesideText = 64 << 10;
constexpr std::int64_t kMostReserved = 16 << 20;

Json optional_number(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

std::optional<double> number_or_nothing(const Json& value) {
  if (!value.is_number()) return std::nullopt;
  return value.get<double>();
}

}  // namespace

std::string request_sha256(std::string_view spec, std::int64_t max_output_tokens,
                           const std::vector<Message>& messages) {
  Json list = Json::array();
  for (const Message& message : messages) {
    list.push_back({static_cast<int>(message.role), message.text});
  }
  return sha256_hex(dump_json(Json{spec, max_output_tokens, list}));
}

bool Spool::is_valid_id(std::string_view id) {
  constexpr std::string_view kAllowed =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
  return !id.empty() && id.size() <= 200 && id[0] != '.' &&
         id.find_first_not_of(kAllowed) == std::string_view::npos;
}

fs::path Spool::lock_path(std::string_view id) const {
  return folder_ / (std::string(id) + ".lock");
}

fs::path Spool::outcome_path(std::string_view id) const {
  return folder_ / (std::string(id) + ".json");
}

Result<std::optional<SpooledOutcome>> Spool::load(std::string_view id,
                                                  std::string_view request) const {
  const fs::path path = outcome_path(id);
  std::error_code code;
  if (!fs::exists(path, code)) return std::optional<SpooledOutcome>();
  WW_TRY(const std::string text, read_file(path, kMaxOutcomeBytes));
  const Json file = parse_json(text);
  const std::string kind = text_of(member(file, "kind"));
  if (count_of(member(file, "version")) != kVersion || (kind != "answered" && kind != "failed")) {
    return Error{"'" + path.string() + "' is not an outcome of ours; remove it to ask again"};
  }
  // Spools from before there was this field belong to runs from before, and to no others.
  const std::string answers = text_of(member(file, "request_sha256"));
  if (!answers.empty() && answers != request) return std::optional<SpooledOutcome>();
  SpooledOutcome spooled;
  spooled.stated_usd = number_or_nothing(member(file, "cost_usd"));
  Outcome& outcome = spooled.outcome;
  if (kind == "failed") {
    outcome.kind = OutcomeKind::failed;
    outcome.error = text_of(member(file, "error"));
    outcome.retry = member(file, "retry") == Json(true);
    outcome.wasted = usage_from_json(member(file, "usage"));
    return std::optional(std::move(spooled));
  }
  outcome.kind = OutcomeKind::answered;
  outcome.reply = Reply{.text = text_of(member(file, "text")),
                        .reasoning = text_of(member(file, "reasoning")),
                        .model = text_of(member(file, "model")),
                        .finish_reason = text_of(member(file, "finish_reason")),
                        .usage = usage_from_json(member(file, "usage"))};
  return std::optional(std::move(spooled));
}

Result<ReservedFile> Spool::reserve(std::string_view id, std::int64_t tokens) const {
  const std::int64_t whole = kMostReserved - kReservedBesideText;
  const std::int64_t text = std::clamp<std::int64_t>(tokens, 0, whole / kBytesPerToken);
  return ReservedFile::create(
      outcome_path(id), static_cast<std::size_t>(text * kBytesPerToken + kReservedBesideText));
}

Status Spool::store(std::string_view id, std::string_view request, const SpooledOutcome& spooled,
                    std::optional<ReservedFile>& room) const {
  const Outcome& outcome = spooled.outcome;
  Json file = {{"version", kVersion},
               {"id", id},
               {"request_sha256", request},
               {"cost_usd", optional_number(spooled.stated_usd)}};
  if (outcome.kind == OutcomeKind::answered) {
    file["kind"] = "answered";
    file["text"] = outcome.reply.text;
    file["reasoning"] = outcome.reply.reasoning;
    file["model"] = outcome.reply.model;
    file["finish_reason"] = outcome.reply.finish_reason;
    file["usage"] = usage_to_json(outcome.reply.usage);
  } else {
    file["kind"] = "failed";
    file["error"] = outcome.error;
    file["retry"] = outcome.retry;
    file["usage"] = usage_to_json(outcome.wasted);
  }
  const std::string text = dump_json(file) + "\n";
  if (room) {
    const Status kept = room->commit(text);
    room.reset();
    if (kept.ok()) return kept;
  }
  // The folder may have been away for a moment, and the room with it.
  return write_file_durably(outcome_path(id), text);
}

}  // namespace warpwright::llm
