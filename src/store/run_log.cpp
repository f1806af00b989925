// SPDX-License-Identifier: Apache-2.0
#include "store/run_log.h"

#include "base/sha256.h"
#include "core/evaluation_json.h"
#include "store/rows.h"

namespace warpwright::store {

Status RunLog::begin() {
  return guarded(archive_.path(), "begin a transaction", [&]() -> Status {
    archive_.database_->statement("BEGIN IMMEDIATE")->exec();
    return {};
  });
}

Status RunLog::commit() {
  return guarded(archive_.path(), "commit", [&]() -> Status {
    archive_.database_->statement("COMMIT")->exec();
    return {};
  });
}

void RunLog::rollback() {
  auto& connection = archive_.database_->connection;
  if (sqlite3_get_autocommit(connection.getHandle()) != 0) return;
  // A failed statement (a full disk) may have rolled back already; then there is nothing to undo.
  connection.tryExec("ROLLBACK");
}

Result<PromptRecord> RunLog::remember_prompt(const PromptRecord& prompt) {
  auto& database = *archive_.database_;
  return guarded(archive_.path(), "store a prompt", [&]() -> Result<PromptRecord> {
    const Query query = database.statement(
        "SELECT trial, round, slot, repair, kind, parent, messages FROM prompts "
        "WHERE run = ? AND trial = ?");
    SQLite::bind(*query, run_, prompt.trial);
    if (query->executeStep()) {
      PromptRecord stored = read_prompt(*query);
      WW_TRY(stored.messages, expand_messages(database, query->getColumn(6).getString()));
      return stored;
    }
    const std::string column = intern_messages(database, prompt.messages);
    const Query insert = database.statement(
        "INSERT INTO prompts(run, trial, round, slot, repair, kind, parent, messages, created_ms) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
    SQLite::bind(*insert, run_, prompt.trial, prompt.round, prompt.slot, prompt.repair, prompt.kind,
                 prompt.parent, column, database.clock.unix_ms());
    insert->exec();
    return prompt;
  });
}

Result<std::optional<ReplyRecord>> RunLog::reply(const std::string& trial) {
  auto& database = *archive_.database_;
  return guarded(archive_.path(), "look up an answer", [&]() -> Result<std::optional<ReplyRecord>> {
    const Query query = database.statement(
        "SELECT text, reasoning, model, finish_reason, origin, fresh, cache_read, "
        "cache_write, output, reasoning_tokens, estimated, cost_usd, unpriced FROM replies "
        "WHERE run = ? AND trial = ?");
    SQLite::bind(*query, run_, trial);
    if (!query->executeStep()) return std::optional<ReplyRecord>();
    return std::optional<ReplyRecord>(read_reply(*query, 0));
  });
}

Status RunLog::add_reply(const std::string& trial, const ReplyRecord& reply) {
  return guarded(archive_.path(), "store an answer", [&]() -> Status {
    insert_reply(*archive_.database_, run_, trial, reply);
    return {};
  });
}

Status RunLog::set_price(const std::string& trial, double cost_usd) {
  auto& database = *archive_.database_;
  return guarded(archive_.path(), "store a price", [&]() -> Status {
    const Query update = database.statement(
        "UPDATE replies SET cost_usd = ?, unpriced = '' WHERE run = ? AND trial = ?");
    SQLite::bind(*update, cost_usd, run_, trial);
    update->exec();
    return {};
  });
}

Result<std::vector<FailureRecord>> RunLog::failures(const std::string& trial) {
  auto& database = *archive_.database_;
  return guarded(archive_.path(), "look up failures", [&]() -> Result<std::vector<FailureRecord>> {
    std::vector<FailureRecord> found;
    const Query query = database.statement(
        "SELECT attempt, error, final, tokens, cost_usd, unpriced FROM failures "
        "WHERE run = ? AND trial = ? ORDER BY attempt");
    SQLite::bind(*query, run_, trial);
    while (query->executeStep()) {
      found.push_back({query->getColumn(0).getInt(), query->getColumn(1).getString(),
                       query->getColumn(2).getInt() != 0, query->getColumn(3).getInt64(),
                       query->getColumn(4).getDouble(), query->getColumn(5).getString()});
    }
    return found;
  });
}

Status RunLog::add_failure(const std::string& trial, const FailureRecord& failure) {
  auto& database = *archive_.database_;
  return guarded(archive_.path(), "store a failure", [&]() -> Status {
    const Query insert = database.statement(
        "INSERT OR REPLACE INTO failures(run, trial, attempt, error, final, tokens, cost_usd, "
        "unpriced, created_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
    SQLite::bind(*insert, run_, trial, failure.attempt, failure.error,
                 static_cast<int>(failure.is_final), failure.tokens, failure.cost_usd,
                 failure.unpriced, database.clock.unix_ms());
    insert->exec();
    return {};
  });
}

Status RunLog::add_candidate(const std::string& trial, const CandidateRecord& candidate) {
  auto& database = *archive_.database_;
  return guarded(archive_.path(), "store a candidate", [&]() -> Status {
    const std::string hash =
        candidate.source.empty() ? "" : insert_text(database, candidate.source);
    const Query insert = database.statement(
        "INSERT OR IGNORE INTO candidates(run, trial, source, reason) VALUES (?, ?, ?, ?)");
    SQLite::bind(*insert, run_, trial, hash, candidate.reason);
    insert->exec();
    return {};
  });
}

Result<std::optional<Evaluation>> RunLog::evaluation(const std::string& source_sha256) {
  auto& database = *archive_.database_;
  return guarded(archive_.path(), "look up a verdict", [&]() -> Result<std::optional<Evaluation>> {
    const Query query =
        database.statement("SELECT result FROM evaluations WHERE run = ? AND source = ?");
    SQLite::bind(*query, run_, source_sha256);
    if (!query->executeStep()) return std::optional<Evaluation>();
    WW_TRY(auto found, evaluation_from_json(query->getColumn(0).getString()));
    return std::optional<Evaluation>(std::move(found));
  });
}

Status RunLog::add_evaluation(const std::string& source_sha256, const Evaluation& evaluation) {
  auto& database = *archive_.database_;
  return guarded(archive_.path(), "store a verdict", [&]() -> Status {
    const Query insert = database.statement(
        "INSERT INTO evaluations(run, source, verdict, stage, reason, score_us, result, "
        "created_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
    SQLite::bind(*insert, run_, source_sha256, static_cast<int>(evaluation.verdict),
                 static_cast<int>(evaluation.stage), evaluation.reason);
    if (const auto score = score_us(evaluation)) insert->bind(6, *score);
    insert->bind(7, evaluation_to_json(evaluation));
    insert->bind(8, database.clock.unix_ms());
    insert->exec();
    for (const auto& m : evaluation.measurements) {
      const Query row = database.statement(
          "INSERT INTO measurements(run, source, size, kind, median_us, low_us, high_us, samples, "
          "floor_us, baseline_us) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
      SQLite::bind(*row, run_, source_sha256, m.size, static_cast<int>(m.source), m.median_us,
                   m.low_us, m.high_us, m.samples, m.floor_us, m.baseline_us);
      row->exec();
    }
    return {};
  });
}

Status RunLog::note(std::string_view kind, std::string_view data) {
  auto& database = *archive_.database_;
  return guarded(archive_.path(), "store an event", [&]() -> Status {
    const Query insert =
        database.statement("INSERT INTO events(run, at_ms, kind, data) VALUES (?, ?, ?, ?)");
    SQLite::bind(*insert, run_, database.clock.unix_ms(), std::string(kind), std::string(data));
    insert->exec();
    return {};
  });
}

}  // namespace warpwright::store
