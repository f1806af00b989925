// SPDX-License-Identifier: Apache-2.0
#include "torch/import.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/text.h"
#include "core/expression.h"
#include "core/json_reader.h"
#include "torch/interpreter.h"

namespace warpwright::torch {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::size_t kMaxBytes = std::size_t{1} << 20;
// Seconds of computing: the file's text, looking for other shapes, calls that tell what the module
// is like; shapes at most, calls at most. And the wall time of the process, which a module cannot
// move.
constexpr int kLoad = 15;
constexpr int kSearch = 25;
constexpr int kSettle = 40;
constexpr int kLimit = 60;
constexpr int kWall = 500;

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

/// A JSON value as Python writes it.
std::string python_text(const Json& value) {
  if (value.is_boolean()) return value.get<bool>() ? "True" : "False";
  if (value.is_null()) return "None";
  if (!value.is_array() && !value.is_object()) return dump_json(value);
  std::string text;
  for (const auto& [key, item] : value.items()) {
    text += text.empty() ? "" : ", ";
    text += (value.is_object() ? dump_json(Json(key)) + ": " : "") + python_text(item);
  }
  return value.is_object() ? "{" + text + "}" : "[" + text + "]";
}

/// The names and values of the one configuration, as robust-kbench writes it.
Json single_configuration(const Json& config) {
  Json all = Json::object();
  for (const char* key : {"single_input_configs", "single_init_configs", "single_shared_configs"}) {
    const auto found = config.find(key);
    if (found == config.end() || !found->is_array() || found->empty() || !(*found)[0].is_object())
      continue;
    all.update((*found)[0]);
  }
  return all;
}

constexpr std::string_view kWithConfiguration = R"(
_configured_inputs = get_inputs


def _configured(function):
    import inspect
    values = dict(NAMES)
    return {k: v for k, v in values.items() if k in inspect.signature(function).parameters}


def get_inputs():
    return _configured_inputs(**_configured(_configured_inputs))


def get_init_inputs():
    return _configured(Model.__init__)
)";

/// robust-kbench keeps shapes and settings in a file beside the module: they become names of its
/// text.
Status add_configuration(const fs::path& path, ModuleFile& file) {
  const std::string stem = path.stem().string();
  if (!stem.starts_with("func_")) return {};
  const auto config = path.parent_path() / ("config_" + stem.substr(5) + ".json");
  if (!is_there(config)) return {};
  WW_TRY(const auto text, read_file(config, kMaxBytes));
  const auto json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return Error{fmt::format("{}:1: not a JSON object", config.string())};
  const Json all = single_configuration(json);
  file.text += fmt::format("\n\n# From {}.\n", config.filename().string());
  std::string names;
  for (const auto& [key, value] : all.items()) {
    if (!is_identifier(key))
      return Error{fmt::format("{}:1: '{}' cannot be a name", config.string(), key)};
    file.text += fmt::format("{} = {}\n", key, python_text(value));
    names += fmt::format("{}{}={}", names.empty() ? "" : ", ", key, key);
  }
  std::string rest(kWithConfiguration);
  rest.replace(rest.find("NAMES"), 5, names);
  file.text += rest;
  return {};
}

}  // namespace

Result<ModuleFile> read_module_file(const fs::path& given, bool backward) {
  fs::path path = given;
  std::error_code ignored;
  if (fs::is_directory(given, ignored)) {
    const bool own = backward && is_there(given / "func_backward.py");
    path = given / (own ? "func_backward.py" : "func_forward.py");
    if (!is_there(path))
      return Error{
          fmt::format("{}: a folder is a task of robust-kbench, with func_forward.py; this "
                      "one has none",
                      given.string())};
  }
  ModuleFile file{.path = path.string(), .backward = backward};
  WW_TRY(file.text, read_file(path, kMaxBytes));
  WW_CHECK(add_configuration(path, file));
  file.backward = file.backward || path.stem() == "func_backward";
  return file;
}

Result<std::string> describe_module(const ModuleFile& file, const sandbox::Sandbox& sandbox,
                                    const StopSignal* stop) {
  WW_TRY(const auto interpreter, find_interpreter(file.python));
  WW_TRY(const auto folder, TemporaryDirectory::create("warpwright-torch"));
  WW_CHECK(write_programs(folder.path()));
  const auto module = folder.path() / "reference.py";
  WW_CHECK(write_file(module, file.text));
  const Json options = {{"file", module.string()},   {"path", file.path},
                        {"backward", file.backward}, {"shapes", file.shapes},
                        {"load_s", kLoad},           {"search_s", kSearch},
                        {"limit_s", kLimit},         {"threads", module_threads()},
                        {"settle_s", kSettle},       {"stream", file.stream},
                        {"rules", file.rules}};
  WW_CHECK(write_file(folder.path() / "options.json", dump_json(options)));
  auto request = python_request(interpreter, folder.path(), "ww_describe.py");
  request.limits.wall = std::chrono::seconds(kWall);
  WW_TRY(const auto exit, sandbox.run(request, stop));
  if (is_there(folder.path() / "refusal.txt")) {
    WW_TRY(const auto reason, read_file(folder.path() / "refusal.txt", kMaxBytes));
    if (!trimmed(reason).empty()) return Error{shortened(reason, 3000)};
  }
  if (exit.timed_out)
    return Error{fmt::format("{}:1: the module takes too long: it was stopped after {} s",
                             file.path, kWall)};
  if (!exit.succeeded() || !is_there(folder.path() / "task.toml"))
    return Error{fmt::format("{}:1: the module ended its process ({}){}{}", file.path,
                             exit.describe(), exit.err.empty() ? "" : ": ",
                             shortened(exit.err, 1500))};
  return read_file(folder.path() / "task.toml", kMaxBytes);
}

}  // namespace warpwright::torch
