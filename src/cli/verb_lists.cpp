// SPDX-License-Identifier: Apache-2.0
// The verbs that list what there is, and the one that previews a task.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>

#include "cli/examples.h"
#include "cli/exit_codes.h"
#include "cli/options.h"
#include "cli/session.h"
#include "cli/task_named.h"
#include "cli/verbs.h"
#include "core/json_reader.h"
#include "llm/courier.h"
#include "search/prompt_composer.h"
#include "search/strategy.h"
#include "suite/listing.h"
#include "suite/load.h"

namespace warpwright::cli {

using nlohmann::json;

namespace {

int print(const json& list) {
  std::printf("%s\n", dump_json(list, 1).c_str());
  return kOk;
}

int list_tasks(bool as_json) {
  const auto rows = suite::task_listing();
  if (!rows.ok()) return fail(rows.error());
  json list = json::array();
  for (const auto& row : *rows) {
    list.push_back({{"name", row.name},
                    {"title", row.title},
                    {"group", row.group},
                    {"rule_set", row.rule_set},
                    {"sizes", row.sizes}});
  }
  if (as_json) return print(list);
  for (const char* group : {"paper", "extension"}) {
    std::printf("%s\n", group == std::string_view("paper") ? "The paper's tasks:" : "\nMore:");
    for (const auto& row : list) {
      if (row["group"] != group) continue;
      std::printf("  %-20s %s\n", row["name"].get<std::string>().c_str(),
                  row["title"].get<std::string>().c_str());
    }
  }
  return kOk;
}

int list_models(bool as_json) {
  json list = json::array();
  for (const auto& model : llm::known_models()) {
    list.push_back({{"name", model.name},
                    {"key", model.key_env},
                    {"base_url", model.base_url},
                    {"note", model.note}});
  }
  if (as_json) return print(list);
  for (const auto& model : llm::known_models()) {
    std::printf("%-12s %-20s %s%s%s\n", std::string(model.name).c_str(),
                model.key_env.empty() ? "(no key)" : std::string(model.key_env).c_str(),
                std::string(model.base_url).c_str(), model.base_url.empty() ? "" : "  ",
                std::string(model.note).c_str());
  }
  return kOk;
}

int list_devices(bool as_json) {
  json list = json::array();
  for (const auto& d : known_devices()) {
    list.push_back(
        {{"key", d.key},
         {"name", d.name},
         {"architecture", d.architecture},
         {"compute",
          d.amd.empty() ? fmt::format("{}.{}", d.compute_major, d.compute_minor) : d.amd},
         {"sms", d.sm_count},
         {"memory_gb_per_s", d.memory_gb_per_s},
         {"fp32_tflops", d.fp32_tflops}});
    if (!as_json) {
      const std::string set =
          d.amd.empty() ? fmt::format("cc {}.{}", d.compute_major, d.compute_minor) : d.amd;
      std::printf("%-10s %-24s %-9s %-7s %3d %s  %5.0f GB/s  %5.1f TFLOP/s fp32\n", d.key.c_str(),
                  d.name.c_str(), d.architecture.c_str(), set.c_str(), d.sm_count,
                  d.amd.empty() ? "SMs" : "CUs", d.memory_gb_per_s, d.fp32_tflops);
    }
  }
  return as_json ? print(list) : kOk;
}

int list_strategies(bool as_json) {
  json list = json::array();
  for (const auto& row : search::strategies()) {
    list.push_back({{"name", row.name}, {"summary", row.summary}});
    if (!as_json) {
      std::printf("%-8s %s\n", std::string(row.name).c_str(), std::string(row.summary).c_str());
    }
  }
  return as_json ? print(list) : kOk;
}

void add_list(CLI::App& verb, Action& action, int (*list)(bool)) {
  const auto as_json = std::make_shared<bool>(false);
  verb.add_flag("--json", *as_json, "as JSON");
  verb.callback([as_json, list, &verb, &action] {
    if (!verb.get_subcommands().empty()) return;  // what was asked for is theirs
    action = [as_json, list] { return list(*as_json); };
  });
}

Result<int> preview(const std::string& name, const SettingFlags& flags, bool as_json) {
  WW_TRY(const Settings settings, settings_from(flags));
  WW_TRY(const Task task, task_named(name));
  WW_TRY(auto templates, prompt_templates(settings));
  WW_TRY(const auto facts, target_facts(settings));
  WW_TRY(const auto level, feedback_level(settings));
  WW_TRY(const Task told, task_for_model(settings, task));
  search::PromptComposer composer(std::move(templates), told, facts,
                                  settings.text("judge.rule_set"), level);
  WW_TRY(auto examples, examples_for(settings, task));
  composer.show_examples(std::move(examples));
  composer.offer_tuning(settings.integer("search.tune").value_or(0) > 0);
  WW_TRY(const auto messages, composer.initial());
  json list = json::array();
  for (const auto& message : messages) {
    const char* role = message.role == llm::Role::system ? "system" : "user";
    list.push_back({{"role", role}, {"content", message.text}});
    if (!as_json) std::printf("### %s\n\n%s\n", role, message.text.c_str());
  }
  return as_json ? print(list) : static_cast<int>(kOk);
}

}  // namespace

void add_task_list(CLI::App& verb, Action& action) { add_list(verb, action, list_tasks); }
void add_models(CLI::App& verb, Action& action) { add_list(verb, action, list_models); }
void add_devices(CLI::App& verb, Action& action) { add_list(verb, action, list_devices); }
void add_strategies(CLI::App& verb, Action& action) { add_list(verb, action, list_strategies); }

void add_prompt(CLI::App& verb, Action& action) {
  const auto task = std::make_shared<std::string>();
  const auto as_json = std::make_shared<bool>(false);
  verb.add_option("task", *task, "a built-in task's name or a task folder")->required();
  verb.add_flag("--json", *as_json, "as JSON");
  const auto flags =
      add_setting_flags(verb, {"search.prompts", "search.feedback", "search.examples",
                               "search.tune", "judge.target", "judge.rule_set", "judge.sizes"});
  verb.callback([task, flags, as_json, &action] {
    action = [task, flags, as_json] {
      const auto code = preview(*task, *flags, *as_json);
      return code.ok() ? *code : fail(code.error());
    };
  });
}

void add_courier(CLI::App& verb, Action& action) {
  // Straight out: nothing in this short-lived process needs its destructors, and leak checkers
  // would hold up the search that waits for it.
  verb.callback([&action] { action = []() -> int { ::_exit(llm::courier_main()); }; });
}

}  // namespace warpwright::cli
