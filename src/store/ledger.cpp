// SPDX-License-Identifier: Apache-2.0
#include "store/ledger.h"

#include "base/files.h"
#include "store/database.h"

namespace warpwright::store {

namespace {

constexpr int kLedgerFormat = 1;

// `starts`: how many judges began; `result` is empty until one of them was done.
constexpr const char* kLedgerSchema =
    "CREATE TABLE IF NOT EXISTS questions ("
    "  number     INTEGER PRIMARY KEY AUTOINCREMENT,"
    "  id         TEXT NOT NULL UNIQUE,"
    "  client     TEXT NOT NULL,"
    "  wish       TEXT NOT NULL,"
    "  starts     INTEGER NOT NULL DEFAULT 0,"
    "  result     TEXT NOT NULL DEFAULT '',"
    "  asked_ms   INTEGER NOT NULL,"
    "  done_ms    INTEGER NOT NULL DEFAULT 0"
    ") STRICT;"
    "CREATE INDEX IF NOT EXISTS unfinished ON questions(number) WHERE result = ''";

Status prepare_ledger(SQLite::Database& connection) {
  const int found = connection.execAndGet("PRAGMA user_version").getInt();
  if (found != 0 && found != kLedgerFormat) {
    return Error{"the ledger has format " + std::to_string(found) + ", this program writes " +
                 std::to_string(kLedgerFormat) + ": name another file"};
  }
  // The write-ahead log outlives the process without a sync per question; see the contract.
  connection.exec("PRAGMA synchronous = NORMAL");
  connection.exec(kLedgerSchema);
  connection.exec("PRAGMA user_version = " + std::to_string(kLedgerFormat));
  return {};
}

}  // namespace

Ledger::Ledger(std::unique_ptr<Database> database) : database_(std::move(database)) {}
Ledger::~Ledger() = default;

Result<std::unique_ptr<Ledger>> Ledger::open(const std::filesystem::path& path,
                                             const Clock& clock) {
  if (path.has_parent_path()) WW_CHECK(make_directories(path.parent_path()));
  return guarded(path, "open the ledger", [&]() -> Result<std::unique_ptr<Ledger>> {
    auto database = std::make_unique<Database>(path, clock);
    WW_CHECK(prepare_ledger(database->connection));
    return std::unique_ptr<Ledger>(new Ledger(std::move(database)));
  });
}

Result<bool> Ledger::add(const Question& question) {
  const std::lock_guard lock(mutex_);
  return guarded(database_->path, "store a question", [&]() -> Result<bool> {
    const Query query = database_->statement(
        "INSERT OR IGNORE INTO questions(id, client, wish, asked_ms) VALUES (?, ?, ?, ?)");
    SQLite::bind(*query, question.id, question.client, question.wish, database_->clock.unix_ms());
    return query->exec() > 0;
  });
}

Status Ledger::begin(const std::string& id) {
  const std::lock_guard lock(mutex_);
  return guarded(database_->path, "store a beginning", [&]() -> Status {
    const Query query =
        database_->statement("UPDATE questions SET starts = starts + 1 WHERE id = ?");
    query->bind(1, id);
    query->exec();
    return {};
  });
}

Status Ledger::finish(const std::string& id, const std::string& result) {
  const std::lock_guard lock(mutex_);
  return guarded(database_->path, "store a result", [&]() -> Status {
    const Query query =
        database_->statement("UPDATE questions SET result = ?, done_ms = ? WHERE id = ?");
    SQLite::bind(*query, result, database_->clock.unix_ms(), id);
    query->exec();
    return {};
  });
}

Status Ledger::drop(const std::string& id) {
  const std::lock_guard lock(mutex_);
  return guarded(database_->path, "forget a question", [&]() -> Status {
    const Query query = database_->statement("DELETE FROM questions WHERE id = ? AND result = ''");
    query->bind(1, id);
    query->exec();
    return {};
  });
}

Result<std::optional<std::string>> Ledger::result(const std::string& id) {
  const std::lock_guard lock(mutex_);
  return guarded(database_->path, "look up a result", [&]() -> Result<std::optional<std::string>> {
    const Query query =
        database_->statement("SELECT result FROM questions WHERE id = ? AND result <> ''");
    query->bind(1, id);
    if (!query->executeStep()) return std::optional<std::string>();
    return std::optional<std::string>(query->getColumn(0).getString());
  });
}

Result<std::vector<Ledger::Question>> Ledger::unfinished() {
  const std::lock_guard lock(mutex_);
  return guarded(database_->path, "list questions", [&]() -> Result<std::vector<Question>> {
    std::vector<Question> questions;
    const Query query = database_->statement(
        "SELECT id, client, wish FROM questions WHERE result = '' ORDER BY number");
    while (query->executeStep()) {
      questions.push_back({query->getColumn(0).getString(), query->getColumn(1).getString(),
                           query->getColumn(2).getString()});
    }
    return questions;
  });
}

Result<Ledger::Figures> Ledger::figures() {
  const std::lock_guard lock(mutex_);
  return guarded(database_->path, "count questions", [&]() -> Result<Figures> {
    const Query query = database_->statement(
        "SELECT coalesce(sum(result = ''), 0), coalesce(sum(result <> ''), 0), "
        "coalesce(sum(starts > 1), 0) FROM questions");
    query->executeStep();
    return Figures{query->getColumn(0).getInt64(), query->getColumn(1).getInt64(),
                   query->getColumn(2).getInt64()};
  });
}

Status Ledger::keep(std::int64_t results) {
  const std::lock_guard lock(mutex_);
  return guarded(database_->path, "forget old results", [&]() -> Status {
    const Query query = database_->statement(
        "DELETE FROM questions WHERE result <> '' AND number <= "
        "(SELECT coalesce(max(number), 0) FROM questions) - ?");
    query->bind(1, results);
    query->exec();
    return {};
  });
}

}  // namespace warpwright::store
