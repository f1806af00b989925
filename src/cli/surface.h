// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace warpwright::cli {

/// What a person can type, read from the parser itself: the manual page and the completions are
/// written from this, and so cannot say anything else than --help.
struct OptionSurface {
  std::vector<std::string> names;  ///< "-n", "--candidates"
  bool takes_value = false;
  std::string help;
};

struct PositionalSurface {
  std::string name;  ///< "task"
  std::string help;
  bool required = false;
  bool repeats = false;
};

struct VerbSurface {
  std::string name;
  std::string summary;
  std::string example;
  std::vector<PositionalSurface> positionals;
  std::vector<OptionSurface> options;
};

/// The verbs of the table that are not hidden, in its order.
std::vector<VerbSurface> surface_of(const CLI::App& app);

/// The manual page, in roff.
std::string manual_page(const std::vector<VerbSurface>& verbs, std::string_view version);

/// Words that a positional argument can be: tasks for TASK.
struct KnownWords {
  std::vector<std::string> tasks;
};

std::string bash_completions(const std::vector<VerbSurface>& verbs, const KnownWords& words);
std::string zsh_completions(const std::vector<VerbSurface>& verbs, const KnownWords& words);
std::string fish_completions(const std::vector<VerbSurface>& verbs, const KnownWords& words);

}  // namespace warpwright::cli
