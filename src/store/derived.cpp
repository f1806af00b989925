// SPDX-License-Identifier: Apache-2.0
#include "store/archive.h"
#include "store/database.h"

namespace warpwright::store {

Result<std::vector<DerivedRecord>> Archive::derived(const std::string& run, Content content) {
  return guarded(path(), "read what was derived", [&]() -> Result<std::vector<DerivedRecord>> {
    std::vector<DerivedRecord> found;
    const Query query = content == Content::read
                            ? database_->statement(
                                  "SELECT source, kind, accepted, summary, report, created_ms, "
                                  "content FROM derived WHERE run = ? ORDER BY created_ms, source")
                            : database_->statement(
                                  "SELECT source, kind, accepted, summary, report, created_ms, "
                                  "x'' FROM derived WHERE run = ? ORDER BY created_ms, source");
    query->bind(1, run);
    while (query->executeStep()) {
      DerivedRecord& record = found.emplace_back();
      record.source_sha256 = query->getColumn(0).getString();
      record.kind = query->getColumn(1).getString();
      record.accepted = query->getColumn(2).getInt() != 0;
      record.summary = query->getColumn(3).getString();
      record.report = query->getColumn(4).getString();
      record.created_ms = query->getColumn(5).getInt64();
      record.content = query->getColumn(6).getString();
    }
    return found;
  });
}

Status Archive::add_derived(const std::string& run, const DerivedRecord& record) {
  return guarded(path(), "store what was derived", [&]() -> Status {
    const Query insert = database_->statement(
        "INSERT OR IGNORE INTO derived(run, source, kind, accepted, summary, report, content, "
        "created_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
    insert->bind(1, run);
    insert->bind(2, record.source_sha256);
    insert->bind(3, record.kind);
    insert->bind(4, record.accepted ? 1 : 0);
    insert->bind(5, record.summary);
    insert->bind(6, record.report);
    insert->bind(7, record.content.data(), static_cast<int>(record.content.size()));
    insert->bind(8, database_->clock.unix_ms());
    insert->exec();
    return {};
  });
}

}  // namespace warpwright::store
