// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/budget.h"
#include "search/trial.h"
#include "store/records.h"

namespace warpwright::search {

// The archive knows neither models nor strategies; these carry their nouns across.

store::PromptRecord to_record(const Proposal& proposal);
std::vector<llm::Message> messages_of(const store::PromptRecord& prompt);
/// `spec` is the model's, for the day when its price is known.
store::ReplyRecord to_record(const llm::Reply& reply, const std::string& spec);
llm::Reply to_reply(const store::ReplyRecord& record);

/// What a judgement cost, with what verifiers cost before it.
Cost cost_of(const Evaluation& evaluation);

/// The verdict of an answer without code.
Evaluation no_code(const std::string& reason);

}  // namespace warpwright::search
