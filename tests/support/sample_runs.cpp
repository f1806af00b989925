// SPDX-License-Identifier: Apache-2.0
#include "support/sample_runs.h"

#include <array>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>
#include <sqlite3.h>

#include "base/files.h"
#include "base/sha256.h"
#include "core/task.h"
#include "core/task_json.h"
#include "store/archive.h"
#include "store/run_log.h"

namespace warpwright::samples {

namespace {

class SampleClock final : public Clock {
 public:
  [[nodiscard]] Nanoseconds now() const override { return std::chrono::milliseconds(ms_); }
  [[nodiscard]] std::int64_t unix_ms() const override { return ms_; }
  void pass(std::int64_t ms) { ms_ += ms; }

 private:
  std::int64_t ms_ = 1'760'000'000'000;
};

/// A number in [0, 1) that depends on the text alone.
double fraction(const std::string& text) {
  return std::stoul(sha256_hex(text).substr(0, 7), nullptr, 16) / 268435456.0;
}

Task sample_task(const std::string& name, const std::string& title) {
  Task task;
  task.name = name;
  task.title = title;
  task.description = "Adds two vectors. A made-up task for tests of the page.";
  task.arguments = {{"a", ElementType::f32, ArgumentRole::input, "n", "normal(0, 1)"},
                    {"b", ElementType::f32, ArgumentRole::input, "n", "normal(0, 1)"},
                    {"c", ElementType::f32, ArgumentRole::output, "n", ""},
                    {"n", ElementType::i32, ArgumentRole::scalar, "n", ""}};
  task.sizes = {{"2^20", {{"n", 1 << 20}}}, {"2^24", {{"n", 1 << 24}}}, {"2^26", {{"n", 1 << 26}}}};
  task.edge_sizes = {{"7", {{"n", 7}}}};
  task.check.rule = "exact";
  task.bytes_expression = "12 * n";
  task.flops_expression = "n";
  task.baseline_source =
      "__global__ void add(const float* a, const float* b, float* c, int n) {\n"
      "  for (int i = 0; i < n; ++i) c[i] = a[i] + b[i];\n}\n"
      "extern \"C\" void solve(const float* a, const float* b, float* c, int n) {\n"
      "  add<<<1, 1>>>(a, b, c, n);\n}\n";
  return task;
}

std::string sample_source(const std::string& id, int lines) {
  std::string text = "// " + id +
                     "\n#include <cuda_runtime.h>\n\n"
                     "__global__ void add(const float* __restrict__ a, const float* b, float* c, "
                     "int n) {\n  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                     "  if (i < n) c[i] = a[i] + b[i];  // coalesced\n";
  for (int i = 0; i < lines; ++i) {
    const double x = fraction(id + std::to_string(i));
    text += fmt::format("  if (i == {}) c[i] += {:.6f}f * a[i % {}];\n", int(x * 1e6), x, 1 + i);
  }
  return text +
         "}\n\nextern \"C\" void solve(const float* a, const float* b, float* c, int n) {\n" +
         "  const int block = 256;\n  add<<<(n + block - 1) / block, block>>>(a, b, c, n);\n}\n";
}

Evaluation timed(double scale, bool estimated) {
  Evaluation evaluation;
  evaluation.verdict = Verdict::ok;
  evaluation.stage = Stage::measure;
  evaluation.device = estimated ? "SIMT machine, times estimated for NVIDIA H200" : "NVIDIA H200";
  evaluation.seed = "0x0123456789abcdef";
  evaluation.device_s = 1.25;
  evaluation.stage_s = {{"build", 0.8}, {"validate", 0.3}, {"measure", 0.9}};
  const std::array<std::pair<const char*, double>, 3> sizes = {
      {{"2^20", 2.62}, {"2^24", 41.9}, {"2^26", 167.8}}};
  for (const auto& [size, floor] : sizes) {
    const double us = floor * scale + 1.7;
    evaluation.measurements.push_back({size,
                                       estimated ? TimeSource::estimated : TimeSource::measured, us,
                                       us * 0.985, us * 1.02, 200, floor, 0});
  }
  for (auto& m : evaluation.measurements) m.raw_us = {m.low_us, m.median_us, m.high_us};
  evaluation.manifest = {{"device", "NVIDIA H200"}, {"driver", "570.00"}, {"flags", "-arch=sm_90"}};
  evaluation.resources = {{"add", 18, 0, 0, 0, 0, 0.875}};
  evaluation.findings = {{"uncoalesced", 6, "global loads move 2.0 times the bytes they ask for"},
                         {"bottleneck", 0, "kernel add: bound by memory traffic"}};
  return evaluation;
}

Evaluation bad(Verdict verdict, Stage stage, const std::string& reason) {
  Evaluation evaluation;
  evaluation.verdict = verdict;
  evaluation.stage = stage;
  evaluation.reason = reason;
  evaluation.feedback = "line 6: " + reason;
  evaluation.device = "NVIDIA H200";
  evaluation.diagnostics = {{"error", 6, 14, reason}};
  return evaluation;
}

/// What the made-up judge says of a trial.
Evaluation judged(const std::string& id, int round) {
  const double x = fraction("verdict " + id);
  if (x < 0.08) return bad(Verdict::compile_error, Stage::build, "identifier \"idx\" is undefined");
  if (x < 0.14)
    return bad(Verdict::mismatch, Stage::validate, "size 7: element 3 is 0.5, not 1.25");
  if (x < 0.18) return bad(Verdict::memory_fault, Stage::validate, "write of 4 bytes beyond c");
  if (x < 0.20) return bad(Verdict::race, Stage::validate, "two threads write c[0]");
  if (x < 0.21) return bad(Verdict::timeout, Stage::validate, "still running after 2.0 s");
  return timed(1.05 + 1.6 * fraction("time " + id) / (1 + 0.4 * round), false);
}

/// Writes runs trial by trial, as a search would.
class Author {
 public:
  Author(store::Archive& archive, SampleClock& clock) : archive_(archive), clock_(clock) {}

  Status begin(const Task& task, const std::string& model, const std::string& strategy) {
    store::RunRecord run;
    run.task = task.name;
    run.task_json = task_to_json(task);
    run.strategy = strategy;
    run.model = model;
    run.device = "cuda (auto)";
    WW_TRY(run_, archive_.create_run(run, {{"judge.device", "cuda", "flag --device"},
                                           {"judge.target", "auto", "default"},
                                           {"model.spec", model, "flag --model"},
                                           {"search.candidates", "3", "warpwright.toml:4"},
                                           {"search.depth", "4", "flag --depth"}}));
    // One commit per run, in end(): syncing each row would take most of a test's time.
    store::RunLog log(archive_, run_);
    WW_CHECK(log.begin());
    baseline_ = timed(2.4, false);
    return log.add_evaluation("baseline", baseline_);
  }

  Status trial(const store::PromptRecord& prompt, const store::ReplyRecord& reply,
               const store::CandidateRecord& candidate, Evaluation evaluation) {
    store::RunLog log(archive_, run_);
    clock_.pass(900);
    WW_CHECK(log.remember_prompt(prompt));
    clock_.pass(4100);
    WW_CHECK(log.add_reply(prompt.trial, reply));
    WW_CHECK(log.add_candidate(prompt.trial, candidate));
    clock_.pass(1500);
    add_baseline_times(evaluation, baseline_);
    return log.add_evaluation(
        candidate.source.empty() ? "trial:" + prompt.trial : sha256_hex(candidate.source),
        evaluation);
  }

  Status ask(const store::PromptRecord& prompt) {
    clock_.pass(300);
    return store::RunLog(archive_, run_).remember_prompt(prompt).ok() ? Status()
                                                                      : Error{"no prompt"};
  }

  Status end(const std::string& best, store::RunStatus status, const std::string& why) {
    WW_TRY(auto run, archive_.find_run(run_));
    run.best_trial = best;
    run.status = status;
    run.ending = why;
    run.elapsed_ms = clock_.unix_ms() - run.created_ms;
    WW_CHECK(archive_.set_state(run));
    return log().commit();
  }

  [[nodiscard]] store::RunLog log() { return {archive_, run_}; }

 private:
  store::Archive& archive_;
  SampleClock& clock_;
  std::string run_;
  Evaluation baseline_;
};

store::ReplyRecord reply_with(const std::string& source, const std::string& model) {
  return {.text = "Here is a kernel that reads each element once.\n\n```cuda\n" + source + "```\n",
          .reasoning = "",
          .model = model,
          .finish_reason = "stop",
          .origin = "model",
          .fresh = 1800,
          .cache_read = 900,
          .output = 640,
          .cost_usd = 0.0042};
}

/// An n x d search in the manner of `fsr`, without repairs.
Status write_search(Author& author, int n, int d, int lines, const std::string& salt) {
  std::vector<store::MessageRecord> dialogue = {
      {0, "You write CUDA kernels."},
      {1, "Write `solve` for c = a + b.\n\nAnswer with one block."}};
  std::string best, parent;
  double least = 1e30;
  for (int round = 1; round <= d; ++round) {
    std::string reply_of_best;
    for (int slot = 1; slot <= n; ++slot) {
      const std::string id = fmt::format("r{}.c{}", round, slot);
      const std::string source = sample_source(salt + id, lines);
      const Evaluation evaluation = judged(salt + id, round);
      const auto reply = reply_with(source, "sample-model");
      WW_CHECK(
          author.trial({id, round, slot, 0, round == 1 ? "initial" : "optimise", parent, dialogue},
                       reply, {source, ""}, evaluation));
      if (const auto score = score_us(evaluation); score && *score < least) {
        least = *score;
        best = id;
        reply_of_best = reply.text;
      }
    }
    parent = best;
    if (!reply_of_best.empty() && dialogue.size() < 12) {
      dialogue.push_back({2, reply_of_best});
      dialogue.push_back({1, fmt::format("{} took {:.3f} us. Make it faster.", best, least)});
    }
  }
  return author.end(best, best.empty() ? store::RunStatus::stopped : store::RunStatus::finished,
                    "all rounds done");
}

Status write_small(Author& author) {
  WW_CHECK(author.begin(sample_task("vector_add", "Vector addition"), "sample:model", "fsr"));
  const std::vector<store::MessageRecord> dialogue = {{0, "You write CUDA kernels."},
                                                      {1, "Write `solve` for c = a + b."}};
  const auto source = [](const char* id) { return sample_source(id, 2); };
  WW_CHECK(author.trial(
      {"r1.c1", 1, 1, 0, "initial", "", dialogue}, reply_with(source("1"), "m"), {source("1"), ""},
      bad(Verdict::compile_error, Stage::build, "identifier \"idx\" is undefined")));
  WW_CHECK(author.trial({"r1.c2", 1, 2, 0, "initial", "", dialogue}, reply_with(source("2"), "m"),
                        {source("2"), ""}, timed(1.9, false)));
  WW_CHECK(author.trial({"r1.c3", 1, 3, 0, "initial", "", dialogue},
                        {.text = "I cannot do that.", .model = "m"},
                        {"", "no code block in the reply"},
                        bad(Verdict::no_code, Stage::reply, "no code block in the reply")));
  WW_CHECK(author.log().add_failure("r1.c3", {0, "HTTP 429: slow down", false, 0, 0}));
  WW_CHECK(author.trial({"r2.c1", 2, 1, 0, "optimise", "r1.c2", dialogue},
                        reply_with(source("3"), "m"), {source("3"), ""}, timed(1.12, false)));
  WW_CHECK(
      author.trial({"r2.c2", 2, 2, 0, "optimise", "r1.c2", dialogue}, reply_with(source("4"), "m"),
                   {source("4"), ""},
                   bad(Verdict::mismatch, Stage::validate, "size 7: element 3 is 0.5, not 1.25")));
  WW_CHECK(author.trial({"r2.c2.fix1", 2, 2, 1, "repair-mismatch", "r2.c2", dialogue},
                        reply_with(source("5"), "m"), {source("5"), ""}, timed(1.3, false)));
  WW_CHECK(author.ask({"r2.c3", 2, 3, 0, "optimise", "r1.c2", dialogue}));
  WW_CHECK(author.log().note("judge failed", "the worker died and was started again"));
  return author.end("r2.c1", store::RunStatus::stopped, "evaluations budget");
}

Status write_hostile(Author& author) {
  const auto& texts = hostile_texts();
  std::string all;
  for (const auto& text : texts) all += text + "\n";
  Task task = sample_task("vector_add", texts[0] + texts[2]);
  task.description = all;
  task.baseline_source = all;
  WW_CHECK(author.begin(task, texts[1], texts[3]));
  WW_CHECK(author.log().note(texts[0], all));
  std::string best;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string& text = texts[i];
    const std::string id = fmt::format("r1.c{}", i + 1);
    Evaluation evaluation =
        i % 2 ? bad(Verdict::mismatch, Stage::validate, text) : timed(1.5, false);
    evaluation.feedback = text;
    evaluation.device = text;
    evaluation.seed = text;
    evaluation.findings = {{"other", 1, text}, {"note", 0, text}};
    evaluation.diagnostics = {{text, 2, 1, text}};
    evaluation.resources = {{text, 1, 0, 0, 0, 0, 0.5}};
    if (!evaluation.measurements.empty()) evaluation.measurements[0].size = text;
    const std::string source = "// " + text + "\n" + text + "\nint main() {}\n" + all;
    store::ReplyRecord reply = reply_with(source, text);
    reply.reasoning = all;
    reply.finish_reason = text;
    reply.origin = text;
    WW_CHECK(author.trial(
        {id, 1, static_cast<int>(i) + 1, 0, text, i ? "r1.c1" : "", {{0, text}, {1, all}}}, reply,
        {source, text}, evaluation));
    WW_CHECK(author.log().add_failure(id, {1, text, false, 5, 0.1}));
    best = id;
  }
  return author.end("r1.c1", store::RunStatus::finished, texts[4]);
}

/// Rows that no search of ours writes: the page must still be made.
Status damage(const std::filesystem::path& file) {
  sqlite3* raw = nullptr;
  if (sqlite3_open(file.c_str(), &raw) != SQLITE_OK) return Error{"cannot open"};
  const char* sql =
      "UPDATE evaluations SET result = 'not json' WHERE source = (SELECT source FROM candidates "
      "WHERE trial = 'r1.c1');"
      "UPDATE evaluations SET result = replace(result, '\"median_us\": ', '\"median_us\": 1e308') "
      "WHERE source = (SELECT source FROM candidates WHERE trial = 'r1.c2');"
      "UPDATE prompts SET messages = '[[1, \"missing\"], 7, [\"x\"]]' WHERE trial = 'r2.c1';"
      "UPDATE prompts SET round = -5, slot = 2000000000, parent = 'nobody' WHERE trial = 'r2.c2';"
      "UPDATE prompts SET parent = 'r1.c1' WHERE trial = 'r1.c1';"
      "UPDATE replies SET fresh = 9223372036854775807, cost_usd = 1e300;"
      "UPDATE runs SET status = 77, task_json = '[]', best_trial = 'gone', elapsed_ms = -1, "
      "created_ms = 9223372036854775807;"
      "DELETE FROM texts WHERE sha256 IN (SELECT source FROM candidates WHERE trial = 'r1.c2');";
  const int code = sqlite3_exec(raw, sql, nullptr, nullptr, nullptr);
  sqlite3_close(raw);
  if (code != SQLITE_OK) return Error{"cannot damage the archive"};
  return {};
}

Status write_several(store::Archive& archive, SampleClock& clock) {
  for (const char* model : {"sample:large", "sample:small"}) {
    for (const char* task : {"vector_add", "dot", "transpose"}) {
      for (const char* repetition : {"a", "b"}) {
        Author author(archive, clock);
        WW_CHECK(author.begin(sample_task(task, task), model, "fsr"));
        WW_CHECK(write_search(author, 2, model[7] == 'l' ? 6 : 3, 1,
                              std::string(model) + task + repetition));
      }
    }
  }
  return {};
}

}  // namespace

const std::vector<std::string>& hostile_texts() {
  static const std::vector<std::string> kTexts = {
      "</script><script>window.stolen = 1</script>",
      "<img src=x onerror=\"window.stolen = 2\">",
      "<!-- <script>",
      "]]></style></textarea></title><svg onload=window.stolen=3>",
      "\"'><a href=\"javascript:window.stolen=4\">press</a>",
      "line\xE2\x80\xA8separator\xE2\x80\xA9"
      "and {{title}} {{scripts}}",
      "&lt;script&gt;window.stolen = 5&lt;/script&gt; &#60;b&#62;",
      "\\u003cscript\\u003e \\\"; alert(1); //",
      "\xF0\x9F\x92\xA5 \xE2\x80\xAE"
      "reversed \xEF\xBB\xBF __proto__ constructor",
      "<span class=\"hljs-comment\">not mine</span>",
      "x<a> x<a> x<a> x<a> x<a> x<a> x<a> x<a> x<a> x<a> x<a> x<a> x<a> x<a> x<a> x<a> x<a> x<a> "
      "x<a> x<a> x<a> x<a> x<a> x<a> x<a> x<a> x<a> x<a> x<a> x<a> x<a> x<a> x<a> x<a> ;",
  };
  return kTexts;
}

Status write(std::string_view kind, const std::filesystem::path& file) {
  SampleClock clock;
  WW_TRY(auto archive, store::Archive::open(file, clock));
  Author author(*archive, clock);
  if (kind == "small") return write_small(author);
  if (kind == "hostile") return write_hostile(author);
  if (kind == "several") return write_several(*archive, clock);
  if (kind == "large") {
    WW_CHECK(author.begin(sample_task("vector_add", "Vector addition"), "sample:model", "fsr"));
    return write_search(author, 20, 100, 60, "");
  }
  if (kind == "odd") {
    WW_CHECK(write_small(author));
    archive.reset();
    return damage(file);
  }
  return Error{"unknown kind '" + std::string(kind) + "'"};
}

}  // namespace warpwright::samples
