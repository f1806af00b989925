// SPDX-License-Identifier: Apache-2.0
// The promises of docs/sandbox.md name the tests that show them; each name must be one.
#include <gtest/gtest.h>

#include <filesystem>

#include "base/files.h"
#include "support/places.h"

namespace warpwright {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = source_path();

std::string all_tests() {
  std::string text;
  for (const std::string folder : {"sandbox", "build", "llm", "cli"}) {
    for (const auto& file : fs::directory_iterator(kRoot / "tests" / folder)) {
      if (file.path().extension() == ".cpp") text += read_file(file.path()).value();
    }
  }
  return text;
}

bool is_member(const std::string& name) {
  const auto star = name.find('*');
  if (star == std::string::npos) return fs::exists(kRoot / "tests/cheats" / (name + ".cu"));
  for (const auto& file : fs::directory_iterator(kRoot / "tests/cheats")) {
    if (file.path().filename().string().starts_with(name.substr(0, star))) return true;
  }
  return false;
}

bool is_test(const std::string& name, const std::string& tests) {
  const auto dot = name.find('.');
  if (dot == std::string::npos) {
    return tests.find("TEST_P(SandboxTest, " + name + ")") != std::string::npos;
  }
  const std::string suite = "TEST(" + name.substr(0, dot) + ", ";
  const std::string rest = name.substr(dot + 1);
  return tests.find(rest == "*" ? suite : suite + rest + ")") != std::string::npos;
}

TEST(Promises, EachNamesTestsThatExist) {
  const std::string page = read_file(kRoot / "docs/sandbox.md").value();
  const auto from = page.find("| promise | shown by |");
  ASSERT_NE(from, std::string::npos);
  const std::string table = page.substr(from, page.find("\n\n", from) - from);
  const std::string tests = all_tests();
  int named = 0;
  for (std::size_t row = table.find('\n'); row != std::string::npos;) {
    const std::size_t end = table.find('\n', row + 1);
    const std::string line = table.substr(row + 1, end - row - 1);
    row = end;
    std::size_t at = line.find(" | ");
    while (at != std::string::npos && (at = line.find('`', at)) != std::string::npos) {
      const std::size_t close = line.find('`', at + 1);
      ASSERT_NE(close, std::string::npos) << line;
      const std::string name = line.substr(at + 1, close - at - 1);
      EXPECT_TRUE(is_member(name) || is_test(name, tests)) << name;
      ++named;
      at = close + 1;
    }
  }
  EXPECT_GE(named, 30);
}

}  // namespace
}  // namespace warpwright
