// SPDX-License-Identifier: Apache-2.0
#include "cli/settings.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include <toml++/toml.h>

#include "core/closest.h"

namespace warpwright::cli {

namespace {

using enum SettingKind;

constexpr std::array<SettingRow, 68> kRows = {{
    {"search.strategy", "--strategy", text, "fsr", "search strategy (warpwright strategies)"},
    {"search.candidates", "-n,--candidates", integer, "3", "candidates per round (N), or chains"},
    {"search.depth", "-d,--depth", integer, "4", "rounds (D), or turns of a chain"},
    {"search.repairs", "--repairs", integer, "3", "tries to mend a round without a valid kernel"},
    {"search.from", "--from", text, "",
     "a kernel of your own: the search begins with it, and the result is never slower"},
    {"search.stop_at_roofline", "--stop-at-roofline", number, "0.95",
     "stop when the best kernel reaches this share of the roofline (0 = never)"},
    {"search.stop_at_sol", "--stop-at-sol", number, "0",
     "stop when the best kernel's SOL score reaches this: 0.5 is the baseline, 1 the speed of "
     "light "
     "(0 = never)"},
    {"search.feedback", "--feedback", text, "rich", "what the model is told: paper or rich"},
    {"search.models", "--models", list, "",
     "further models, comma-separated: evolve asks whichever does better (docs/search.md)"},
    {"search.verify_with", "--verify-with", text, "",
     "model that reads each candidate before it is judged; two of three votes against it keep it "
     "from the judge (docs/search.md)"},
    {"search.tune", "--tune", integer, "",
     "most judgements to tune the best kernel's declared parameters with (docs/search.md)"},
    {"search.merge", "--merge", flag, "false",
     "at the end merge the kernels that are the fastest at some size (docs/search.md)"},
    {"search.sass", "--sass", number, "",
     "minutes to tune the best kernel's machine code with, on a GPU (docs/sass.md)"},
    {"search.examples", "--examples", integer, "",
     "how many proven kernels of like tasks the prompt shows (docs/search.md)"},
    {"search.examples_from", "--examples-from", list, "",
     "archives and folders of kernels to take them from, comma-separated"},
    {"search.examples_same_task", "--examples-same-task", flag, "false",
     "examples may be of the same task"},
    {"search.prompts", "--prompts", text, "", "folder with prompt files that replace ours"},
    {"limits.evaluations", "--budget-evaluations", integer, "", "most candidates to judge"},
    {"limits.tokens", "--budget-tokens", integer, "", "most tokens to use"},
    {"limits.usd", "--budget-usd", number, "", "most money to spend, in US dollars"},
    {"limits.wall", "--budget-wall", duration, "", "most wall time: 90s, 15m, 2h"},
    {"limits.device", "--budget-device", duration, "", "most time on the device"},
    {"model.spec", "-m,--model", text, "", "SERVICE:MODEL, exec:PROGRAM, replay:PATH or inbox"},
    {"model.base_url", "--base-url", text, "", "address of a compatible service"},
    {"model.key_env", "--key-env", text, "", "variable that holds the key"},
    {"model.temperature", "--temperature", number, "", "sampling temperature"},
    {"model.max_output_tokens", "--max-output-tokens", integer, "32768", "longest answer"},
    {"model.reasoning", "--reasoning", text, "", "reasoning effort: none, low, medium, high"},
    {"model.concurrency", "--concurrency", integer, "", "requests at a time"},
    {"model.requests_per_minute", "--requests-per-minute", number, "", "rate limit of requests"},
    {"model.tokens_per_minute", "--tokens-per-minute", number, "", "rate limit of tokens"},
    {"model.connect_timeout", "--connect-timeout", duration, "20s", "time to connect"},
    {"model.idle_timeout", "--idle-timeout", duration, "300s", "time without a byte"},
    {"model.total_timeout", "--total-timeout", duration, "30m", "time for one answer"},
    {"model.tries", "--tries", integer, "6", "tries per request"},
    {"model.proxy", "--proxy", text, "", "proxy URL, or none"},
    {"model.ca_file", "--ca-file", text, "", "PEM file of trusted certificates"},
    {"model.extra_body", "--extra-body", text, "", "JSON object merged into each request"},
    {"model.delay_scale", "--delay-scale", number, "1",
     "stretches waits between tries (tests: 0.01)"},
    {"judge.worker", "--worker", text, "",
     "program (split at spaces) that judges a job directory, e.g. through ssh or srun; "
     "slurm[:OPTIONS] or spool:DIR for many GPUs (docs/fleet.md); mailbox:FOLDER for jobs that "
     "somebody carries to a GPU (docs/judge.md) [this one]"},
    {"judge.device", "--device", text, "auto", "auto, simt, cuda or cuda:N"},
    {"judge.target", "--target", text, "auto",
     "GPU the kernels are for: auto (the one here, else h200), a described one, or one like it: "
     "rtx4090:sm_count=64,memory_gb_per_s=500 (docs/troubleshooting.md)"},
    {"judge.rule_set", "--rule-set,--lane", text, "", "strict or free; default: the task's"},
    {"judge.sizes", "--size,--sizes", list, "",
     "labels of the sizes to time, comma-separated (explain: the one to run) [all]"},
    {"judge.include", "--include", list, "",
     "folders of header-only libraries (CUTLASS) that kernels may include, comma-separated"},
    {"judge.front_end", "--front-end", text, "auto", "auto, clang or nvcc"},
    {"judge.checks", "--checks", text, "full", "of the SIMT machine: full, fast or off"},
    {"judge.sanitize", "--sanitize", text, "auto",
     "small cases under checking tools: auto, on or off (docs/timing.md)"},
    {"judge.counters", "--ncu", flag, "false", "ask the GPU's performance counters through ncu"},
    {"judge.limit", "--trial-limit", duration, "120s", "longest trial of one candidate"},
    {"judge.jobs", "-j,--jobs", integer, "", "trials at a time"},
    {"judge.unsafe", "--unsafe", flag, "false", "judge without a sandbox where none works"},
    {"torch.python", "--python", text, "",
     "interpreter for PyTorch modules [/usr/bin/python3, then python3]"},
    // Without a flag: --worker slurm:KEY=VALUE,... says the same.
    {"fleet.spool", "", text, ".warpwright/spool", "folder that all nodes share"},
    {"fleet.pilots", "", integer, "4", "most pilots at a time"},
    {"fleet.partition", "", text, "", "Slurm's partition"},
    {"fleet.account", "", text, "", "Slurm's account"},
    {"fleet.qos", "", text, "", "Slurm's quality of service"},
    {"fleet.constraint", "", text, "", "features a node must have"},
    {"fleet.gpu", "", text, "", "type of the GPU, or none"},
    {"fleet.time", "", text, "", "time limit of a pilot, as Slurm writes it"},
    {"fleet.cpus", "", text, "", "cores of a pilot"},
    {"fleet.mem", "", text, "", "memory of a pilot"},
    {"fleet.flags", "", text, "", "more flags for sbatch, split at spaces"},
    {"fleet.idle", "", duration, "60s", "a pilot ends after so long without a job"},
    {"fleet.stale", "", duration, "30s", "a pilot without a heartbeat for so long is dead"},
    {"fleet.program", "", text, "", "this program's place on the nodes [where it is here]"},
    {"fleet.pilot_flags", "", text, "", "more flags for pilots, split at spaces"},
}};

/// Names that older files and archives use.
std::string_view todays_key(std::string_view key) {
  return key == "judge.lane" ? "judge.rule_set" : key;
}

const SettingRow* find_row(std::string_view key) {
  for (const auto& row : kRows) {
    if (row.key == key) return &row;
  }
  return nullptr;
}

std::vector<std::string_view> all_keys() {
  std::vector<std::string_view> keys;
  for (const auto& row : kRows) keys.push_back(row.key);
  return keys;
}

constexpr std::string_view kPriceSection = "prices";
constexpr std::string_view kPrices = "prices.";

template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number value{};
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> parse_finite(std::string_view text) {
  const auto value = parse_number<double>(text);
  if (!value || !std::isfinite(*value) || *value < 0) return std::nullopt;
  return value;
}

const char* what_is_wrong(SettingKind kind, const std::string& value) {
  switch (kind) {
    case text:
    case list:
      return nullptr;
    case integer: {
      const auto number = parse_number<std::int64_t>(value);
      return number && *number >= 0 ? nullptr : "a whole number that is not negative";
    }
    case number:
      return parse_finite(value) ? nullptr : "a number that is not negative";
    case duration:
      return parse_duration(value) ? nullptr : "a time like 90s, 15m or 2h";
    case flag:
      return value == "true" || value == "false" ? nullptr : "true or false";
  }
  return nullptr;
}

/// A TOML value as the text a flag would carry; none for tables and dates.
std::optional<std::string> scalar_text(const toml::node& node) {
  if (const auto* value = node.as_string()) return value->get();
  if (const auto* value = node.as_integer()) return std::to_string(value->get());
  if (const auto* value = node.as_boolean()) return value->get() ? "true" : "false";
  if (const auto* list = node.as_array()) {  // a price
    std::string joined;
    for (const auto& element : *list) {
      const auto part = element.is_number() ? scalar_text(element) : std::nullopt;
      if (!part) return std::nullopt;
      joined += (joined.empty() ? "" : ",") + *part;
    }
    return joined;
  }
  if (const auto* value = node.as_floating_point()) {
    char buffer[64];
    const auto [end, code] = std::to_chars(buffer, buffer + sizeof buffer, value->get());
    if (code == std::errc()) return std::string(buffer, end);
  }
  return std::nullopt;
}

}  // namespace

std::span<const SettingRow> setting_rows() { return kRows; }

Settings::Settings() {
  for (const auto& row : kRows) {
    values_[std::string(row.key)] = {std::string(row.otherwise), "default"};
  }
}

Status Settings::set(std::string_view given, const std::string& value, const std::string& origin) {
  const std::string_view key = todays_key(given);
  if (key.starts_with(kPrices)) {
    if (!parse_price(value)) {
      return Error{origin +
                   ": a price is four numbers, US dollars per million tokens: fresh, "
                   "cache read, cache write, output"};
    }
    values_[std::string(key)] = {value, origin};
    return {};
  }
  const SettingRow* row = find_row(key);
  if (row == nullptr) {
    return Error{origin + ": unknown setting '" + std::string(key) + "'" +
                 did_you_mean(key, all_keys())};
  }
  if (value.empty() && !row->otherwise.empty()) {
    return Error{origin + ": " + std::string(key) + " is empty; leave it out for the default, " +
                 std::string(row->otherwise)};
  }
  if (!value.empty()) {
    if (const char* expected = what_is_wrong(row->kind, value)) {
      return Error{origin + ": " + std::string(key) + " is '" + value + "', but must be " +
                   expected};
    }
  }
  values_[std::string(key)] = {value, origin};
  return {};
}

Status Settings::read_file(const std::string& path, const std::string& before_origin) {
  return read(path, Part::everything, before_origin);
}

Status Settings::read_prices(const std::string& path, const std::string& before_origin) {
  return read(path, Part::prices, before_origin);
}

Status Settings::read(const std::string& path, Part part, const std::string& before_origin) {
  toml::table document;
  try {
    document = toml::parse_file(path);
  } catch (const toml::parse_error& error) {
    return Error{path + ":" + std::to_string(error.source().begin.line) + ": " +
                 std::string(error.description())};
  }
  for (const auto& [section, node] : document) {
    if (part == Part::prices && section.str() != kPriceSection) continue;
    const auto* table = node.as_table();
    const std::string where = path + ":" + std::to_string(node.source().begin.line);
    if (table == nullptr) {
      return Error{where + ": '" + std::string(section.str()) +
                   "' stands outside of a section; write it under [search], [limits], [model] or "
                   "[judge]"};
    }
    for (const auto& [name, value] : *table) {
      const std::string origin =
          before_origin + path + ":" + std::to_string(value.source().begin.line);
      const std::string key = std::string(section.str()) + "." + std::string(name.str());
      const auto as_text = scalar_text(value);
      if (!as_text) return Error{origin + ": " + key + " must be a string, a number or a boolean"};
      WW_CHECK(set(key, *as_text, origin));
    }
  }
  return {};
}

Status Settings::adopt(const std::vector<store::ConfigValue>& stored) {
  for (const auto& value : stored) {
    const SettingRow* row = find_row(todays_key(value.key));
    // Stored before empty values were refused: the default.
    if (row != nullptr && value.value.empty() && !row->otherwise.empty()) continue;
    WW_CHECK(set(value.key, value.value, value.origin));
  }
  return {};
}

std::optional<std::array<double, 4>> Settings::price(std::string_view spec) const {
  const auto found = values_.find(std::string(kPrices) + std::string(spec));
  return found == values_.end() ? std::nullopt : parse_price(found->second.text);
}

const std::string& Settings::text(std::string_view key) const {
  const auto found = values_.find(key);
  ASSERT(found != values_.end(), "no such setting: " + std::string(key));
  return found->second.text;
}

std::optional<std::int64_t> Settings::integer(std::string_view key) const {
  return parse_number<std::int64_t>(text(key));
}

std::optional<double> Settings::number(std::string_view key) const {
  return find_row(key)->kind == duration ? parse_duration(text(key)) : parse_finite(text(key));
}

bool Settings::flag(std::string_view key) const { return text(key) == "true"; }

std::vector<store::ConfigValue> Settings::all() const {
  std::vector<store::ConfigValue> list;
  for (const auto& [key, value] : values_) list.push_back({key, value.text, value.origin});
  return list;
}

std::optional<double> parse_duration(std::string_view text) {
  double unit = 1;
  if (!text.empty()) {
    switch (text.back()) {
      case 's':
        text.remove_suffix(1);
        break;
      case 'm':
        unit = 60;
        text.remove_suffix(1);
        break;
      case 'h':
        unit = 3600;
        text.remove_suffix(1);
        break;
      default:
        break;
    }
  }
  const auto value = parse_finite(text);
  if (!value) return std::nullopt;
  return *value * unit;
}

std::optional<std::array<double, 4>> parse_price(std::string_view text) {
  std::array<double, 4> price{};
  for (std::size_t i = 0; i < price.size(); ++i) {
    const auto comma = text.find(',');
    if ((comma == std::string_view::npos) != (i + 1 == price.size())) return std::nullopt;
    const auto value = parse_finite(text.substr(0, comma));
    if (!value) return std::nullopt;
    price[i] = *value;
    if (comma != std::string_view::npos) text.remove_prefix(comma + 1);
  }
  return price;
}

std::string find_config_file(const std::string& from_flag) {
  namespace fs = std::filesystem;
  if (!from_flag.empty()) return from_flag;
  std::error_code ignored;
  if (fs::exists("warpwright.toml", ignored)) return "warpwright.toml";
  fs::path root;
  if (const char* xdg = std::getenv("XDG_CONFIG_HOME")) root = xdg;
  if (const char* home = std::getenv("HOME"); root.empty() && home != nullptr) {
    root = fs::path(home) / ".config";
  }
  const fs::path file = root / "warpwright" / "warpwright.toml";
  return !root.empty() && fs::exists(file, ignored) ? file.string() : "";
}

}  // namespace warpwright::cli
