// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "core/json_reader.h"
#include "report/pack.h"

namespace warpwright::report {

using nlohmann::json;

namespace {

constexpr std::array<std::string_view, 4> kRivals = {"b1", "library", "eager", "compiled"};

std::string word_at(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

double value_at(const json& object, const char* key) {
  const auto found = object.find(key);
  const double value = found != object.end() && found->is_number() ? found->get<double>() : 0;
  return value > 0 ? value : 0;
}

/// Why a time competes with none: "free", "tf32". Older benchmarks call it a lane.
std::string set_apart(const json& timed) {
  const std::string apart = word_at(timed, "apart");
  return apart.empty() ? word_at(timed, "lane") : apart;
}

/// Of a row's times, the kernel's own and the fastest of each kind of rival.
void add_times(const json& row, const PackKernel& kernel, PackSize& size) {
  const std::string best = word_at(row, "best_kernel");
  for (const json& timed : row["times"]) {
    if (!timed.is_object()) continue;
    const std::string runner = word_at(timed, "runner"), apart = set_apart(timed);
    const double us = value_at(timed, "median_us");
    if (us == 0) continue;
    if (runner == "kernel") {
      const bool ours = kernel.apart
                            ? apart == "free"
                            : apart.empty() && (best.empty() || word_at(timed, "name") == best);
      if (!ours || (size.bench_us > 0 && size.bench_us <= us)) continue;
      size.bench_us = us;
      size.share = value_at(timed, "share");
      continue;
    }
    for (const auto rival : kRivals) {
      if (runner != rival || !apart.empty()) continue;
      PackRival& known = size.rivals[runner];
      if (known.us == 0 || us < known.us) known = {word_at(timed, "name"), us};
    }
  }
  if (const double floor_us = value_at(row, "floor_us"); floor_us > 0) size.floor_us = floor_us;
}

}  // namespace

Status add_bench(Pack& pack, std::string_view text, const std::string& file) {
  WW_TRY(const json bench, parse_json(text, "'" + file + "'"));
  if (!bench.is_object() || !bench.contains("rows") || !bench["rows"].is_array())
    return Error{"'" + file +
                 "' is not the JSON of a benchmark: it has no list 'rows'; write one " +
                 "with 'warpwright bench --json FILE'"};
  pack.bench_file = file;
  pack.bench_device = word_at(bench, "device");
  for (const json& row : bench["rows"]) {
    if (!row.is_object() || !row.contains("times") || !row["times"].is_array()) continue;
    for (PackKernel& kernel : pack.kernels) {
      if (kernel.task != word_at(row, "task") || kernel.device != pack.bench_device) continue;
      for (PackSize& size : kernel.sizes)
        if (size.label == word_at(row, "size")) add_times(row, kernel, size);
    }
  }
  return {};
}

double gain_over(const PackSize& size, const std::string& runner) {
  const auto rival = size.rivals.find(runner);
  if (rival == size.rivals.end() || size.bench_us <= 0) return 0;
  return rival->second.us / size.bench_us;
}

}  // namespace warpwright::report
