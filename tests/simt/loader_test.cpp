// SPDX-License-Identifier: Apache-2.0
// The loader and damaged texts: it refuses or loads them, and never does anything else.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>

#include "base/files.h"
#include "simt/module.h"

namespace warpwright::simt {
namespace {

std::vector<std::string> corpus() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(WARPWRIGHT_SOURCE_DIR "/tests/ptx"))
    paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> texts;
  for (const auto& path : paths) texts.push_back(read_file(path).value());
  return texts;
}

std::string error_of(std::string_view body) {
  const Result<Module> m =
      load(".version 8.3\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n" +
           std::string(body) + "\nret;\n}\n");
  return m.ok() ? "" : m.error().message;
}

TEST(LoaderTest, names_the_line_and_what_it_cannot_run) {
  EXPECT_NE(error_of(".reg .b32 %r<2>;\nfoo.b32 %r1, %r1;")
                .find("PTX line 7 (kernel k): not supported: foo.b32"),
            std::string::npos);
  EXPECT_NE(error_of("bra NOWHERE;").find("unknown label 'NOWHERE'"), std::string::npos);
  EXPECT_NE(error_of(".reg .f32 %f<2>;\nadd.f32 %f1, %f1;").find("wrong number of operands"),
            std::string::npos);
  EXPECT_NE(error_of(".reg .f32 %f<2>;\n.reg .pred %p;\nadd.f32 %f1, %p, %f1;").find("predicate"),
            std::string::npos);
  EXPECT_NE(error_of(".reg .b32 %r<2>;\nmov.u32 %r1, %r2;").find("%r2"), std::string::npos);
  EXPECT_NE(error_of(".reg .b32 %r<2>;\nmov.u32 %r1, nobody;").find("unknown name 'nobody'"),
            std::string::npos);
  EXPECT_EQ(error_of(".reg .b32 %r<2>;\nmov.u32 %r1, 7;"), "");
}

TEST(LoaderTest, refuses_texts_that_are_not_ptx) {
  for (const std::string_view text :
       {"hello", "{", ".entry", ".visible .entry k(", ".visible .entry k() {", ".global .b8 x[",
        "\0\0", ".version", "//", "/*"}) {
    const Result<Module> m = load(text);
    EXPECT_TRUE(!m.ok() || m->kernels().empty()) << text;
  }
  EXPECT_FALSE(load(".global .b8 x[99999999999999999999];").ok());
  EXPECT_FALSE(load(".global .align 3 .b8 x[4];").ok());
  EXPECT_FALSE(load(".global .b32 x[1073741824] = {1};").ok());
}

TEST(LoaderTest, survives_damage) {
  std::mt19937 random(20240607);
  const std::vector<std::string> texts = corpus();
  std::size_t loaded = 0;
  for (int round = 0; round < 40; ++round) {
    for (const std::string& original : texts) {
      std::string text = original;
      const int damages = 1 + static_cast<int>(random() % 4);
      for (int k = 0; k < damages && !text.empty(); ++k) {
        const std::size_t at = random() % text.size();
        const std::size_t from = random() % text.size();
        switch (random() % 5) {
          case 0:
            text[at] = static_cast<char>(random());
            break;
          case 1:
            text.erase(at, random() % 20);
            break;
          case 2:
            text.insert(at, text.substr(from, random() % 40));
            break;
          case 3:
            text.resize(at);
            break;
          default:
            text.insert(at, std::to_string(random()));
            break;
        }
      }
      loaded += load(text).ok() ? 1 : 0;
    }
  }
  EXPECT_GT(loaded, 0u);
}

}  // namespace
}  // namespace warpwright::simt
