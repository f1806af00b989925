// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "llm/model.h"

namespace warpwright::llm {

/// "PROGRAM ARG ..." cut at spaces; there is no quoting and no shell.
std::vector<std::string> split_command(std::string_view command);

/// The messages as one text: alone as it is, several under "### role" lines.
std::string prompt_text(const std::vector<Message>& messages);

/// "NAME=value" without keys: no variable that any service's row names or that looks like a
/// secret (..._API_KEY, ..._TOKEN, ...SECRET...), except those in `pass`.
std::vector<std::string> environment_without_keys(const std::vector<std::string>& variables,
                                                  std::string_view key_env,
                                                  const std::vector<std::string>& pass);

}  // namespace warpwright::llm
