// SPDX-License-Identifier: Apache-2.0
// The corpus of one-instruction kernels: the machine runs all of it, and where bits are defined
// they are those that a GPU computed (tests/ptx/corpus_h200.tsv, made by bench/gpu_corpus).
#include "support/corpus.h"

#include <gtest/gtest.h>

#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "support/places.h"

namespace warpwright::corpus {
namespace {

TEST(Corpus, EveryCaseRunsClean) {
  const std::vector<Case> cases = all_cases();
  EXPECT_GT(cases.size(), 1500u);
  std::set<std::string> names;
  for (const Case& c : cases) {
    EXPECT_TRUE(names.insert(c.name).second) << c.name << " is there twice";
    const auto result = run_on_simt(c, kBlock);
    EXPECT_TRUE(result.ok()) << c.name << ": " << (result.ok() ? "" : result.error().message);
  }
}

TEST(Corpus, InputsOfAThreadDoNotDependOnHowManyThereAre) {
  for (const Case& c : all_cases()) {
    for (std::size_t k = 0; k < c.inputs.size(); ++k) {
      const auto few = input_bytes(c, k, kBlock), more = input_bytes(c, k, 2 * kBlock);
      EXPECT_TRUE(std::equal(few.begin(), few.end(), more.begin())) << c.name;
    }
  }
}

std::map<std::string, std::string> recorded() {
  std::map<std::string, std::string> hashes;
  std::ifstream file(source_path("/tests/ptx/corpus_h200.tsv"));
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream row(line);
    std::string group, name, few;
    std::getline(row, group, '\t');
    std::getline(row, name, '\t');
    std::getline(row, few, '\t');
    hashes[name] = few;
  }
  return hashes;
}

TEST(Corpus, ResultsAreThoseOfAnH200) {
  const auto hashes = recorded();
  ASSERT_GT(hashes.size(), 1500u);
  std::size_t compared = 0;
  for (const Case& c : all_cases()) {
    const auto golden = hashes.find(c.name);
    if (golden == hashes.end()) continue;
    const auto result = run_on_simt(c, kFewThreads);
    ASSERT_TRUE(result.ok()) << c.name << ": " << result.error().message;
    char text[20];
    std::snprintf(text, sizeof text, "%016" PRIx64, hash_of(c, result->data(), result->size()));
    EXPECT_EQ(golden->second, text) << c.name << " gives other bits than the GPU";
    ++compared;
  }
  // An instruction that leaves the corpus leaves the file, too.
  EXPECT_EQ(compared, hashes.size());
}

}  // namespace
}  // namespace warpwright::corpus
