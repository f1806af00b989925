// SPDX-License-Identifier: Apache-2.0
// Completions for three shells, from what the parser knows.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/surface.h"

namespace warpwright::cli {

namespace {

/// What can stand at a positional argument besides a file.
std::vector<std::string> words_for(const PositionalSurface& positional, const KnownWords& words) {
  if (positional.name == "task") return words.tasks;
  if (positional.name == "run") return {"last"};
  if (positional.name == "shell") return {"bash", "zsh", "fish"};
  return {};
}

std::vector<std::string> words_for(const VerbSurface& verb, const KnownWords& words) {
  std::vector<std::string> all;
  for (const auto& positional : verb.positionals) {
    for (auto& word : words_for(positional, words)) all.push_back(std::move(word));
  }
  return all;
}

/// Inside single quotes.
std::string quoted(std::string_view text) {
  std::string result;
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result;
}

/// fish knows two escapes inside single quotes.
std::string fish_quoted(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\'' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

/// A description inside a specification of zsh's _arguments, inside single quotes.
std::string zsh_text(std::string_view text) {
  std::string result;
  for (const char c : quoted(text)) {
    if (c == '[' || c == ']' || c == ':') result += '\\';
    result += c;
  }
  return result;
}

std::string bash_row(const VerbSurface& verb, const KnownWords& words) {
  std::vector<std::string> options;
  std::vector<std::string> valued;
  for (const auto& option : verb.options) {
    for (const auto& name : option.names) {
      options.push_back(name);
      if (option.takes_value) valued.push_back(name);
    }
  }
  return fmt::format("    {})\n      options='{}'\n      valued='{}'\n      words='{}'\n      ;;\n",
                     verb.name, fmt::join(options, " "), fmt::join(valued, " "),
                     fmt::join(words_for(verb, words), " "));
}

std::string zsh_option(const OptionSurface& option) {
  const std::string value = option.takes_value ? ":value:_files" : "";
  std::string rows;
  for (const auto& name : option.names) {
    // Each excludes the others that mean the same.
    rows += fmt::format("        '({}){}[{}]{}' \\\n", fmt::join(option.names, " "), name,
                        zsh_text(option.help), value);
  }
  return rows;
}

std::string zsh_row(const VerbSurface& verb, const KnownWords& words) {
  std::string text = fmt::format("    {})\n      _arguments \\\n", verb.name);
  for (const auto& option : verb.options) text += zsh_option(option);
  for (std::size_t i = 0; i < verb.positionals.size(); ++i) {
    const auto& positional = verb.positionals[i];
    const auto known = words_for(positional, words);
    const std::string action =
        known.empty()
            ? "_files"
            : fmt::format("_alternative \"words\\:word\\:({})\" \"files\\:file\\:_files\"",
                          fmt::join(known, " "));
    const std::string place = positional.repeats ? "*" : std::to_string(i + 1);
    text += fmt::format("        '{}:{}:{}' \\\n", place, zsh_text(positional.name), action);
  }
  return text + "        && return 0\n      ;;\n";
}

std::string fish_rows(const VerbSurface& verb, const KnownWords& words) {
  const std::string when = fmt::format("-n '__fish_seen_subcommand_from {}'", verb.name);
  std::string text =
      fmt::format("complete -c warpwright -n __fish_use_subcommand -f -a {} -d '{}'\n", verb.name,
                  fish_quoted(verb.summary));
  if (const auto known = words_for(verb, words); !known.empty())
    text += fmt::format("complete -c warpwright {} -a '{}'\n", when, fmt::join(known, " "));
  for (const auto& option : verb.options) {
    text += "complete -c warpwright " + when;
    for (const auto& name : option.names)
      text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    if (option.takes_value) text += " -r";
    text += fmt::format(" -d '{}'\n", fish_quoted(option.help));
  }
  return text;
}

std::vector<std::string> names_of(const std::vector<VerbSurface>& verbs) {
  std::vector<std::string> names;
  for (const auto& verb : verbs) names.push_back(verb.name);
  return names;
}

}  // namespace

std::string bash_completions(const std::vector<VerbSurface>& verbs, const KnownWords& words) {
  std::string rows;
  for (const auto& verb : verbs) rows += bash_row(verb, words);
  return fmt::format(R"(# bash completion for warpwright; written by: warpwright completions bash
_warpwright() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}
  local verb='' options='' valued='' words='' i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    [[ ${{COMP_WORDS[i]}} == -* ]] || {{ verb=${{COMP_WORDS[i]}}; break; }}
  done
  case $verb in
    '')
      mapfile -t COMPREPLY < <(compgen -W '{} --help --version' -- "$word")
      return
      ;;
{}  esac
  if [[ -n $before && " $valued " == *" $before "* ]]; then
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  elif [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word"; compgen -f -- "$word")
  fi
}}
complete -o filenames -F _warpwright warpwright
)",
                     fmt::join(names_of(verbs), " "), rows);
}

std::string zsh_completions(const std::vector<VerbSurface>& verbs, const KnownWords& words) {
  std::string list;
  std::string rows;
  for (const auto& verb : verbs) {
    list += fmt::format("    '{}:{}'\n", verb.name, zsh_text(verb.summary));
    rows += zsh_row(verb, words);
  }
  return fmt::format(R"(#compdef warpwright
# zsh completion for warpwright; written by: warpwright completions zsh
_warpwright() {{
  local -a verbs
  local state line
  verbs=(
{})
  _arguments -C '--help[print help]' '--version[print the version]' '1:verb:->verb' '*::argument:->arguments'
  case $state in
    verb)
      _describe verb verbs
      return
      ;;
  esac
  case ${{line[1]}} in
{}  esac
}}
_warpwright "$@"
)",
                     list, rows);
}

std::string fish_completions(const std::vector<VerbSurface>& verbs, const KnownWords& words) {
  std::string text =
      "# fish completion for warpwright; written by: warpwright completions fish\n"
      "complete -c warpwright -n __fish_use_subcommand -l help -d 'print help'\n"
      "complete -c warpwright -n __fish_use_subcommand -l version -d 'print the version'\n";
  for (const auto& verb : verbs) text += fish_rows(verb, words);
  return text;
}

}  // namespace warpwright::cli
