// SPDX-License-Identifier: Apache-2.0
#include "report/run_document.h"

#include <unordered_map>

#include "core/json_reader.h"
#include "report/bench_document.h"
#include "report/run_rows.h"
#include "report/text_pool.h"

namespace warpwright::report {

using nlohmann::json;

namespace {

/// A result less its raw samples: hundreds of numbers per size that hardly compress, and that few
/// look at for any but the best kernel. The archive has them.
std::string without_samples(const std::string& text) {
  if (text.find("raw_us") == std::string::npos) return text;
  json result = parse_json_or_discard(text);
  if (!result.is_object()) return text;
  const auto clean = [](json& holder, const char* list) {
    if (!holder.is_object() || !holder.contains(list) || !holder[list].is_array()) return;
    for (auto& entry : holder[list]) {
      if (!entry.is_object()) continue;
      for (const char* key : {"raw_us", "first_raw_us", "second_raw_us"}) entry.erase(key);
    }
  };
  clean(result, "measurements");
  if (result.contains("comparison")) clean(result["comparison"], "sizes");
  return dump_json(result, 1);
}

/// Copies every text that a row mentions into the page. A text that cannot be read leaves a note
/// in its place: one damaged row must not cost the page.
class PooledTexts final : public TextLinks {
 public:
  PooledTexts(store::Archive& archive, const store::RunRecord& run, TextPool& pool)
      : reader_(archive), run_(run.id), best_(run.best_trial), pool_(pool) {}

  json stored(const std::string& sha256) override {
    const auto known = known_.find(sha256);  // prompts repeat their history again and again
    if (known != known_.end()) return known->second;
    const auto text = reader_.text(sha256);
    const bool found = text.ok() && text->has_value();
    const int number = pool_.add(found ? **text : "(the archive has no text " + sha256 + ")");
    known_[sha256] = number;
    return number;
  }
  json reply(const std::string& trial) override { return pool_.add(reply_of(trial).first); }
  json reasoning(const std::string& trial) override { return pool_.add(reply_of(trial).second); }
  json result(const std::string& trial, const std::string& text) override {
    const bool whole = trial == best_ || trial == "baseline";
    return pool_.add(whole ? text : without_samples(text));
  }
  json own(const std::string&, const std::string& text) override { return pool_.add(text); }

 private:
  std::pair<std::string, std::string> reply_of(const std::string& trial) {
    auto texts = reader_.reply_texts(run_, trial);
    if (texts.ok() && texts->has_value()) return **texts;
    return {"(the archive has no reply for " + trial + ")", ""};
  }

  store::StoryReader reader_;
  std::string run_;
  std::string best_;
  TextPool& pool_;
  std::unordered_map<std::string, int> known_;
};

}  // namespace

Result<Page> run_page(store::Archive& archive, const std::string& run,
                      const RunPageOptions& options) {
  WW_TRY(const RunStory story, read_story(archive, run));
  TextPool pool;
  PooledTexts links(archive, story.run, pool);
  json document = head_of(story, links);
  document["kind"] = "run";
  document["format"] = kPageFormat;
  document["made_ms"] = options.made_ms;
  if (!options.bench.empty()) {
    WW_TRY(document["comparators"],
           comparators_of(options.bench, options.bench_file, story.run.task));
  }
  document["trials"] = json::array();
  for (const auto& trial : story.trials) {
    document["trials"].push_back(row_of(trial, story, links));
  }
  document["texts"] = json::array();
  for (const auto& place : pool.places()) {
    document["texts"].push_back({place.block, place.offset, place.length});
  }
  Page page;
  page.title = story.run.id + " · Warpwright";
  page.data = dump_json(document);
  page.blocks = pool.blocks();
  return page;
}

}  // namespace warpwright::report
