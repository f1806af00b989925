// SPDX-License-Identifier: Apache-2.0
#include "cli/made_kernel.h"

#include "search/records.h"
#include "store/run_log.h"

namespace warpwright::cli {

Result<search::Trial> store_made(store::Archive& archive, const store::RunRecord& run,
                                 search::Trial made) {
  store::RunLog log(archive, run.id);
  search::Proposal& proposal = made.proposal;
  const std::string name = proposal.id;
  WW_CHECK(log.begin());
  WW_TRY(auto known, log.reply(proposal.id));
  for (int i = 2; known && known->text != made.reply; ++i) {
    proposal.id = name + std::to_string(i);
    WW_TRY(known, log.reply(proposal.id));
  }
  if (!known) {
    store::ReplyRecord reply;
    reply.text = made.reply;
    reply.model = proposal.kind;
    reply.finish_reason = "stop";
    reply.origin = proposal.kind;
    WW_TRY(const auto stored, log.remember_prompt(search::to_record(proposal)));
    WW_CHECK(log.add_reply(stored.trial, reply));
    WW_CHECK(log.add_candidate(stored.trial, {made.source, ""}));
  }
  WW_CHECK(log.commit());
  return made;
}

Status take_as_best(store::Archive& archive, const store::RunRecord& run, const search::Trial& made,
                    search::Ending& ending) {
  WW_TRY(auto record, archive.find_run(run.id));
  record.best_trial = made.proposal.id;
  WW_CHECK(archive.set_state(record));
  ending.best = made;
  ending.state.best_trial = made.proposal.id;
  ending.state.best_us = score_us(made.evaluation);
  ending.state.best_speedup = speedup(made.evaluation);
  ending.state.best_roofline = roofline_share(made.evaluation);
  return {};
}

bool end_if_stopped(search::Ending& ending, const StopSignal& stop) {
  if (!stop.requested()) return false;
  ending.status = store::RunStatus::stopped;
  ending.why = std::string(name_of(stop.reason()));
  return true;
}

}  // namespace warpwright::cli
