// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpwright::prompt {

/// One fenced block of a reply.
struct Block {
  std::string info;     ///< what stands behind the opening fence, lower case
  std::string content;  ///< without the fence's own indent
  bool closed = false;  ///< a fence ended it, not the end of the text
};

/// Fences of backticks or tildes, indented, longer, nested or unclosed. A fence with an info
/// string inside a block starts a new block: models nest blocks and forget to close them.
std::vector<Block> fenced_blocks(std::string_view text);

/// What is left of a reply when the model's thinking is taken out.
struct Spoken {
  std::string text;
  bool had_thinking = false;
  bool unclosed = false;  ///< the thinking has no end, or an end without a beginning
};

Spoken without_thinking(std::string_view text);

/// &lt; and its kin made into the characters they stand for.
std::string html_unescaped(std::string_view text);

/// <pre> and <code> elements made into fenced blocks.
std::string html_blocks_as_fences(std::string_view text);

}  // namespace warpwright::prompt
