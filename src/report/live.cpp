// SPDX-License-Identifier: Apache-2.0
#include "report/live.h"

#include <sys/stat.h>

#include <algorithm>

#include "base/sha256.h"
#include "core/json_reader.h"
#include "core/task_json.h"
#include "report/run_rows.h"

namespace warpwright::report {

using nlohmann::json;

namespace {

/// Links are names that the server can look up: a letter, a slash, what it is.
class NamedTexts final : public TextLinks {
 public:
  json stored(const std::string& sha256) override { return "t/" + sha256; }
  json reply(const std::string& trial) override { return "r/" + trial; }
  json reasoning(const std::string& trial) override { return "g/" + trial; }
  json result(const std::string& trial, const std::string& text) override {
    // A judge's failure may be judged again: another text needs another name.
    return "e/" + sha256_hex(text).substr(0, 8) + "/" + trial;
  }
  json own(const std::string& name, const std::string&) override { return "o/" + name; }
};

std::string short_hash(const std::string& text) { return sha256_hex(text).substr(0, 20); }

std::string url_escaped(const std::string& text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string escaped;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
        c == '_' || c == '.') {
      escaped += c;
    } else {
      escaped += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return escaped;
}

}  // namespace

struct RunFollower::State {
  /// Whether a file was replaced by another of the same name.
  struct FileIdentity {
    dev_t device = 0;
    ino_t inode = 0;
    bool operator==(const FileIdentity&) const = default;
  };
  static FileIdentity identity_of(const std::filesystem::path& path);

  std::unique_ptr<store::Archive> archive;
  FileIdentity identity;
  std::int64_t version = -1;
  json head;
  std::map<std::string, std::string> rows;  ///< JSON text by trial
  std::string id;
};

RunFollower::State::FileIdentity RunFollower::State::identity_of(
    const std::filesystem::path& path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) return {};
  return {facts.st_dev, facts.st_ino};
}

RunFollower::RunFollower(const Library& library, const Clock& clock, std::string archive,
                         std::string run, std::string last)
    : library_(library),
      clock_(clock),
      archive_key_(std::move(archive)),
      run_(std::move(run)),
      last_(std::move(last)),
      state_(std::make_unique<State>()) {}

RunFollower::~RunFollower() = default;

Result<bool> RunFollower::changed() {
  if (!state_->archive || State::identity_of(state_->archive->path()) != state_->identity) {
    WW_TRY(state_->archive, library_.open(archive_key_, clock_));
    state_->identity = State::identity_of(state_->archive->path());
    state_->version = -1;
  }
  WW_TRY(const auto version, store::StoryReader(*state_->archive).version());
  const bool news = version != state_->version;
  state_->version = version;
  return news;
}

Status RunFollower::read() {
  WW_TRY(const auto run, run_named(*state_->archive, run_));
  WW_TRY(const RunStory story, read_story(*state_->archive, run.id));
  NamedTexts links;
  state_->head = head_of(story, links);
  state_->rows.clear();
  std::string all = dump_json(state_->head);
  for (const auto& trial : story.trials) {
    std::string row = dump_json(row_of(trial, story, links));
    all += row;
    state_->rows[trial.prompt.trial] = std::move(row);
  }
  state_->id = short_hash(all);
  return {};
}

Result<std::optional<News>> RunFollower::look() {
  WW_TRY(const bool news, changed());
  if (!news) return std::optional<News>();
  const auto before = std::move(state_->rows);
  const std::string known = state_->id;
  if (const Status status = read(); !status.ok()) {
    state_->version = -1;  // try again, not only after the next change
    return status.error();
  }
  if (state_->id == last_) return std::optional<News>();
  // Differences only where the listener has just what we had before.
  const bool all = known.empty() || known != last_;
  std::string rows;
  for (const auto& [trial, row] : state_->rows) {
    const auto old = before.find(trial);
    if (!all && old != before.end() && old->second == row) continue;
    rows += (rows.empty() ? "" : ",") + row;
  }
  last_ = state_->id;
  return std::optional<News>(News{state_->id, "{\"all\":" + std::string(all ? "true" : "false") +
                                                  ",\"head\":" + dump_json(state_->head) +
                                                  ",\"trials\":[" + rows + "]}"});
}

Result<Page> RunFollower::page() {
  WW_CHECK(changed());
  WW_CHECK(read());
  last_ = state_->id;
  const std::string place = archive_key_ + "/" + url_escaped(run_);
  std::string rows;
  for (const auto& [trial, row] : state_->rows) rows += (rows.empty() ? "" : ",") + row;
  json document = state_->head;
  document["kind"] = "run";
  document["format"] = kPageFormat;
  document["live"] = {{"events", "/events/run/" + place},
                      {"texts", "/text/" + place + "?link="},
                      {"last", state_->id}};
  std::string data = dump_json(document);
  data.back() = ',';  // the rows are text already
  data += "\"trials\":[" + rows + "]}";
  return Page{run_ + " · Warpwright", std::move(data), {}, true};
}

std::string IndexFollower::runs_json() {
  std::vector<std::pair<std::int64_t, json>> rows;
  for (const auto& entry : library_.entries()) {
    const auto archive = library_.open(entry.key, clock_);
    if (!archive.ok()) continue;  // gone, or of another format
    const auto runs = (*archive)->runs();
    const auto counts = store::StoryReader(**archive).question_counts();
    if (!runs.ok() || !counts.ok()) continue;
    for (const auto& run : *runs) {
      const auto count = counts->find(run.id);
      rows.emplace_back(run.created_ms,
                        json{{"archive", entry.key},
                             {"file", entry.path.string()},
                             {"id", run.id},
                             {"task", run.task},
                             {"strategy", run.strategy},
                             {"model", run.model},
                             {"status", status_name(run.status)},
                             {"ending", run.ending},
                             {"best", run.best_trial},
                             {"created_ms", run.created_ms},
                             {"candidates", count == counts->end() ? 0 : count->second}});
    }
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  json list = json::array();
  for (auto& row : rows) list.push_back(std::move(row.second));
  return dump_json(list);
}

std::string IndexFollower::state_json() {
  std::string state = "\"runs\":" + runs_json();
  if (fleet_) state += ",\"fleet\":" + fleet_();
  return state;
}

Result<std::optional<News>> IndexFollower::look() {
  const std::string state = state_json();
  const std::string id = short_hash(state);
  if (id == last_) return std::optional<News>();
  last_ = id;
  return std::optional<News>(News{id, "{\"all\":true,\"head\":{" + state + "}}"});
}

Result<Page> IndexFollower::page() {
  const std::string state = state_json();
  last_ = short_hash(state);
  const json live = {{"events", "/events/index"}, {"last", last_}};
  return Page{"Runs · Warpwright",
              "{\"kind\":\"index\",\"format\":" + std::to_string(kPageFormat) +
                  ",\"live\":" + dump_json(live) + "," + state + "}",
              {},
              true};
}

Result<store::RunRecord> run_named(store::Archive& archive, const std::string& id) {
  WW_TRY(const auto runs, archive.runs());
  for (const auto& run : runs) {
    if (run.id == id) return run;
  }
  return Error{"there is no such run"};
}

Result<std::optional<std::string>> linked_text(store::Archive& archive, const std::string& run,
                                               const std::string& link) {
  using Text = std::optional<std::string>;
  WW_TRY(const auto record, run_named(archive, run));
  if (link.size() < 3 || link[1] != '/') return Text();
  std::string name = link.substr(2);
  store::StoryReader reader(archive);
  switch (link[0]) {
    case 't':
      return reader.text(name);
    case 'r':
    case 'g': {
      WW_TRY(const auto texts, reader.reply_texts(run, name));
      if (!texts) return Text();
      return Text(link[0] == 'r' ? texts->first : texts->second);
    }
    case 'e': {
      name = name.substr(std::min(name.find('/') + 1, name.size()));
      if (name == "baseline") {
        WW_TRY(const auto verdict, reader.baseline(run));
        return verdict ? Text(verdict->result) : Text();
      }
      WW_TRY(const auto trials, reader.trials(run));
      for (const auto& trial : trials) {
        if (trial.prompt.trial == name && trial.verdict) return Text(trial.verdict->result);
      }
      return Text();
    }
    case 'o': {
      const auto task = task_from_json(record.task_json);
      if (!task.ok()) return Text();
      if (name == "baseline") return Text(task->baseline_source);
      if (name == "description") return Text(description_for_model(*task));
      return Text();
    }
    default:
      return Text();
  }
}

}  // namespace warpwright::report
