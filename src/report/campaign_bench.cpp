// SPDX-License-Identifier: Apache-2.0
#include "core/json_reader.h"
#include "report/campaign_parts.h"

namespace warpwright::report {

using nlohmann::json;

namespace {

/// The kernel under the rule set "free" has a name of its own; other times set apart do not
/// compete. Older files say "lane".
std::optional<std::string> who_is(JsonReader& timed, const std::string& best_kernel) {
  const std::string runner = timed.text("runner");
  std::string apart;
  for (const char* key : {"lane", "apart"}) {
    if (timed.has(key)) apart = timed.text(key);
  }
  if (runner == "kernel" && apart == "free") return "free";
  if (!apart.empty()) return std::nullopt;
  if (runner == "kernel" && timed.text("name") != best_kernel) return std::nullopt;
  return runner;
}

Status add_times(CampaignCell& cell, JsonReader& row) {
  const std::string best_kernel = row.text("best_kernel");
  std::map<std::string, CampaignTime> times;
  for (const json& item : row.array("times")) {
    JsonReader timed(item, "bench, times");
    const auto who = who_is(timed, best_kernel);
    const CampaignTime time{timed.number("median_us"), timed.text("source") == "estimated",
                            timed.text("name")};
    WW_CHECK(timed.status());
    if (!who || time.us <= 0) continue;
    const auto known = times.find(*who);
    if (known == times.end() || time.us < known->second.us) times[*who] = time;
  }
  for (auto& [who, time] : times) cell.times[who] = std::move(time);
  return {};
}

}  // namespace

Status add_bench(Campaign& campaign, const BenchText& bench) {
  WW_TRY(const json document, parse_json(bench.text, "'" + bench.file + "'"));
  JsonReader in(document, "'" + bench.file + "'");
  if (campaign.device.empty() && in.has("device")) campaign.device = in.text("device");
  for (const json& item : in.array("rows")) {
    JsonReader row(item, "'" + bench.file + "', rows");
    const std::string task = row.text("task"), size = row.text("size");
    const double floor_us = row.number("floor_us");
    WW_CHECK(row.status());
    CampaignCell* cell = nullptr;
    for (auto& known : campaign.cells) {
      if (known.task == task && known.size == size) cell = &known;
    }
    if (cell == nullptr) cell = &campaign.cells.emplace_back(CampaignCell{task, size, 0, {}});
    cell->floor_us = floor_us;
    WW_CHECK(add_times(*cell, row));
    WW_CHECK(row.status());
  }
  if (in.has("troubles")) {
    for (const json& item : in.array("troubles")) {
      JsonReader trouble(item, "'" + bench.file + "', troubles");
      campaign.troubles.push_back(trouble.text("job") + ": " + trouble.text("verdict"));
      WW_CHECK(trouble.status());
    }
  }
  return in.status();
}

}  // namespace warpwright::report
