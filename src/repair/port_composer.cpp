// SPDX-License-Identifier: Apache-2.0
#include "repair/port_composer.h"

#include <fmt/format.h>

#include "base/text.h"
#include "prompt/reply_blocks.h"

namespace warpwright::repair {

using Messages = Result<std::vector<llm::Message>>;

namespace {

constexpr std::size_t kMostFeedback = 8 * 1024;
constexpr std::size_t kMostFindings = 40;

constexpr const char* kAnswer =
    "Answer with one fenced code block that holds the complete file `{}`; nothing of it may be "
    "left out.";

constexpr const char* kHipRules =
    "- HIP 5.2, compiled by clang for {}. No library beside HIP itself.\n"
    "- The headers `warpwright_hip*.h` that the file includes lie beside it and keep warps of 32 "
    "lanes on every device: `ww_...` functions are theirs. Keep their use.\n"
    "- The program must do the same on devices whose wavefronts have 32 lanes and 64 lanes. There "
    "is no inline PTX: write C++.\n";
constexpr const char* kCudaRules = "- CUDA, compiled by nvcc for {}.\n";

std::string list_of(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string findings_text(const port::Findings& findings) {
  std::string text;
  std::size_t count = 0;
  for (const port::Unmapped& row : findings.unmapped)
    if (count++ < kMostFindings)
      text += fmt::format("- line {}: `{}`: {}\n", row.line, row.text, row.advice);
  for (const port::Hazard& row : findings.hazards)
    if (!row.repaired && count++ < kMostFindings)
      text += fmt::format("- line {}: `{}`: {}\n", row.line, row.text, row.why);
  return text;
}

Messages no_such_question() {
  return Error{"a port that holds needs no further question; search it with the strategy fsr"};
}

}  // namespace

Messages PortComposer::initial() {
  const bool hip = story_.direction == port::Direction::to_hip;
  std::string text = fmt::format(
      "A program is carried from {} to {}. Rules translated it; what they could not do is left to "
      "you.\n\n# The original of `{}`\n```\n{}\n```\n",
      hip ? "CUDA" : "HIP", hip ? "HIP, for devices of AMD" : "CUDA", story_.file,
      trimmed(story_.original));
  const std::string found = findings_text(story_.findings);
  if (!found.empty())
    text += "\n# What the rules did not settle, by line of the original\n" + found;
  text += "\n# What counts\n";
  text += fmt::format(fmt::runtime(hip ? kHipRules : kCudaRules), list_of(story_.targets));
  text +=
      "- The program prints the same text, ends with the same status and copies the same bytes "
      "from the device as the original: both are run and compared. Kernels stay kernels.\n"
      "- Only this file may change.\n\n";
  text += fmt::format(fmt::runtime(kAnswer), story_.file) + "\n";
  return std::vector<llm::Message>{
      {llm::Role::system,
       "You are an expert in CUDA C++ and HIP C++, and carry programs between GPUs of NVIDIA and "
       "AMD without changing what they compute."},
      {llm::Role::user, std::move(text)}};
}

Messages PortComposer::repair(const search::Trial& failed) {
  const Evaluation& evaluation = failed.evaluation;
  std::string text = "This file does not hold yet: " + evaluation.reason + ".\n";
  if (!evaluation.feedback.empty()) text += "\n" + shortened(evaluation.feedback, kMostFeedback);
  text += "\nFind the cause of the first message, and look for the same mistake elsewhere. ";
  text += fmt::format(fmt::runtime(kAnswer), story_.file) + "\n";
  return search::continue_dialogue(failed, std::move(text));
}

Messages PortComposer::optimise(const search::Trial&, std::span<const search::Trial>) {
  return no_such_question();
}

Messages PortComposer::another_turn(const search::Trial&, std::span<const search::Trial>) {
  return no_such_question();
}

Messages PortComposer::change(const search::Trial&, std::span<const search::Trial>, int) {
  return no_such_question();
}

Messages PortComposer::improve(const search::Trial&, std::span<const search::Trial>) {
  return no_such_question();
}

Messages PortComposer::redesign(const search::Trial&, std::span<const search::Trial>) {
  return no_such_question();
}

Messages PortComposer::combine(const search::Trial&, const search::Trial&) {
  return no_such_question();
}

store::CandidateRecord file_in_reply(const llm::Reply& reply) {
  const prompt::Spoken spoken = prompt::without_thinking(reply.text);
  std::string longest;
  bool cut = false;
  for (const prompt::Block& block : prompt::fenced_blocks(spoken.text)) {
    const bool whole = block.closed || reply.finish_reason != "length";
    cut = cut || !whole;
    if (whole && block.info != "diff" && block.content.size() > longest.size())
      longest = block.content;
  }
  if (trimmed(longest).empty())
    return {"", cut ? "the answer was cut before its end"
                    : "the answer holds no fenced code block with the file"};
  return {clean_utf8(longest), ""};
}

}  // namespace warpwright::repair
