// SPDX-License-Identifier: Apache-2.0
#include "report/run_document.h"

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "core/json_reader.h"
#include "report/bench_document.h"
#include "report/run_rows.h"
#include "report/text_pool.h"
#include "store/run_log.h"
#include "support/places.h"
#include "support/sample_runs.h"

namespace warpwright::report {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class RunPage : public testing::Test {
 protected:
  std::unique_ptr<store::Archive> archive_of(const char* kind) {
    const auto file = folder_.path() / "archive.db";
    EXPECT_TRUE(samples::write(kind, file).ok());
    return std::move(store::Archive::open_read_only(file, clock_)).value();
  }

  TemporaryDirectory folder_ = std::move(TemporaryDirectory::create("ww-report-")).value();
  SystemClock clock_;
};

/// The page without what is not ours to approve: the libraries' texts and the packed blocks, which
/// depend on the distribution. Our scripts and styles are files of the repository.
std::string approvable(const Page& page) {
  std::string html = render(page).html;
  const auto cut = [&html](const std::string& from, const std::string& to, const char* note) {
    for (auto at = html.find(from); at != std::string::npos; at = html.find(from, at + 1)) {
      const auto start = at + from.size();
      html.replace(start, html.find(to, start) - start, note);
    }
  };
  cut("<script>", "</script>", "...");
  cut("<style>", "</style>", "...");
  cut("script-src ", "; style-src", "...");
  cut("style-src ", "; img-src", "...");
  cut("<script type=\"text/plain\" id=\"block0\">", "</script>", "...");
  // One field per line reads better in a diff.
  const std::string open = "id=\"data\">";
  const auto start = html.find(open) + open.size();
  const auto end = html.find("</script>", start);
  json data = parse_json(page.data, "data").value();
  data["texts"] = std::to_string(data["texts"].size()) + " places";  // lengths of others' texts
  html.replace(start, end - start, "\n" + data.dump(1) + "\n");
  while (html.find("<script>...</script>\n<script>...</script>") != std::string::npos) {
    html.erase(html.find("<script>...</script>\n<script>...</script>"), 21);
  }
  return html;
}

TEST_F(RunPage, OfASmallRunIsAsApproved) {
  const auto archive = archive_of("small");
  const auto page = run_page(*archive, "last", {.made_ms = 1'760'000'100'000});
  ASSERT_TRUE(page.ok());
  const std::filesystem::path approved = source_path("/tests/approved/report-small.html");
  const std::string now = approvable(*page);
  if (std::getenv("WARPWRIGHT_APPROVE") != nullptr) {
    ASSERT_TRUE(write_file(approved, now).ok());
  }
  const auto before = read_file(approved);
  EXPECT_EQ(now, before.ok() ? *before : std::string())
      << "WARPWRIGHT_APPROVE=1 accepts the new page";
}

TEST_F(RunPage, RepeatsToTheByte) {
  const auto archive = archive_of("small");
  EXPECT_EQ(render(*run_page(*archive, "last", {})).html,
            render(*run_page(*archive, "last", {})).html);
}

TEST_F(RunPage, DamagedRowsCostOnlyThemselves) {
  const auto archive = archive_of("odd");
  const auto page = run_page(*archive, "last", {});
  ASSERT_TRUE(page.ok()) << page.error().message;
  const json document = parse_json(page->data, "page").value();
  EXPECT_EQ(document["run"]["status"], "unknown");
  ASSERT_EQ(document["trials"].size(), 7u);
  int unreadable = 0;
  for (const auto& trial : document["trials"]) {
    if (!trial.contains("eval")) continue;
    const std::string reason = trial["eval"].value("reason", "");
    unreadable += reason.find("cannot be read") != std::string::npos;
  }
  EXPECT_EQ(unreadable, 2);
}

TEST_F(RunPage, RawSamplesAreKeptOfTheBestKernelAndTheBaseline) {
  const auto archive = archive_of("small");
  const auto page = run_page(*archive, "last", {});
  ASSERT_TRUE(page.ok());
  const json document = parse_json(page->data, "page").value();
  const auto length = [&](const json& verdict) {
    return document["texts"][verdict["full"].get<std::size_t>()][2].get<int>();
  };
  std::map<std::string, int> lengths;
  for (const auto& trial : document["trials"]) {
    if (trial.contains("eval")) lengths[trial["id"]] = length(trial["eval"]);
  }
  EXPECT_LT(lengths["r1.c2"], lengths["r2.c1"]);
  EXPECT_GT(length(document["baseline"]), lengths["r1.c2"]);
}

TEST_F(RunPage, ComparatorsOfABenchmarkStandBesideTheRun) {
  const auto archive = archive_of("small");
  const std::string bench = R"({"format": 1, "rows": [
    {"task": "vector_add", "size": "2^20", "floor_us": 2.6, "times": [
      {"runner": "b1", "name": "b1", "median_us": 8},
      {"runner": "library", "name": "cublas.axpy", "median_us": 4.1, "low_us": 4, "high_us": 4.2, "samples": 50}]},
    {"task": "other", "size": "2^20", "times": [{"runner": "library", "name": "x", "median_us": 1}]}]})";
  const auto page = run_page(*archive, "last", {.bench = bench, .bench_file = "b.json"});
  ASSERT_TRUE(page.ok());
  const json document = parse_json(page->data, "page").value();
  ASSERT_EQ(document["comparators"].size(), 1u);
  EXPECT_EQ(document["comparators"][0]["name"], "cublas.axpy");
  EXPECT_EQ(document["comparators"][0]["times"][0][1], 4.1);
  EXPECT_THAT(run_page(*archive, "last", {.bench = "[]", .bench_file = "b.json"}).error().message,
              HasSubstr("'b.json' is not the JSON of a benchmark"));
}

TEST_F(RunPage, BenchmarkWithOddFieldsIsStillAPage) {
  const auto page = bench_page(
      R"({"rows": [{"task": 7, "times": [3, {"median_us": "x", "speedup": []}]}, null],
          "means": [1], "troubles": [{}], "missing": [1, "a"], "ceilings": []})",
      "b.json", 0);
  ASSERT_TRUE(page.ok());
  const json document = parse_json(page->data, "page").value();
  EXPECT_EQ(document["rows"].size(), 2u);
  EXPECT_EQ(document["missing"].size(), 1u);
  EXPECT_THAT(bench_page("{", "b.json", 0).error().message, HasSubstr("not valid JSON"));
}

TEST_F(RunPage, TwoThousandCandidatesStayFarBelowFifteenMegabytes) {
  const auto archive = archive_of("large");
  const auto page = run_page(*archive, "last", {});
  ASSERT_TRUE(page.ok());
  const auto size = render(*page).html.size();
  EXPECT_LT(size, 15'000'000u);
  EXPECT_GT(size, 1'000'000u);
}

TEST_F(RunPage, ReadingNeitherBlocksNorChangesAWritersArchive) {
  const auto file = folder_.path() / "archive.db";
  ASSERT_TRUE(samples::write("small", file).ok());
  const auto writer = std::move(store::Archive::open(file, clock_)).value();
  const auto reader = std::move(store::Archive::open_read_only(file, clock_)).value();
  store::StoryReader story(*reader);
  const auto before = story.version().value();
  const std::string run = writer->runs().value()[0].id;
  store::RunLog log(*writer, run);
  // A write transaction is open while the reader reads, and commits while it has read.
  ASSERT_TRUE(log.begin().ok());
  ASSERT_TRUE(log.remember_prompt({"r9.c1", 9, 1, 0, "initial", "", {{1, "new"}}}).ok());
  EXPECT_EQ(story.trials(run)->size(), 7u);
  ASSERT_TRUE(log.commit().ok());
  EXPECT_NE(story.version().value(), before);
  EXPECT_EQ(story.trials(run)->size(), 8u);
  EXPECT_FALSE(reader->set_config(run, {"a", "b", "c"}).ok());
}

TEST_F(RunPage, AnArchiveThatIsNotThereIsNotCreated) {
  const auto file = folder_.path() / "none" / "archive.db";
  EXPECT_THAT(store::Archive::open_read_only(file, clock_).error().message,
              HasSubstr("there is no archive"));
  EXPECT_FALSE(std::filesystem::exists(file.parent_path()));
  const auto other = folder_.path() / "other.db";
  ASSERT_TRUE(write_file(other, "").ok());
  EXPECT_THAT(store::Archive::open_read_only(other, clock_).error().message,
              HasSubstr("not an archive"));
}

}  // namespace
}  // namespace warpwright::report
