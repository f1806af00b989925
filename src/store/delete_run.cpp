// SPDX-License-Identifier: Apache-2.0
#include "store/delete_run.h"

#include "store/database.h"

namespace warpwright::store {

Status delete_run(const std::filesystem::path& archive, const std::string& run,
                  const Clock& clock) {
  return guarded(archive, "delete a run", [&]() -> Status {
    Database database(archive, clock);
    SQLite::Transaction transaction(database.connection, SQLite::TransactionBehavior::IMMEDIATE);
    // What points at others goes first.
    for (const char* sql :
         {"DELETE FROM derived WHERE run = ?", "DELETE FROM measurements WHERE run = ?",
          "DELETE FROM evaluations WHERE run = ?", "DELETE FROM candidates WHERE run = ?",
          "DELETE FROM failures WHERE run = ?", "DELETE FROM replies WHERE run = ?",
          "DELETE FROM prompts WHERE run = ?", "DELETE FROM config WHERE run = ?",
          "DELETE FROM events WHERE run = ?", "DELETE FROM runs WHERE id = ?"}) {
      const Query query = database.statement(sql);
      query->bind(1, run);
      query->exec();
    }
    database.connection.exec(
        "DELETE FROM texts WHERE sha256 NOT IN (SELECT source FROM candidates) AND sha256 NOT IN "
        "(SELECT json_extract(m.value, '$[1]') FROM prompts, json_each(prompts.messages) m)");
    transaction.commit();
    return {};
  });
}

}  // namespace warpwright::store
