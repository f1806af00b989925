// SPDX-License-Identifier: Apache-2.0
// The corpus of one-instruction kernels: the machine runs all of it, and where bits are defined
// they are those that a GPU computed (tests/ptx/corpus_h200.tsv, made by bench/gpu_corpus).
#include "support/corpus.h"

#include <gtest/gtest.h>

#include <set>

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

}  // namespace
}  // namespace warpwright::corpus
