// SPDX-License-Identifier: Apache-2.0
#include "cli/surface.h"

#include <CLI/CLI.hpp>

#include "cli/verbs.h"

namespace warpwright::cli {

namespace {

void add_words(const CLI::Option& option, VerbSurface& verb) {
  if (option.get_group().empty()) return;  // hidden
  if (option.get_positional()) {
    verb.positionals.push_back({option.get_name(true), option.get_description(),
                                option.get_required(), option.get_items_expected_max() > 1});
    return;
  }
  OptionSurface row;
  for (const auto& name : option.get_snames()) row.names.push_back("-" + name);
  for (const auto& name : option.get_lnames()) row.names.push_back("--" + name);
  row.takes_value = option.get_items_expected_max() > 0;
  row.help = option.get_description();
  verb.options.push_back(std::move(row));
}

}  // namespace

std::vector<VerbSurface> surface_of(const CLI::App& app) {
  std::vector<VerbSurface> result;
  for (const auto& row : verbs()) {
    if (row.hidden) continue;
    VerbSurface verb{
        std::string(row.name), std::string(row.summary), std::string(row.example), {}, {}};
    // The library hands out pointers to what can be changed; nothing is changed here.
    for (const CLI::Option* option : app.get_subcommand(verb.name)->get_options())
      add_words(*option, verb);
    result.push_back(std::move(verb));
  }
  return result;
}

}  // namespace warpwright::cli
