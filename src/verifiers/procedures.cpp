// SPDX-License-Identifier: Apache-2.0
#include "verifiers/procedures.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/text.h"

namespace warpwright::verifiers {

namespace {

constexpr std::string_view kCompile =
    "1. Is every name declared before it is used, and every header included that it needs?\n"
    "2. Do the types of arguments fit the parameters, in calls and in launches?\n"
    "3. Does device code call only what a device has, and do qualifiers (__global__, __device__, "
    "__shared__) stand where they may?\n"
    "4. Do brackets close, do templates get constants where they need them, are array lengths "
    "constant?\n"
    "5. Is there one extern \"C\" function `solve` with the signature that the task gives?\n";

constexpr std::string_view kNumeric =
    "1. Write down which thread computes which element, from blockIdx, threadIdx and the loops.\n"
    "2. Is every element of the output computed, exactly once or by atomics that start from a set "
    "value? Try the first, an inner and the last element, and a size that no tile divides.\n"
    "3. Take one output element and follow it: are its inputs the ones that the task names, with "
    "rows and columns in the right order?\n"
    "4. Is shared memory written before it is read, with a barrier between, and another one "
    "before it is written again? Can all threads of the block reach each barrier?\n"
    "5. For a reduction, follow its tree for one warp and for one block. Do lanes beyond the data "
    "bring the neutral element?\n"
    "6. Are sums wide enough for the element type, and are divisions by zero and overflows of an "
    "exponential kept out?\n";

constexpr std::string_view kMemory =
    "1. For each access write down the smallest and the largest index, at the smallest and at the "
    "largest size, and compare them with the length of the array.\n"
    "2. Do products of sizes fit their type before they become an address?\n"
    "3. Is static and dynamic shared memory as large as its largest index, within 48 KiB or opted "
    "in to more? Is the size in the launch the size that the kernel expects?\n"
    "4. Are vector accesses aligned at every size, also in rows whose length no vector divides?\n"
    "5. Do grid and block stay within the device's limits, and is neither empty at any size?\n"
    "6. Is device memory that the host allocates set before use, and freed?\n";

constexpr std::array<Procedure, 3> kProcedures = {{
    {"compile", "Does nvcc accept it?", kCompile},
    {"numeric", "Is its result right at every size?", kNumeric},
    {"memory", "Does it stay in its memory, and can it be launched?", kMemory},
}};

constexpr std::string_view kVote = "VOTE:";
constexpr std::string_view kBecause = "BECAUSE:";
constexpr std::size_t kLongestReason = 300;

/// The text behind a mark at the beginning of a line, whatever stars and case surround it.
std::optional<std::string_view> behind(std::string_view line, std::string_view mark) {
  while (!line.empty() && (line.front() == '*' || line.front() == ' ' || line.front() == '#' ||
                           line.front() == '`' || line.front() == '>' || line.front() == '-'))
    line.remove_prefix(1);
  if (line.size() < mark.size()) return std::nullopt;
  for (std::size_t i = 0; i < mark.size(); ++i)
    if (std::toupper(static_cast<unsigned char>(line[i])) != mark[i]) return std::nullopt;
  line.remove_prefix(mark.size());
  while (!line.empty() && (line.front() == '*' || line.front() == ' ' || line.front() == '`'))
    line.remove_prefix(1);
  return trimmed(line);
}

/// "yes" or "no" at the beginning, and no word that only begins so.
std::optional<bool> yes_or_no(std::string_view text) {
  const auto begins = [&](std::string_view word) {
    if (text.size() < word.size()) return false;
    for (std::size_t i = 0; i < word.size(); ++i)
      if (std::tolower(static_cast<unsigned char>(text[i])) != word[i]) return false;
    return text.size() == word.size() ||
           std::isalnum(static_cast<unsigned char>(text[word.size()])) == 0;
  };
  if (begins("yes")) return true;
  if (begins("no")) return false;
  return std::nullopt;
}

std::string with_line_numbers(std::string_view source) {
  std::string text;
  int number = 0;
  for (const std::string_view line : lines_of(source))
    text += std::to_string(++number) + ": " + std::string(line) + "\n";
  return text;
}

}  // namespace

std::span<const Procedure> procedures() { return kProcedures; }

bool concerns(const Procedure& procedure, Verdict verdict) {
  switch (verdict) {
    case Verdict::compile_error:
    case Verdict::forbidden:
    case Verdict::no_code:
      return procedure.name == "compile";
    case Verdict::mismatch:
    case Verdict::precision:
    case Verdict::race:
    case Verdict::cheat:
      return procedure.name == "numeric";
    case Verdict::memory_fault:
    case Verdict::launch_error:
    case Verdict::host_error:
    case Verdict::timeout:
      return procedure.name == "memory";
    case Verdict::ok:
    case Verdict::harness_error:
    case Verdict::unchecked:
      return false;
  }
  return false;
}

std::vector<llm::Message> question_of(const Procedure& procedure, std::string_view task,
                                      std::string_view source) {
  std::string text = "You check a CUDA program by reading it. One question counts: " +
                     std::string(procedure.question) +
                     "\nOther faults are somebody else's. Do not rewrite the program.\n\n"
                     "Go through these steps in your head:\n" +
                     std::string(procedure.steps) +
                     "\nSay no only for a fault that you can name with its line. End with two "
                     "lines:\nBECAUSE: one sentence, with the line of the fault if there is one\n"
                     "VOTE: yes (it passes) or no (it fails)\n\n"
                     "# What the program was asked to do\n\n" +
                     std::string(task) + "\n\n# The program, with line numbers\n\n" +
                     with_line_numbers(source);
  return {{llm::Role::user, std::move(text)}};
}

std::optional<Opinion> opinion_in(std::string_view answer) {
  std::optional<Opinion> found;
  std::string because;
  for (const std::string_view line : lines_of(answer)) {
    if (const auto reason = behind(line, kBecause))
      because = clean_utf8(shortened(*reason, kLongestReason));
    const auto vote = behind(line, kVote);
    if (!vote) continue;
    const auto passes = yes_or_no(*vote);
    if (passes) found = Opinion{*passes, because};
  }
  if (found && found->because.empty()) found->because = because;
  return found;
}

}  // namespace warpwright::verifiers
