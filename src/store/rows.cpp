// SPDX-License-Identifier: Apache-2.0
#include "store/rows.h"

#include "base/sha256.h"
#include "core/json_reader.h"

namespace warpwright::store {

PromptRecord read_prompt(SQLite::Statement& row) {
  PromptRecord prompt;
  prompt.trial = row.getColumn(0).getString();
  prompt.round = row.getColumn(1).getInt();
  prompt.slot = row.getColumn(2).getInt();
  prompt.repair = row.getColumn(3).getInt();
  prompt.kind = row.getColumn(4).getString();
  prompt.parent = row.getColumn(5).getString();
  return prompt;
}

std::string insert_text(Database& database, const std::string& text) {
  std::string hash = sha256_hex(text);
  const Query insert =
      database.statement("INSERT OR IGNORE INTO texts(sha256, text) VALUES (?, ?)");
  SQLite::bind(*insert, hash, text);
  insert->exec();
  return hash;
}

std::string intern_messages(Database& database, const std::vector<MessageRecord>& messages) {
  nlohmann::json column = nlohmann::json::array();
  for (const auto& message : messages) {
    column.push_back({message.role, insert_text(database, message.text)});
  }
  return dump_json(column);
}

Result<std::vector<MessageRecord>> expand_messages(Database& database, const std::string& column) {
  WW_TRY(const nlohmann::json list, parse_json(column, "a prompt's message list"));
  std::vector<MessageRecord> messages;
  for (const auto& entry : list) {
    if (!entry.is_array() || entry.size() != 2 || !entry[0].is_number_integer() ||
        !entry[1].is_string()) {
      return Error{"a prompt's message list is damaged"};
    }
    const Query query = database.statement("SELECT text FROM texts WHERE sha256 = ?");
    query->bind(1, entry[1].get<std::string>());
    if (!query->executeStep()) return Error{"a message's text is missing"};
    messages.push_back({entry[0].get<int>(), query->getColumn(0).getString()});
  }
  return messages;
}

void insert_reply(Database& database, const std::string& run, const std::string& trial,
                  const ReplyRecord& reply) {
  const Query insert = database.statement(
      "INSERT INTO replies(run, trial, text, reasoning, model, finish_reason, origin, fresh, "
      "cache_read, cache_write, output, reasoning_tokens, estimated, cost_usd, unpriced, "
      "created_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  SQLite::bind(*insert, run, trial, reply.text, reply.reasoning, reply.model, reply.finish_reason,
               reply.origin, reply.fresh, reply.cache_read, reply.cache_write, reply.output,
               reply.reasoning_tokens, static_cast<int>(reply.estimated), reply.cost_usd,
               reply.unpriced, database.clock.unix_ms());
  insert->exec();
}

ReplyRecord read_reply(SQLite::Statement& row, int first) {
  ReplyRecord reply;
  reply.text = row.getColumn(first).getString();
  reply.reasoning = row.getColumn(first + 1).getString();
  reply.model = row.getColumn(first + 2).getString();
  reply.finish_reason = row.getColumn(first + 3).getString();
  reply.origin = row.getColumn(first + 4).getString();
  reply.fresh = row.getColumn(first + 5).getInt64();
  reply.cache_read = row.getColumn(first + 6).getInt64();
  reply.cache_write = row.getColumn(first + 7).getInt64();
  reply.output = row.getColumn(first + 8).getInt64();
  reply.reasoning_tokens = row.getColumn(first + 9).getInt64();
  reply.estimated = row.getColumn(first + 10).getInt() != 0;
  reply.cost_usd = row.getColumn(first + 11).getDouble();
  reply.unpriced = row.getColumn(first + 12).getString();
  return reply;
}

}  // namespace warpwright::store
