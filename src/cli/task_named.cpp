// SPDX-License-Identifier: Apache-2.0
#include "cli/task_named.h"

#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/files.h"
#include "base/sha256.h"
#include "cli/cache_place.h"
#include "core/json_reader.h"
#include "core/task_json.h"
#include "costs/counted.h"
#include "suite/load.h"

namespace warpwright::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRules = "costs 1";  // raised when counting changes

std::optional<costs::CountedCosts> remembered(const fs::path& file) {
  const auto text = read_file(file, std::size_t{1} << 16);
  if (!text.ok()) return std::nullopt;
  const auto json = parse_json_or_discard(*text);
  if (!json.is_object() || !json.contains("flops") || !json.contains("bytes") ||
      !json["flops"].is_string() || !json["bytes"].is_string())
    return std::nullopt;
  costs::CountedCosts counted;
  counted.flops = json["flops"].get<std::string>();
  counted.bytes = json["bytes"].get<std::string>();
  return counted;
}

Result<costs::CountedCosts> counted_now(const Task& task, const fs::path& cache) {
  WW_TRY(auto sandbox, sandbox::Sandbox::open());
  WW_TRY(const auto builder,
         build::Builder::create(sandbox, build::find_toolchain(), {.cache = cache}));
  auto counted = costs::count_costs(builder, task);
  if (!counted.ok())
    return Error{"counting the costs of " + task.name + ": " + counted.error().message};
  std::fprintf(
      stderr,
      "warpwright: %s costs, counted from its baseline at %zu sizes: flops = \"%s\" (at most "
      "%.2g %% off), bytes = \"%s\"\n",
      task.name.c_str(), counted->sizes, counted->flops.c_str(), 100 * counted->flops_off,
      counted->bytes.c_str());
  return counted;
}

}  // namespace

Result<Task> with_counted_costs(Task task) {
  if (!has_counted_costs(task)) return task;
  WW_TRY(const fs::path cache, cache_place());
  const std::string key = sha256_hex(std::string(kRules) + task_to_json(task)).substr(0, 32);
  const fs::path file = cache / ("costs-" + key + ".json");
  if (const auto known = remembered(file)) return costs::with_costs(std::move(task), *known);
  WW_TRY(const costs::CountedCosts counted, counted_now(task, cache));
  const nlohmann::json json = {{"flops", counted.flops}, {"bytes", counted.bytes}};
  WW_CHECK(write_file_durably(file, dump_json(json) + "\n"));
  return costs::with_costs(std::move(task), counted);
}

Result<Task> task_named(std::string_view name_or_folder) {
  WW_TRY(Task task, suite::load_task(name_or_folder));
  return with_counted_costs(std::move(task));
}

}  // namespace warpwright::cli
