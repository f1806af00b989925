// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/settings.h"
#include "core/task.h"

namespace warpwright::cli {

/// The flags of the settings table as they were given, to be laid over the configuration file.
struct SettingFlags {
  std::vector<std::pair<std::string, std::string>> given;  ///< key, value
  std::vector<std::string> names;                          ///< the flag's own spelling
  std::string config_file;
};

/// Adds a flag for every row whose key begins with one of the prefixes.
inline std::shared_ptr<SettingFlags> add_setting_flags(CLI::App& verb,
                                                       std::vector<std::string_view> prefixes) {
  auto flags = std::make_shared<SettingFlags>();
  for (const auto& row : setting_rows()) {
    bool wanted = false;
    for (const auto prefix : prefixes) wanted = wanted || row.key.starts_with(prefix);
    if (!wanted || row.flags.empty()) continue;
    const std::string spelled(row.flags);
    const auto take = [flags, key = std::string(row.key), spelled](const std::string& value) {
      flags->given.emplace_back(key, value);
      flags->names.push_back("flag " + spelled.substr(spelled.rfind(',') + 1));
    };
    std::string help(row.help);
    if (!row.otherwise.empty()) help += " [" + std::string(row.otherwise) + "]";
    if (row.kind == SettingKind::flag) {
      verb.add_flag_callback(
          spelled, [take] { take("true"); }, help);
    } else {
      // What is given again comes in lines: joined, where it is a list.
      const bool list = row.kind == SettingKind::list;
      const auto take_text = [take, list](std::string value) {
        if (list) std::replace(value.begin(), value.end(), '\n', ',');
        take(value);
      };
      verb.add_option_function<std::string>(spelled, take_text, help)
          ->multi_option_policy(list ? CLI::MultiOptionPolicy::Join
                                     : CLI::MultiOptionPolicy::TakeLast);
    }
  }
  verb.add_option("--config", flags->config_file,
                  "settings file [./warpwright.toml, then the user's]");
  return flags;
}

inline Status lay_over(Settings& settings, const SettingFlags& flags,
                       const std::string& before_origin = "") {
  for (std::size_t i = 0; i < flags.given.size(); ++i) {
    const auto& [key, value] = flags.given[i];
    WW_CHECK(settings.set(key, value, before_origin + flags.names[i]));
  }
  return {};
}

/// Defaults, then the configuration file, then the flags.
inline Result<Settings> settings_from(const SettingFlags& flags) {
  Settings settings;
  const std::string file = find_config_file(flags.config_file);
  if (!file.empty()) WW_CHECK(settings.read_file(file));
  WW_CHECK(lay_over(settings, flags));
  return settings;
}

/// What a run has stored, then a file named with --config, then the flags. Of a file that nobody
/// named only the prices count: they change, and a run that lacks one is told to state it there.
inline Result<Settings> settings_from(const std::vector<store::ConfigValue>& stored,
                                      const SettingFlags& flags) {
  constexpr const char* kOrigin = "resume, ";
  Settings settings;
  WW_CHECK(settings.adopt(stored));
  const std::string file = find_config_file(flags.config_file);
  if (!flags.config_file.empty()) {
    WW_CHECK(settings.read_file(file, kOrigin));
  } else if (!file.empty()) {
    WW_CHECK(settings.read_prices(file, kOrigin));
  }
  WW_CHECK(lay_over(settings, flags, kOrigin));
  return settings;
}

inline void add_archive_option(CLI::App& verb, std::string& path) {
  verb.add_option("--archive", path,
                  "archive file [$WARPWRIGHT_ARCHIVE or .warpwright/archive.db]");
}

/// Further rules of a task that is being made.
inline void add_rules_flag(CLI::App& verb, std::vector<std::string>& rules) {
  std::vector<std::string> known;
  for (const TaskRule& rule : known_task_rules()) known.emplace_back(rule.name);
  verb.add_option("--rules", rules,
                  "rules of the task, comma-separated: mixed_precision and others (docs/tasks.md)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember(known));
}

}  // namespace warpwright::cli
