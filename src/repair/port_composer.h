// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "port/findings.h"
#include "port/names.h"
#include "search/composer.h"
#include "store/records.h"

namespace warpwright::repair {

/// What a model is told of a port that rules did not finish.
struct PortStory {
  std::string file;      ///< the one to write anew
  std::string original;  ///< its text on the other platform
  port::Direction direction = port::Direction::to_hip;
  std::vector<std::string> targets;
  port::Findings findings;  ///< of that file
};

/// Asks for a file of a port. A port that holds needs no further question: what would make it
/// faster is not asked.
class PortComposer final : public search::Composer {
 public:
  explicit PortComposer(PortStory story) : story_(std::move(story)) {}

  Result<std::vector<llm::Message>> initial() override;
  Result<std::vector<llm::Message>> repair(const search::Trial& failed) override;
  Result<std::vector<llm::Message>> optimise(const search::Trial& winner,
                                             std::span<const search::Trial> tried) override;
  Result<std::vector<llm::Message>> another_turn(const search::Trial& last,
                                                 std::span<const search::Trial> seen) override;
  Result<std::vector<llm::Message>> change(const search::Trial& parent,
                                           std::span<const search::Trial> siblings,
                                           int direction) override;
  Result<std::vector<llm::Message>> improve(const search::Trial& best,
                                            std::span<const search::Trial> tried) override;
  Result<std::vector<llm::Message>> redesign(const search::Trial& best,
                                             std::span<const search::Trial> tried) override;
  Result<std::vector<llm::Message>> combine(const search::Trial& first,
                                            const search::Trial& second) override;

 private:
  PortStory story_;
};

/// The file in an answer: its longest fenced block.
store::CandidateRecord file_in_reply(const llm::Reply& reply);

}  // namespace warpwright::repair
