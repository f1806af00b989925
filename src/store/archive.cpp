// SPDX-License-Identifier: Apache-2.0
#include "store/archive.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <random>

#include <unistd.h>

#include "base/files.h"
#include "core/evaluation_json.h"
#include "store/database.h"
#include "store/rows.h"

namespace warpwright::store {

namespace {

constexpr int kBusyTimeoutMs = 20'000;

constexpr std::array<std::string_view, 5> kStatusNames = {"running", "waiting", "finished",
                                                          "stopped", "failed"};

constexpr const char* kRunColumns =
    "SELECT id, task, task_json, strategy, model, device, status, ending, best_trial, created_ms, "
    "elapsed_ms, coalesce(folder, id) FROM runs ORDER BY created_ms, rowid";

RunRecord read_run(SQLite::Statement& row) {
  RunRecord run;
  run.id = row.getColumn(0).getString();
  run.task = row.getColumn(1).getString();
  run.task_json = row.getColumn(2).getString();
  run.strategy = row.getColumn(3).getString();
  run.model = row.getColumn(4).getString();
  run.device = row.getColumn(5).getString();
  run.status = static_cast<RunStatus>(row.getColumn(6).getInt());
  run.ending = row.getColumn(7).getString();
  run.best_trial = row.getColumn(8).getString();
  run.created_ms = row.getColumn(9).getInt64();
  run.elapsed_ms = row.getColumn(10).getInt64();
  run.folder = row.getColumn(11).getString();
  return run;
}

/// A reader of a write-ahead log wants to write its index beside the file. Where it cannot, and
/// there is no log, nobody else can be writing either: the file is taken as it is.
std::string read_only_name(const std::filesystem::path& path) {
  std::string name = "file:";
  for (const char c : absolute_path(path).string()) {
    if (c == '%' || c == '?' || c == '#') {
      constexpr std::string_view kDigits = "0123456789ABCDEF";
      const auto byte = static_cast<unsigned char>(c);
      name += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    } else {
      name += c;
    }
  }
  const auto log = path_exists(path.string() + "-wal");
  const bool logged = !log.ok() || *log;
  const std::string folder = path.has_parent_path() ? path.parent_path().string() : ".";
  if (!logged && ::access(folder.c_str(), W_OK) != 0) name += "?immutable=1";
  return name;
}

/// Run ids repeat: in another archive of the same folder, in one that was deleted and made anew.
/// What a run leaves beside the archive must never be taken for another's.
std::string folder_of_its_own(const std::string& id) {
  std::random_device random;
  char mark[16];
  std::snprintf(mark, sizeof mark, "-%08x", static_cast<unsigned>(random()));
  return id + mark;
}

std::string listed(const std::vector<RunRecord>& runs) {
  if (runs.empty()) return "the archive is empty: start with 'warpwright run TASK'";
  std::string text = "there are:";
  const std::size_t first = runs.size() > 12 ? runs.size() - 12 : 0;
  for (std::size_t i = first; i < runs.size(); ++i) text += " " + runs[i].id;
  return text;
}

}  // namespace

std::string_view name_of(RunStatus status) {
  const auto index = static_cast<std::size_t>(status);
  ASSERT(index < kStatusNames.size(), "unknown run status");
  return kStatusNames[index];
}

Database::Database(const std::filesystem::path& file, const Clock& its_clock)
    : path(file),
      clock(its_clock),
      connection(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, kBusyTimeoutMs) {
  connection.exec("PRAGMA journal_mode = WAL");
  connection.exec("PRAGMA synchronous = FULL");
  connection.exec("PRAGMA foreign_keys = ON");
}

Database::Database(const std::filesystem::path& file, const std::string& name,
                   const Clock& its_clock)
    : path(file),
      clock(its_clock),
      connection(name, SQLite::OPEN_READONLY | SQLite::OPEN_URI, kBusyTimeoutMs) {}

Query Database::statement(const char* sql) {
  auto found = statements.find(sql);
  if (found == statements.end()) {
    found = statements.emplace(sql, SQLite::Statement(connection, sql)).first;
  }
  found->second.clearBindings();
  return Query(found->second);
}

Archive::Archive(std::unique_ptr<Database> database) : database_(std::move(database)) {}
Archive::~Archive() = default;

const std::filesystem::path& Archive::path() const { return database_->path; }

Result<std::unique_ptr<Archive>> Archive::open(const std::filesystem::path& path,
                                               const Clock& clock) {
  if (path.has_parent_path()) WW_CHECK(make_directories(path.parent_path()));
  return guarded(path, "open the database", [&]() -> Result<std::unique_ptr<Archive>> {
    auto database = std::make_unique<Database>(path, clock);
    WW_CHECK(migrate(database->connection));
    return std::unique_ptr<Archive>(new Archive(std::move(database)));
  });
}

Result<std::unique_ptr<Archive>> Archive::open_read_only(const std::filesystem::path& path,
                                                         const Clock& clock) {
  WW_TRY(const bool there, path_exists(path));
  if (!there) {
    return Error{"there is no archive '" + path.string() +
                 "'; start a run with 'warpwright run TASK' or name one with --archive"};
  }
  return guarded(path, "open the database", [&]() -> Result<std::unique_ptr<Archive>> {
    auto database = std::make_unique<Database>(path, read_only_name(path), clock);
    WW_CHECK(prepare_reading(database->connection));
    return std::unique_ptr<Archive>(new Archive(std::move(database)));
  });
}

Result<std::string> Archive::create_run(RunRecord run, const std::vector<ConfigValue>& config) {
  return guarded(path(), "create a run", [&]() -> Result<std::string> {
    SQLite::Transaction transaction(database_->connection, SQLite::TransactionBehavior::IMMEDIATE);
    const Query taken = database_->statement("SELECT count(*) FROM runs WHERE id = ?");
    for (int number = 1;; ++number) {
      run.id = run.task + "-" + std::to_string(number);
      taken->reset();
      taken->bind(1, run.id);
      taken->executeStep();
      if (taken->getColumn(0).getInt() == 0) break;
    }
    const Query insert = database_->statement(
        "INSERT INTO runs(id, task, task_json, strategy, model, device, status, created_ms, "
        "folder) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
    SQLite::bind(*insert, run.id, run.task, run.task_json, run.strategy, run.model, run.device,
                 static_cast<int>(run.status), database_->clock.unix_ms(),
                 folder_of_its_own(run.id));
    insert->exec();
    for (const auto& value : config) WW_CHECK(set_config(run.id, value));
    transaction.commit();
    return run.id;
  });
}

Result<std::vector<RunRecord>> Archive::runs() {
  return guarded(path(), "list runs", [&]() -> Result<std::vector<RunRecord>> {
    std::vector<RunRecord> found;
    const Query query = database_->statement(kRunColumns);
    while (query->executeStep()) found.push_back(read_run(*query));
    return found;
  });
}

Result<RunRecord> Archive::find_run(std::string_view name) {
  WW_TRY(const auto all, runs());
  if (name == "last" && !all.empty()) return all.back();
  std::vector<const RunRecord*> beginnings;
  for (const auto& run : all) {
    if (run.id == name) return run;
    if (!name.empty() && run.id.starts_with(name)) beginnings.push_back(&run);
  }
  if (beginnings.size() == 1) return *beginnings[0];
  if (beginnings.size() > 1) {
    return Error{"run '" + std::string(name) + "' is ambiguous; " + listed(all)};
  }
  return Error{"no run '" + std::string(name) + "' in archive '" + path().string() + "'; " +
               listed(all)};
}

Result<std::vector<ConfigValue>> Archive::config(const std::string& run) {
  return guarded(path(), "read a run's settings", [&]() -> Result<std::vector<ConfigValue>> {
    std::vector<ConfigValue> values;
    const Query query =
        database_->statement("SELECT key, value, origin FROM config WHERE run = ? ORDER BY key");
    query->bind(1, run);
    while (query->executeStep()) {
      values.push_back({query->getColumn(0).getString(), query->getColumn(1).getString(),
                        query->getColumn(2).getString()});
    }
    return values;
  });
}

Status Archive::set_config(const std::string& run, const ConfigValue& value) {
  return guarded(path(), "store a setting", [&]() -> Status {
    const Query insert = database_->statement(
        "INSERT INTO config(run, key, value, origin) VALUES (?, ?, ?, ?) "
        "ON CONFLICT(run, key) DO UPDATE SET value = excluded.value, origin = excluded.origin");
    SQLite::bind(*insert, run, value.key, value.value, value.origin);
    insert->exec();
    return {};
  });
}

Status Archive::restate_run(const RunRecord& run, const std::vector<ConfigValue>& config) {
  return guarded(path(), "store a run's settings", [&]() -> Status {
    SQLite::Transaction transaction(database_->connection, SQLite::TransactionBehavior::IMMEDIATE);
    const Query update =
        database_->statement("UPDATE runs SET strategy = ?, model = ?, device = ? WHERE id = ?");
    SQLite::bind(*update, run.strategy, run.model, run.device, run.id);
    update->exec();
    for (const auto& value : config) WW_CHECK(set_config(run.id, value));
    transaction.commit();
    return {};
  });
}

Status Archive::set_state(const RunRecord& run) {
  return guarded(path(), "store a run's state", [&]() -> Status {
    const Query update = database_->statement(
        "UPDATE runs SET status = ?, ending = ?, best_trial = ?, elapsed_ms = ? WHERE id = ?");
    SQLite::bind(*update, static_cast<int>(run.status), run.ending, run.best_trial,
                 static_cast<std::int64_t>(run.elapsed_ms), run.id);
    update->exec();
    return {};
  });
}

Result<std::vector<PromptRecord>> Archive::pending(const std::string& run) {
  return guarded(path(), "list open questions", [&]() -> Result<std::vector<PromptRecord>> {
    std::vector<PromptRecord> found;
    const Query query = database_->statement(
        "SELECT trial, round, slot, repair, kind, parent FROM prompts p WHERE run = ? "
        "AND NOT EXISTS (SELECT 1 FROM replies r WHERE r.run = p.run AND r.trial = p.trial) "
        "AND NOT EXISTS (SELECT 1 FROM failures f WHERE f.run = p.run AND f.trial = p.trial "
        "AND f.final = 1) ORDER BY round, repair, slot, trial");
    query->bind(1, run);
    while (query->executeStep()) found.push_back(read_prompt(*query));
    for (auto& prompt : found) {
      WW_TRY(prompt.messages, messages(run, prompt.trial));
    }
    return found;
  });
}

Result<int> Archive::answer_count(const std::string& run) {
  return guarded(path(), "count answers", [&]() -> Result<int> {
    const Query query = database_->statement("SELECT count(*) FROM replies WHERE run = ?");
    query->bind(1, run);
    query->executeStep();
    return query->getColumn(0).getInt();
  });
}

Status Archive::tell(const std::string& run, const std::string& trial, const ReplyRecord& reply) {
  return guarded(path(), "store an answer", [&]() -> Status {
    SQLite::Transaction transaction(database_->connection, SQLite::TransactionBehavior::IMMEDIATE);
    const Query asked = database_->statement("SELECT 1 FROM prompts WHERE run = ? AND trial = ?");
    SQLite::bind(*asked, run, trial);
    if (!asked->executeStep()) {
      return Error{"run '" + run + "' has not asked '" + trial + "'; 'warpwright ask " + run +
                   "' lists its open questions"};
    }
    const Query answered =
        database_->statement("SELECT 1 FROM replies WHERE run = ? AND trial = ?");
    SQLite::bind(*answered, run, trial);
    if (answered->executeStep()) {
      return Error{"question '" + trial + "' of run '" + run +
                   "' has an answer already; stored answers are never replaced"};
    }
    insert_reply(*database_, run, trial, reply);
    transaction.commit();
    return {};
  });
}

Result<std::vector<MessageRecord>> Archive::messages(const std::string& run,
                                                     const std::string& trial) {
  return guarded(path(), "read a prompt", [&]() -> Result<std::vector<MessageRecord>> {
    const Query query =
        database_->statement("SELECT messages FROM prompts WHERE run = ? AND trial = ?");
    SQLite::bind(*query, run, trial);
    if (!query->executeStep()) return Error{"run '" + run + "' has no trial '" + trial + "'"};
    return expand_messages(*database_, query->getColumn(0).getString());
  });
}

}  // namespace warpwright::store
