// SPDX-License-Identifier: Apache-2.0
// Suites of others become task folders.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include <CLI/CLI.hpp>

#include "base/cores.h"
#include "base/files.h"
#include "base/sha256.h"
#include "cli/exit_codes.h"
#include "cli/options.h"
#include "cli/session.h"
#include "cli/verbs.h"
#include "core/json_reader.h"
#include "suite/scaffold.h"
#include "torch/gpu_mode.h"
#include "torch/import.h"
#include "torch/trace.h"

namespace warpwright::cli {

namespace {

namespace fs = std::filesystem;

struct ImportFlags {
  std::string from;
  std::string out = ".";
  std::string shapes = "general";
  bool backward = false;
  bool stream = false;
  std::vector<std::string> rules;
  bool json = false;
  int jobs = 0;
  std::shared_ptr<SettingFlags> settings;
};

/// One thing to import: a module, or why there is none.
struct Item {
  std::string name;
  Result<torch::ModuleFile> module;
};

struct Imported {
  std::string name;
  std::string task;
  std::string refused;
};

constexpr std::size_t kLongestName = 64;  // of an identifier

/// A folder's name: what is no letter or digit becomes an underscore; a long one is cut.
std::string folder_name(const std::string& name) {
  std::string folder;
  for (const char c : name) {
    const auto u = static_cast<unsigned char>(c);
    folder += std::isalnum(u) != 0 ? c : '_';
  }
  if (folder.empty() || std::isdigit(static_cast<unsigned char>(folder.front())) != 0)
    folder.insert(0, "t_");
  if (folder.size() > kLongestName)
    folder = folder.substr(0, kLongestName - 9) + "_" + sha256_hex(name).substr(0, 8);
  return folder;
}

Result<fs::path> import_one(const Item& item, const ImportFlags& flags, const Settings& settings,
                            const sandbox::Sandbox& sandbox, const StopSignal& stop) {
  WW_TRY(auto file, item.module);
  file.shapes = flags.shapes;
  file.backward = file.backward || flags.backward;
  file.python = settings.text("torch.python");
  file.stream = flags.stream;
  file.rules = flags.rules;
  const std::string name = folder_name(item.name);
  WW_CHECK(suite::may_become_task(name, flags.out));
  WW_TRY(const auto toml, torch::describe_module(file, sandbox, &stop));
  return suite::write_torch_task(name, flags.out, toml, file.text);
}

Result<std::vector<Imported>> import_all(const std::vector<Item>& items, const ImportFlags& flags) {
  WW_TRY(const Settings settings, settings_from(*flags.settings));
  WW_TRY(const auto sandbox, sandbox::Sandbox::open({.allow_none = settings.flag("judge.unsafe")}));
  WW_CHECK(make_directories(flags.out));
  StopSignal stop;
  const InterruptGuard interrupts(stop);
  std::vector<Imported> done(items.size());
  std::atomic<std::size_t> next = 0;
  std::mutex printing;
  const auto work = [&] {
    for (std::size_t i = next++; i < items.size() && !stop.requested(); i = next++) {
      const auto folder = import_one(items[i], flags, settings, sandbox, stop);
      done[i] = {items[i].name, folder.ok() ? folder->string() : "",
                 folder.ok() ? "" : folder.error().message};
      if (flags.json) continue;
      const std::lock_guard lock(printing);
      std::printf("%-50s %s\n", items[i].name.c_str(),
                  folder.ok() ? folder->c_str() : ("refused: " + done[i].refused).c_str());
    }
  };
  std::vector<std::thread> threads;
  const int jobs = flags.jobs > 0 ? flags.jobs : usable_cores();
  for (int i = 0; i < jobs; ++i) threads.emplace_back(work);
  for (auto& thread : threads) thread.join();
  if (stop.requested()) return Error{"stopped"};
  return done;
}

Result<int> import_and_tell(const std::vector<Item>& items, const ImportFlags& flags,
                            const char* key) {
  WW_TRY(const auto done, import_all(items, flags));
  std::size_t tasks = 0;
  nlohmann::json list = nlohmann::json::array();
  for (const Imported& row : done) {
    tasks += row.task.empty() ? 0 : 1;
    list.push_back({{key, row.name}});
    if (row.task.empty()) {
      list.back()["refused"] = row.refused;
    } else {
      list.back()["task"] = row.task;
    }
  }
  if (flags.json) {
    std::printf("%s\n", dump_json(list, 1).c_str());
  } else {
    std::printf("%zu of %zu are tasks now.\n", tasks, done.size());
  }
  return static_cast<int>(kOk);
}

Result<int> import_trace(const ImportFlags& flags) {
  WW_TRY(const auto definitions, torch::find_definitions(flags.from));
  std::vector<Item> items;
  for (const auto& definition : definitions)
    items.push_back({definition.name, torch::module_of(definition)});
  return import_and_tell(items, flags, "definition");
}

Result<int> import_kernelbench(const ImportFlags& flags) {
  std::vector<fs::path> files;
  std::error_code code;
  for (const auto& entry : fs::recursive_directory_iterator(flags.from, code))
    if (entry.path().extension() == ".py") files.push_back(entry.path());
  if (files.empty())
    return Error{fmt::format("importing {}: there are no Python files in it", flags.from)};
  std::sort(files.begin(), files.end());
  std::vector<Item> items;
  for (const fs::path& path : files) {
    const std::string level = path.parent_path().filename().string();
    const std::string stem = path.stem().string();
    items.push_back(
        {level.starts_with("level") ? level + "_" + stem : stem, torch::read_module_file(path)});
  }
  return import_and_tell(items, flags, "problem");
}

Result<int> import_gpu_mode(const ImportFlags& flags) {
  const auto folders = torch::find_problems_of_gpu_mode(flags.from);
  if (folders.empty())
    return Error{
        fmt::format("importing {}: there is no task.yml beside a reference.py in it", flags.from)};
  std::vector<Item> items;
  for (const fs::path& folder : folders) {
    const fs::path clean = folder.filename().empty() ? folder.parent_path() : folder;
    items.push_back({clean.filename().string(), torch::module_of_gpu_mode(clean)});
  }
  return import_and_tell(items, flags, "problem");
}

std::shared_ptr<ImportFlags> add_common(CLI::App& verb, const char* what) {
  const auto flags = std::make_shared<ImportFlags>();
  verb.add_option("path", flags->from, what)->required();
  verb.add_option("-o,--out", flags->out, "folder for the task folders [.]");
  verb.add_flag("--json", flags->json, "as JSON: one object per item, with task or refused");
  verb.add_option("-j,--jobs", flags->jobs, "modules at a time [one per core]");
  verb.add_option("--shapes", flags->shapes, "general or fixed (docs/torch.md) [general]")
      ->check(CLI::IsMember({"general", "fixed"}));
  verb.add_flag("--stream", flags->stream, "solve gets its caller's stream as a last parameter");
  add_rules_flag(verb, flags->rules);
  flags->settings = add_setting_flags(verb, {"torch.", "judge.unsafe"});
  return flags;
}

void add_action(CLI::App& verb, const std::shared_ptr<ImportFlags>& flags,
                Result<int> (*run)(const ImportFlags&), Action& action) {
  verb.callback([flags, run, &action] {
    action = [flags, run]() -> int {
      const auto code = run(*flags);
      return code.ok() ? *code : fail(code.error());
    };
  });
}

}  // namespace

void add_import(CLI::App& verb, Action& action) {
  verb.require_subcommand(1);
  CLI::App* trace = verb.add_subcommand(
      "trace", "definitions of FlashInfer-Bench or SOL-ExecBench: a root, a problem or a file");
  trace->footer("Example:\n  warpwright import trace flashinfer-trace -o tasks --json");
  add_action(*trace, add_common(*trace, "data set, problem folder or definition"), import_trace,
             action);
  CLI::App* mode =
      verb.add_subcommand("gpu-mode", "problems of gpu-mode: task.yml and reference.py");
  mode->footer("Example:\n  warpwright import gpu-mode reference-kernels/problems/pmpp -o tasks");
  add_action(*mode, add_common(*mode, "folder of problems, or one"), import_gpu_mode, action);
  CLI::App* bench = verb.add_subcommand("kernelbench", "modules in KernelBench's form: a folder");
  bench->footer("Example:\n  warpwright import kernelbench KernelBench/level1 -o tasks");
  const auto flags = add_common(*bench, "folder with Python files");
  bench->add_flag("--backward", flags->backward, "the tasks are the modules' gradients");
  add_action(*bench, flags, import_kernelbench, action);
}

}  // namespace warpwright::cli
