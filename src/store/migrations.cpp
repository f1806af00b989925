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
// are ALTERs listed below it.
struct Step {
  std::string_view sql;
};

std::string_view schema() { return store_schema_files()[0].content; }

constexpr std::size_t kSteps = 1;

}  // namespace

Status check_format(SQLite::Database& connection) {
  const int found = connection.execAndGet("PRAGMA user_version").getInt();
  if (found == static_cast<int>(kSteps)) return {};
  if (found == 0) return Error{"the file is not an archive of warpwright"};
  return Error{"archive format " + std::to_string(found) + " is not this program's " +
               std::to_string(kSteps) + ": 'warpwright runs' updates an older one, a newer one " +
               "needs a newer warpwright"};
}

Status migrate(SQLite::Database& connection) {
  const std::array<Step, kSteps> steps = {{{schema()}}};
  // IMMEDIATE: two processes that create the archive at once must not both run the steps.
  SQLite::Transaction transaction(connection, SQLite::TransactionBehavior::IMMEDIATE);
  const int found = connection.execAndGet("PRAGMA user_version").getInt();
  if (found > static_cast<int>(steps.size())) {
    return Error{"archive format " + std::to_string(found) + " is newer than this program's " +
                 std::to_string(steps.size()) + ": update warpwright"};
  }
  for (std::size_t step = static_cast<std::size_t>(found); step < steps.size(); ++step) {
    connection.exec(std::string(steps[step].sql));
  }
  connection.exec("PRAGMA user_version = " + std::to_string(steps.size()));
  transaction.commit();
  return {};
}

}  // namespace warpwright::store
