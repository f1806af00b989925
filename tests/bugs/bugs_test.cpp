// SPDX-License-Identifier: Apache-2.0
// Every tests/bugs/*.cu has one planted bug that the SIMT machine must report by its kind and line;
// every *_fixed.cu is right and must get no report. The first lines of a file say all:
//
//   // bug: kind=KIND line=N [also=KIND,...] [nvcc=gone]   or   // fixed: NAME
//   // one sentence
//   // run: options of `warpwright simt`
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include "base/files.h"
#include "base/sha256.h"
#include "base/text.h"
#include "bugs/device_compiler.h"
#include "build/toolchain.h"
#include "simt/standalone.h"
#include "support/places.h"

namespace warpwright::simt {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = source_path("/tests/bugs");

struct BugFile {
  std::string kind;  ///< empty: a correct kernel
  std::uint32_t line = 0;
  std::set<std::string> also;
  bool gone_with_nvcc = false;  ///< it removes what is wrong
  std::string run;
};

std::string after(std::string_view line, std::string_view key) {
  const std::size_t at = line.find(key);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = line.substr(at + key.size());
  return std::string(rest.substr(0, rest.find(' ')));
}

BugFile parse_bug(std::string_view text) {
  BugFile bug;
  const auto lines = lines_of(text);
  if (lines.size() < 3) return bug;
  bug.kind = after(lines[0], "kind=");
  const std::string number = after(lines[0], "line=");
  if (!number.empty()) bug.line = static_cast<std::uint32_t>(std::stoul(number));
  std::string also = after(lines[0], "also=");
  for (char& c : also)
    if (c == ',') c = ' ';
  std::istringstream in(also);
  for (std::string kind; in >> kind;) bug.also.insert(kind);
  bug.gone_with_nvcc = after(lines[0], "nvcc=") == "gone";
  if (lines[2].starts_with("// run: ")) bug.run = std::string(lines[2].substr(8));
  return bug;
}

std::vector<std::string> bug_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kFolder))
    if (entry.path().extension() == ".cu") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

/// All files as one translation unit, each in a namespace of its own: one start of the compiler.
std::string all_in_one() {
  std::string unit = "#include <cassert>\n#include <cooperative_groups.h>\n";
  for (const std::string& name : bug_names())
    unit +=
        "namespace " + name + " {\n#include \"" + (kFolder / (name + ".cu")).string() + "\"\n}\n";
  return unit;
}

std::string key_of(const std::string& unit, const std::string& compiler) {
  std::string all = unit + compiler;
  for (const std::string& name : bug_names()) all += *read_file(kFolder / (name + ".cu"));
  const fs::path headers = source_path("/src/build/headers");
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(headers))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) all += *read_file(file);
  return sha256_hex(all).substr(0, 20);
}

const build::Toolchain& toolchain() {
  static const build::Toolchain tools = build::find_toolchain();
  return tools;
}

enum class Compiler { clang, nvcc };

Result<std::string> compile_all(Compiler compiler) {
  const build::Toolchain& tools = toolchain();
  const auto& tool = compiler == Compiler::clang ? tools.clang : tools.nvcc;
  if (!tool.found()) return Error{"the compiler is not here"};
  const std::string unit = all_in_one();
  const fs::path cache = build_path("/tests/bugs_cache");
  const fs::path ptx = cache / (key_of(unit, tool.version) + ".ptx");
  if (auto cached = read_file(ptx); cached.ok()) return cached;
  WW_CHECK(make_directories(cache));
  const fs::path source = cache / (compiler == Compiler::clang ? "all.cu" : "all_nvcc.cu");
  WW_CHECK(write_file(source, unit));
  WW_CHECK((compiler == Compiler::clang ? compile_device : compile_device_with_nvcc)(
      tools, source, ptx.string() + ".part"));
  std::error_code error;
  fs::rename(ptx.string() + ".part", ptx, error);
  return read_file(ptx);
}

/// The PTX of all files, made once per process.
const Result<Module>& corpus(Compiler compiler = Compiler::clang) {
  const auto make = [](Compiler which) -> Result<Module> {
    WW_TRY(const std::string ptx, compile_all(which));
    return load(ptx);
  };
  static const Result<Module> clang = make(Compiler::clang);
  if (compiler == Compiler::clang) return clang;
  static const Result<Module> nvcc = make(Compiler::nvcc);
  return nvcc;
}

std::string kernel_of(const Module& module, const std::string& name) {
  const std::string mangled = "_ZN" + std::to_string(name.size()) + name + "6kernel";
  for (const KernelFacts& k : module.kernels())
    if (k.name.starts_with(mangled)) return k.name;
  return {};
}

class Bugs : public testing::TestWithParam<std::string> {};

TEST_P(Bugs, is_reported_where_it_is) {
  if (!toolchain().clang.found()) GTEST_SKIP() << "no clang";
  ASSERT_TRUE(corpus().ok()) << corpus().error().message;
  const BugFile bug = parse_bug(*read_file(kFolder / (GetParam() + ".cu")));
  ASSERT_FALSE(bug.run.empty()) << "no run: line";
  Result<StandaloneRun> run = parse_run(bug.run);
  ASSERT_TRUE(run.ok()) << run.error().message;
  run->kernel = kernel_of(*corpus(), GetParam());
  const Result<StandaloneResult> result = run_standalone(*corpus(), *run);
  ASSERT_TRUE(result.ok()) << result.error().message;
  bool found = bug.kind.empty();
  std::string all;
  for (const Fault& fault : result->report.faults) {
    all += "\n  " + fault.describe();
    const std::string kind(id_of(fault.kind));
    const bool here = fs::path(fault.file).filename() == GetParam() + ".cu";
    found = found || (kind == bug.kind && fault.line == bug.line && here);
    EXPECT_TRUE(kind == bug.kind || bug.also.contains(kind)) << "unexpected: " << fault.describe();
    EXPECT_FALSE(fault.space == "global" && fault.object.empty() && fault.address > 4096);
  }
  EXPECT_TRUE(found) << "expected " << bug.kind << " at line " << bug.line << "; got:" << all;
}

/// nvcc attributes what it moves and merges to other lines at times, so only the kind counts.
TEST_P(Bugs, is_reported_as_nvcc_compiles_it) {
  if (std::getenv("WARPWRIGHT_SLOW_TESTS") == nullptr)
    GTEST_SKIP() << "needs WARPWRIGHT_SLOW_TESTS";
  if (!toolchain().nvcc.found()) GTEST_SKIP() << "no nvcc";
  const Result<Module>& all = corpus(Compiler::nvcc);
  ASSERT_TRUE(all.ok()) << all.error().message;
  const BugFile bug = parse_bug(*read_file(kFolder / (GetParam() + ".cu")));
  Result<StandaloneRun> run = parse_run(bug.run);
  ASSERT_TRUE(run.ok()) << run.error().message;
  run->kernel = kernel_of(*all, GetParam());
  const Result<StandaloneResult> result = run_standalone(*all, *run);
  ASSERT_TRUE(result.ok()) << result.error().message;
  bool found = bug.kind.empty() || bug.gone_with_nvcc;
  std::string seen;
  for (const Fault& fault : result->report.faults) {
    seen += "\n  " + fault.describe();
    const std::string kind(id_of(fault.kind));
    found = found || kind == bug.kind;
    EXPECT_TRUE(kind == bug.kind || bug.also.contains(kind)) << "unexpected: " << fault.describe();
  }
  EXPECT_TRUE(found) << "expected " << bug.kind << "; got:" << seen;
}

INSTANTIATE_TEST_SUITE_P(Corpus, Bugs, testing::ValuesIn(bug_names()),
                         [](const auto& file) { return file.param; });

TEST(BugCorpus, has_two_of_every_kind) {
  std::map<std::string, int> kinds;
  int fixed = 0;
  for (const std::string& name : bug_names()) {
    const BugFile bug = parse_bug(*read_file(kFolder / (name + ".cu")));
    if (bug.kind.empty()) {
      ++fixed;
      EXPECT_TRUE(fs::exists(kFolder / (name.substr(0, name.size() - 6) + ".cu"))) << name;
      continue;
    }
    ++kinds[bug.kind];
  }
  for (int k = 0; k <= static_cast<int>(FaultKind::benign_race); ++k) {
    const std::string kind(id_of(static_cast<FaultKind>(k)));
    EXPECT_GE(kinds[kind], 2) << kind;
  }
  EXPECT_GE(fixed, 15);
}

}  // namespace
}  // namespace warpwright::simt
