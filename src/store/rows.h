// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "store/database.h"

namespace warpwright::store {

/// From a row (trial, round, slot, repair, kind, parent); messages stay empty.
PromptRecord read_prompt(SQLite::Statement& row);

/// Stores a text under its hash, once, and returns the hash.
std::string insert_text(Database& database, const std::string& text);

/// The messages column and back.
std::string intern_messages(Database& database, const std::vector<MessageRecord>& messages);
Result<std::vector<MessageRecord>> expand_messages(Database& database, const std::string& column);

void insert_reply(Database& database, const std::string& run, const std::string& trial,
                  const ReplyRecord& reply);

/// From columns starting at `first`, in the order of the replies table from `text` on.
ReplyRecord read_reply(SQLite::Statement& row, int first);

}  // namespace warpwright::store
