// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string>
#include <string_view>

#include "base/embedded.h"
#include "store/database.h"

namespace warpwright {
std::span<const EmbeddedFile> store_schema_files();
}

namespace warpwright::store {

namespace {

// Step i brings format i to format i + 1. Format 1 is schema.sql as it was at 0.1.0; later steps
// are ALTERs. Whoever may only read sees the same through a view under the table's name.
struct Step {
  std::string_view sql;
  std::string_view view;
};

constexpr std::string_view kRunFolder = "ALTER TABLE runs ADD COLUMN folder TEXT";
constexpr std::string_view kRunFolderView =
    "CREATE TEMP VIEW runs AS SELECT rowid AS rowid, *, NULL AS folder FROM main.runs";

constexpr std::string_view kUnpriced =
    "ALTER TABLE replies ADD COLUMN unpriced TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE failures ADD COLUMN unpriced TEXT NOT NULL DEFAULT ''";
constexpr std::string_view kUnpricedView =
    "CREATE TEMP VIEW replies AS SELECT *, '' AS unpriced FROM main.replies;"
    "CREATE TEMP VIEW failures AS SELECT *, '' AS unpriced FROM main.failures";

constexpr std::string_view kDerived =
    "CREATE TABLE derived (run TEXT NOT NULL REFERENCES runs(id), source TEXT NOT NULL, "
    "kind TEXT NOT NULL, accepted INTEGER NOT NULL, summary TEXT NOT NULL, report TEXT NOT NULL, "
    "content BLOB NOT NULL, created_ms INTEGER NOT NULL, PRIMARY KEY (run, source, kind)) "
    "STRICT, WITHOUT ROWID";
constexpr std::string_view kDerivedView =
    "CREATE TEMP VIEW derived AS SELECT '' AS run, '' AS source, '' AS kind, 0 AS accepted, "
    "'' AS summary, '' AS report, x'' AS content, 0 AS created_ms WHERE 0";

constexpr std::size_t kSteps = 4;

std::array<Step, kSteps> steps() {
  return {{{store_schema_files()[0].content, ""},
           {kRunFolder, kRunFolderView},
           {kUnpriced, kUnpricedView},
           {kDerived, kDerivedView}}};
}

/// The file's format, 0 for a file without one.
Result<std::size_t> format_of(SQLite::Database& connection) {
  const int found = connection.execAndGet("PRAGMA user_version").getInt();
  if (found >= 0 && found <= static_cast<int>(kSteps)) return static_cast<std::size_t>(found);
  return Error{"archive format " + std::to_string(found) + " is newer than this program's " +
               std::to_string(kSteps) + ": update warpwright"};
}

}  // namespace

Status prepare_reading(SQLite::Database& connection) {
  WW_TRY(const std::size_t found, format_of(connection));
  if (found == 0) return Error{"the file is not an archive of warpwright"};
  for (std::size_t step = found; step < kSteps; ++step) {
    connection.exec(std::string(steps()[step].view));
  }
  connection.exec("PRAGMA query_only = ON");
  return {};
}

Status migrate(SQLite::Database& connection) {
  // IMMEDIATE: two processes that create the archive at once must not both run the steps.
  SQLite::Transaction transaction(connection, SQLite::TransactionBehavior::IMMEDIATE);
  WW_TRY(const std::size_t found, format_of(connection));
  for (std::size_t step = found; step < kSteps; ++step) {
    connection.exec(std::string(steps()[step].sql));
  }
  connection.exec("PRAGMA user_version = " + std::to_string(kSteps));
  transaction.commit();
  return {};
}

}  // namespace warpwright::store
