// SPDX-License-Identifier: Apache-2.0
#include "store/story.h"

#include "core/json_reader.h"
#include "store/database.h"
#include "store/rows.h"

namespace warpwright::store {

namespace {

using Index = std::map<std::string, TrialStory*, std::less<>>;

TrialStory* find(const Index& index, SQLite::Statement& row) {
  const auto found = index.find(row.getColumn(0).getString());
  return found == index.end() ? nullptr : found->second;
}

/// The messages column; a damaged one reads as no messages.
std::vector<std::pair<int, std::string>> read_messages(const std::string& column) {
  std::vector<std::pair<int, std::string>> messages;
  const auto list = parse_json_or_discard(column);
  if (!list.is_array()) return messages;
  for (const auto& entry : list) {
    if (entry.is_array() && entry.size() == 2 && entry[0].is_number_integer() &&
        entry[1].is_string()) {
      messages.emplace_back(entry[0].get<int>(), entry[1].get<std::string>());
    }
  }
  return messages;
}

void read_prompts(Database& database, const std::string& run, std::vector<TrialStory>& trials) {
  const Query query = database.statement(
      "SELECT trial, round, slot, repair, kind, parent, messages, created_ms FROM prompts "
      "WHERE run = ? ORDER BY round, slot, repair, trial");
  query->bind(1, run);
  while (query->executeStep()) {
    TrialStory& trial = trials.emplace_back();
    trial.prompt = read_prompt(*query);
    trial.messages = read_messages(query->getColumn(6).getString());
    trial.asked_ms = query->getColumn(7).getInt64();
  }
}

void read_replies(Database& database, const std::string& run, const Index& index) {
  const Query query = database.statement(
      "SELECT trial, model, finish_reason, origin, fresh, cache_read, cache_write, output, "
      "reasoning_tokens, estimated, cost_usd, reasoning <> '', created_ms, unpriced <> '' FROM "
      "replies "
      "WHERE run = ?");
  query->bind(1, run);
  while (query->executeStep()) {
    TrialStory* trial = find(index, *query);
    if (trial == nullptr) continue;
    ReplyFacts reply;
    reply.model = query->getColumn(1).getString();
    reply.finish_reason = query->getColumn(2).getString();
    reply.origin = query->getColumn(3).getString();
    reply.fresh = query->getColumn(4).getInt64();
    reply.cache_read = query->getColumn(5).getInt64();
    reply.cache_write = query->getColumn(6).getInt64();
    reply.output = query->getColumn(7).getInt64();
    reply.reasoning_tokens = query->getColumn(8).getInt64();
    reply.estimated = query->getColumn(9).getInt() != 0;
    reply.cost_usd = query->getColumn(10).getDouble();
    reply.has_reasoning = query->getColumn(11).getInt() != 0;
    reply.created_ms = query->getColumn(12).getInt64();
    reply.unpriced = query->getColumn(13).getInt() != 0;
    trial->reply = std::move(reply);
  }
}

void read_failures(Database& database, const std::string& run, const Index& index) {
  const Query query = database.statement(
      "SELECT trial, attempt, error, final, tokens, cost_usd, unpriced FROM failures "
      "WHERE run = ? ORDER BY trial, attempt");
  query->bind(1, run);
  while (query->executeStep()) {
    if (TrialStory* trial = find(index, *query)) {
      trial->failures.push_back({query->getColumn(1).getInt(), query->getColumn(2).getString(),
                                 query->getColumn(3).getInt() != 0, query->getColumn(4).getInt64(),
                                 query->getColumn(5).getDouble(), query->getColumn(6).getString()});
    }
  }
}

void read_candidates(Database& database, const std::string& run, const Index& index) {
  const Query query =
      database.statement("SELECT trial, source, reason FROM candidates WHERE run = ?");
  query->bind(1, run);
  while (query->executeStep()) {
    if (TrialStory* trial = find(index, *query)) {
      trial->has_candidate = true;
      trial->source_sha256 = query->getColumn(1).getString();
      trial->reason = query->getColumn(2).getString();
    }
  }
}

std::map<std::string, StoredVerdict> read_verdicts(Database& database, const std::string& run) {
  std::map<std::string, StoredVerdict> verdicts;
  const Query query =
      database.statement("SELECT source, result, created_ms FROM evaluations WHERE run = ?");
  query->bind(1, run);
  while (query->executeStep()) {
    verdicts[query->getColumn(0).getString()] = {query->getColumn(1).getString(),
                                                 query->getColumn(2).getInt64()};
  }
  return verdicts;
}

}  // namespace

Result<std::vector<TrialStory>> StoryReader::trials(const std::string& run) {
  Database& database = *archive_.database_;
  return guarded(archive_.path(), "read a run", [&]() -> Result<std::vector<TrialStory>> {
    SQLite::Transaction snapshot(database.connection);
    std::vector<TrialStory> trials;
    read_prompts(database, run, trials);
    Index index;
    for (auto& trial : trials) index[trial.prompt.trial] = &trial;
    read_replies(database, run, index);
    read_failures(database, run, index);
    read_candidates(database, run, index);
    const auto verdicts = read_verdicts(database, run);
    for (auto& trial : trials) {
      // The key of a reply without code; search/engine.cpp stores it so.
      const auto found = verdicts.find(trial.source_sha256.empty() ? "trial:" + trial.prompt.trial
                                                                   : trial.source_sha256);
      if (found != verdicts.end()) trial.verdict = found->second;
    }
    return trials;
  });
}

Result<std::optional<StoredVerdict>> StoryReader::baseline(const std::string& run) {
  return guarded(
      archive_.path(), "read the baseline", [&]() -> Result<std::optional<StoredVerdict>> {
        const Query query = archive_.database_->statement(
            "SELECT result, created_ms FROM evaluations WHERE run = ? AND source = 'baseline'");
        query->bind(1, run);
        if (!query->executeStep()) return std::optional<StoredVerdict>();
        return std::optional<StoredVerdict>(
            StoredVerdict{query->getColumn(0).getString(), query->getColumn(1).getInt64()});
      });
}

Result<std::vector<EventRecord>> StoryReader::events(const std::string& run) {
  return guarded(archive_.path(), "read events", [&]() -> Result<std::vector<EventRecord>> {
    std::vector<EventRecord> events;
    const Query query = archive_.database_->statement(
        "SELECT at_ms, kind, data FROM events WHERE run = ? ORDER BY id");
    query->bind(1, run);
    while (query->executeStep()) {
      events.push_back({query->getColumn(0).getInt64(), query->getColumn(1).getString(),
                        query->getColumn(2).getString()});
    }
    return events;
  });
}

Result<std::map<std::string, int>> StoryReader::question_counts() {
  return guarded(archive_.path(), "count questions", [&]() -> Result<std::map<std::string, int>> {
    std::map<std::string, int> counts;
    const Query query =
        archive_.database_->statement("SELECT run, count(*) FROM prompts GROUP BY run");
    while (query->executeStep()) {
      counts[query->getColumn(0).getString()] = query->getColumn(1).getInt();
    }
    return counts;
  });
}

Result<std::optional<std::string>> StoryReader::text(const std::string& sha256) {
  return guarded(archive_.path(), "read a text", [&]() -> Result<std::optional<std::string>> {
    const Query query = archive_.database_->statement("SELECT text FROM texts WHERE sha256 = ?");
    query->bind(1, sha256);
    if (!query->executeStep()) return std::optional<std::string>();
    return std::optional<std::string>(query->getColumn(0).getString());
  });
}

Result<std::optional<std::pair<std::string, std::string>>> StoryReader::reply_texts(
    const std::string& run, const std::string& trial) {
  using Texts = std::pair<std::string, std::string>;
  return guarded(archive_.path(), "read a reply", [&]() -> Result<std::optional<Texts>> {
    const Query query = archive_.database_->statement(
        "SELECT text, reasoning FROM replies WHERE run = ? AND trial = ?");
    SQLite::bind(*query, run, trial);
    if (!query->executeStep()) return std::optional<Texts>();
    return std::optional<Texts>(
        Texts{query->getColumn(0).getString(), query->getColumn(1).getString()});
  });
}

Result<std::int64_t> StoryReader::version() {
  return guarded(archive_.path(), "look for changes", [&]() -> Result<std::int64_t> {
    return static_cast<std::int64_t>(
        archive_.database_->connection.execAndGet("PRAGMA data_version").getInt64());
  });
}

}  // namespace warpwright::store
