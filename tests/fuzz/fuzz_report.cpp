// SPDX-License-Identifier: Apache-2.0
// Whatever an archive or a benchmark file holds, there is a page, its data is JSON, and nothing in
// it can end the element it stands in. Fields of the input are separated by lines of "----".
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/assert.h"
#include "core/evaluation_json.h"
#include "core/json_reader.h"
#include "core/task_json.h"
#include "report/bench_document.h"
#include "report/encoding.h"
#include "report/run_rows.h"

namespace {

using namespace warpwright;
using nlohmann::json;

class NoTexts final : public report::TextLinks {
 public:
  json stored(const std::string& sha256) override { return sha256; }
  json reply(const std::string& trial) override { return trial; }
  json reasoning(const std::string& trial) override { return trial; }
  json result(const std::string&, const std::string& text) override { return text.size(); }
  json own(const std::string& name, const std::string&) override { return name; }
};

std::vector<std::string> fields_of(std::string_view text) {
  std::vector<std::string> fields;
  constexpr std::string_view kMark = "\n----\n";
  while (true) {
    const auto at = text.find(kMark);
    fields.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) break;
    text.remove_prefix(at + kMark.size());
  }
  fields.resize(8);
  return fields;
}

void check(const json& document) {
  const std::string text = report::script_safe(dump_json(document));
  ASSERT(text.find('<') == std::string::npos, "a page's data holds a '<'");
  ASSERT(!json::parse(text, nullptr, false).is_discarded(), "a page's data is not JSON");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view whole(reinterpret_cast<const char*>(data), size);
  const auto fields = fields_of(whole);
  report::RunStory story;
  story.run.id = fields[0];
  story.run.task_json = fields[1];
  story.run.status = static_cast<store::RunStatus>(size % 9);
  story.run.device = fields[3];
  story.run.best_trial = fields[4];
  story.config = {{"judge.target", fields[3], fields[5]},
                  {fields[5], fields[6], "flag " + fields[7]}};
  story.events = {{static_cast<std::int64_t>(size), fields[6], fields[7]}};
  story.baseline_verdict = store::StoredVerdict{fields[2], 1};
  if (auto baseline = evaluation_from_json(fields[2]); baseline.ok()) story.baseline = *baseline;
  if (auto task = task_from_json(fields[1]); task.ok()) story.task = *task;
  store::TrialStory trial;
  trial.prompt.trial = fields[4];
  trial.prompt.kind = fields[5];
  trial.messages = {{static_cast<int>(size), fields[6]}};
  trial.reply = store::ReplyFacts{.model = fields[7], .finish_reason = fields[6]};
  trial.failures = {{1, fields[5], false, 1, 0.5}};
  trial.reason = fields[0];
  trial.source_sha256 = fields[3];
  trial.verdict = store::StoredVerdict{fields[2], 2};
  NoTexts links;
  check(report::head_of(story, links));
  check(report::row_of(trial, story, links));
  if (const auto page = report::bench_page(whole, "f", 0); page.ok()) {
    check(json::parse(page->data, nullptr, false));
  }
  if (const auto list = report::comparators_of(fields[2], "f", fields[0]); list.ok()) check(*list);
  return 0;
}
