// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <unordered_map>
#include <utility>

#include <SQLiteCpp/SQLiteCpp.h>
#include <SQLiteCpp/VariadicBind.h>
#include <sqlite3.h>

#include "base/clock.h"
#include "base/result.h"
#include "store/archive.h"

namespace warpwright::store {

/// A prepared statement in use; reset at the end of its scope. A statement left half-read would
/// pin an old snapshot and make the next write fail once another process has written.
class Query {
 public:
  explicit Query(SQLite::Statement& statement) : statement_(statement) {}
  ~Query() { statement_.tryReset(); }
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;

  SQLite::Statement* operator->() const { return &statement_; }
  SQLite::Statement& operator*() const { return statement_; }

 private:
  SQLite::Statement& statement_;
};

/// The connection behind an Archive. Statements are prepared once; library exceptions end in
/// guarded().
struct Database {
  Database(const std::filesystem::path& file, const Clock& its_clock);
  /// For reading: `name` is what SQLite opens, a path or a URI.
  Database(const std::filesystem::path& file, const std::string& name, const Clock& its_clock);

  /// The statement of this text (a literal: its address is the key), with no bindings.
  Query statement(const char* sql);

  std::filesystem::path path;
  const Clock& clock;
  SQLite::Database connection;
  std::unordered_map<const char*, SQLite::Statement> statements;
};

/// Runs work that may throw SQLite's exceptions and returns its Result, or the exception as an
/// Error that names the attempt and the file.
template <class Work>
auto guarded(const std::filesystem::path& file, const char* attempt, Work work)
    -> decltype(work()) {
  try {
    return work();
  } catch (const SQLite::Exception& exception) {
    std::string message = std::string("cannot ") + attempt + " in archive '" + file.string() +
                          "': " + exception.what();
    if (exception.getErrorCode() == SQLITE_FULL) message += " (free some disk space, then resume)";
    if (exception.getErrorCode() == SQLITE_BUSY) message += " (another process holds it)";
    return Error{std::move(message)};
  }
}

/// Brings the file to the newest format.
Status migrate(SQLite::Database& connection);

/// For a connection that only reads: an older format looks like the newest through temporary views,
/// a newer one is refused. Nothing can be written afterwards.
Status prepare_reading(SQLite::Database& connection);

}  // namespace warpwright::store
