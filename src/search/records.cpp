// SPDX-License-Identifier: Apache-2.0
#include "search/records.h"

#include "verifiers/votes.h"

namespace warpwright::search {

store::PromptRecord to_record(const Proposal& proposal) {
  store::PromptRecord record{
      proposal.id, proposal.round, proposal.slot, proposal.repair, proposal.kind, proposal.parent,
      {}};
  for (const auto& message : proposal.messages) {
    record.messages.push_back({static_cast<int>(message.role), message.text});
  }
  return record;
}

std::vector<llm::Message> messages_of(const store::PromptRecord& prompt) {
  std::vector<llm::Message> messages;
  for (const auto& message : prompt.messages) {
    messages.push_back({static_cast<llm::Role>(message.role), message.text});
  }
  return messages;
}

store::ReplyRecord to_record(const llm::Reply& reply, const std::string& spec) {
  return {.text = reply.text,
          .reasoning = reply.reasoning,
          .model = reply.model,
          .finish_reason = reply.finish_reason,
          .origin = "model",
          .fresh = reply.usage.fresh,
          .cache_read = reply.usage.cache_read,
          .cache_write = reply.usage.cache_write,
          .output = reply.usage.output,
          .reasoning_tokens = reply.usage.reasoning,
          .estimated = reply.usage.estimated,
          .cost_usd = reply.cost_usd,
          .unpriced = reply.unpriced ? spec : ""};
}

llm::Reply to_reply(const store::ReplyRecord& record) {
  llm::Reply reply;
  reply.text = record.text;
  reply.reasoning = record.reasoning;
  reply.model = record.model;
  reply.finish_reason = record.finish_reason;
  reply.usage = {record.fresh,  record.cache_read,       record.cache_write,
                 record.output, record.reasoning_tokens, record.estimated};
  reply.cost_usd = record.cost_usd;
  reply.unpriced = !record.unpriced.empty();
  return reply;
}

Cost cost_of(const Evaluation& evaluation) {
  Cost cost{1, 0, 0, evaluation.device_s};
  const auto votes = verifiers::votes_of(evaluation);
  if (!votes) return cost;
  if (verifiers::is_refusal(evaluation)) cost.evaluations = 0;
  cost.tokens = votes->tokens;
  cost.usd = votes->usd;
  cost.unpriced = votes->unpriced;
  return cost;
}

Evaluation no_code(const std::string& reason) {
  Evaluation evaluation;
  evaluation.verdict = Verdict::no_code;
  evaluation.stage = Stage::reply;
  evaluation.reason = reason;
  evaluation.feedback = reason;
  return evaluation;
}

}  // namespace warpwright::search
