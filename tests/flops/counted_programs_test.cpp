// SPDX-License-Identifier: Apache-2.0
// Small programs with a main whose counts are worked out in their comments (tests/flops/programs):
//
//   // expect: KERNEL LAUNCH [sp=N] [dp=N] [half=N] [tensor=N] [bytes=N] [grid=X,Y,Z] [block=X,Y,Z]
//                            [confidence=WORD]
//   // expect-not: KERNEL LAUNCH
//   // run: ARGUMENTS, define: NAME=VALUE, include: FOLDER, with: FILE, budget: N
//   // code: N, missing: TEXT
//
// Every run counts the plain ones, built as one program that calls the main of each in a namespace
// of its own, and a few by themselves; where WARPWRIGHT_SLOW_TESTS is set all are counted by
// themselves.
#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "base/files.h"
#include "flops/analysis.h"
#include "flops/targets.h"
#include "support/places.h"

namespace warpwright::flop {
namespace {

namespace fs = std::filesystem;
using testing::Contains;

const fs::path kPrograms = source_path("/tests/flops/programs");
constexpr const char* kAlone[] = {"converge", "lacking", "defined", "two_files"};

struct Expected {
  std::string kernel;
  std::uint64_t launch = 0;
  std::vector<std::pair<std::string, std::string>> values;
  bool absent = false;
};

struct Program {
  fs::path file;
  std::vector<Expected> expected;
  std::vector<std::string> missing, arguments, defines, includes, others;
  std::uint64_t budget = 0;
  int code = 0;
};

Expected expectation(const std::string& text, bool absent) {
  Expected expected;
  expected.absent = absent;
  std::istringstream words(text);
  words >> expected.kernel >> expected.launch;
  std::string word;
  while (words >> word) {
    const std::size_t equals = word.find('=');
    expected.values.emplace_back(word.substr(0, equals), word.substr(equals + 1));
  }
  return expected;
}

std::vector<std::string> words_in(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

Program read_program(const fs::path& file) {
  Program program;
  program.file = file;
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("// ")) continue;
    const std::size_t colon = line.find(": ");
    if (colon == std::string::npos) continue;
    const std::string key = line.substr(3, colon - 3), value = line.substr(colon + 2);
    if (key == "expect") program.expected.push_back(expectation(value, false));
    if (key == "expect-not") program.expected.push_back(expectation(value, true));
    if (key == "run") program.arguments = words_in(value);
    if (key == "define") program.defines.push_back(value);
    if (key == "include") program.includes.push_back(value);
    if (key == "with") program.others.push_back(value);
    if (key == "missing") program.missing.push_back(value);
    if (key == "budget") program.budget = std::stoull(value);
    if (key == "code") program.code = std::stoi(value);
  }
  return program;
}

std::string plain(double value) { return std::to_string(static_cast<std::uint64_t>(value + 0.5)); }

std::string plain(const simt::Dim3& d) {
  return std::to_string(d.x) + "," + std::to_string(d.y) + "," + std::to_string(d.z);
}

std::string value_of(const LaunchCount& launch, const std::string& key) {
  if (key == "sp") return plain(launch.flops.sp);
  if (key == "dp") return plain(launch.flops.dp);
  if (key == "half") return plain(launch.flops.half);
  if (key == "tensor") return plain(launch.flops.tensor);
  if (key == "bytes") return plain(launch.bytes);
  if (key == "grid") return plain(launch.grid);
  if (key == "block") return plain(launch.block);
  if (key == "confidence") return std::string(name_of(launch.confidence));
  return "?";
}

/// "halve 3 sp=1", as far as the expectation asks.
std::string said_of(const LaunchCount& launch, const Expected& expected) {
  std::string text = launch.kernel + " " + std::to_string(launch.launch);
  for (const auto& [key, value] : expected.values) text += " " + key + "=" + value_of(launch, key);
  return text;
}

std::string said_of(const Expected& expected) {
  std::string text = expected.kernel + " " + std::to_string(expected.launch);
  for (const auto& [key, value] : expected.values) text += " " + key + "=" + value;
  return text;
}

/// Whether it needs nothing but its own text, and comes to a good end.
bool is_plain(const Program& program) {
  if (program.code != 0 || program.budget != 0 || !program.missing.empty()) return false;
  if (!program.defines.empty() || !program.includes.empty() || !program.others.empty())
    return false;
  // A function that is not main must return what it says.
  std::ifstream file(program.file);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (text.find("return ", text.find("int main")) == std::string::npos) return false;
  for (const Expected& each : program.expected) {
    for (const auto& [key, value] : each.values) {
      if (key == "confidence" && value != "exact") return false;
    }
  }
  return true;
}

std::string name_of(const Program& program) { return program.file.stem().string(); }

/// All programs in one text. What they include is included before, outside of their namespaces.
std::string bundle_text(const std::vector<Program>& programs) {
  std::string head = "#include <utility>\n", body, calls;
  for (const Program& program : programs) {
    std::ifstream lines(program.file);
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("#include <")) head += line + "\n";
    }
    const std::string name = name_of(program);
    body += "namespace ww_" + name + " {\n#define main run\n#include \"" +
            program.file.filename().string() + "\"\n#undef main\n}\n";
    calls += "  {\n    const char* words[] = {\"" + name + "\"";
    for (const std::string& word : program.arguments) calls += ", \"" + word + "\"";
    calls += ", nullptr};\n    failed += call(ww_" + name + "::run, " +
             std::to_string(program.arguments.size() + 1) + ", words);\n  }\n";
  }
  return head + body +
         "int call(int (*run)(), int, const char**) { return run() != 0; }\n"
         "int call(int (*run)(int, char**), int count, const char** words) {\n"
         "  return run(count, const_cast<char**>(words)) != 0;\n}\n"
         "int main() {\n  int failed = 0;\n" +
         calls + "  return failed;\n}\n";
}

AnalysisRequest request_of(const Program& program) {
  AnalysisRequest request;
  const fs::path folder = program.file.parent_path();
  request.program.files = {program.file};
  for (const std::string& other : program.others) request.program.files.push_back(folder / other);
  for (const std::string& each : program.includes)
    request.program.includes.push_back(folder / each);
  request.program.defines = program.defines;
  request.program.target = *target_named("sm_86");
  request.program.front_end = build::FrontEnd::clang;
  request.run.target = request.program.target;
  request.run.arguments = program.arguments;
  request.run.cwd = folder;
  if (program.budget != 0) request.run.limits.first = program.budget;
  return request;
}

class CountedPrograms : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const build::Toolchain tools = build::find_toolchain();
    if (!tools.supports(build::FrontEnd::clang)) return;
    auto sandbox = sandbox::Sandbox::open();
    ASSERT_TRUE(sandbox.ok()) << sandbox.error().message;
    const fs::path cache = build_path("/tests/flops_cache");
    auto made = build::Builder::create(*sandbox, tools, {.cache = cache});
    ASSERT_TRUE(made.ok()) << made.error().message;
    builder_ = std::make_unique<build::Builder>(std::move(*made));
  }
  static void TearDownTestSuite() { builder_.reset(); }

  static void count(const fs::path& file) {
    SCOPED_TRACE(file.filename().string());
    const Program program = read_program(file);
    // A comment that was wrapped differently expects nothing.
    ASSERT_TRUE(!program.expected.empty() || !program.missing.empty() || program.code != 0);
    const auto analysis = analyse(*builder_, request_of(program));
    ASSERT_TRUE(analysis.ok()) << analysis.error().message;
    EXPECT_EQ(static_cast<int>(analysis->ending), program.code) << analysis->reason << "\n"
                                                                << analysis->detail;
    for (const std::string& missing : program.missing)
      EXPECT_THAT(analysis->missing, Contains(missing));
    compare(program, analysis->launches);
  }

  static void compare(const Program& program, const std::vector<LaunchCount>& launches) {
    for (const Expected& expected : program.expected) {
      std::vector<std::string> said;
      for (const LaunchCount& launch : launches) said.push_back(said_of(launch, expected));
      if (expected.absent) {
        EXPECT_THAT(said, testing::Not(Contains(said_of(expected))));
      } else {
        EXPECT_THAT(said, Contains(said_of(expected)));
      }
    }
  }

  static std::unique_ptr<build::Builder> builder_;
};

std::unique_ptr<build::Builder> CountedPrograms::builder_;

TEST_F(CountedPrograms, PlainOnesTogether) {
  if (builder_ == nullptr) GTEST_SKIP() << "there is no clang";
  std::vector<Program> programs;
  for (const auto& entry : fs::directory_iterator(kPrograms)) {
    if (entry.path().extension() != ".cu") continue;
    Program program = read_program(entry.path());
    if (is_plain(program)) programs.push_back(std::move(program));
  }
  // With those by themselves there are 25 in every run.
  EXPECT_GE(programs.size() + std::size(kAlone), 25U);
  const auto folder = TemporaryDirectory::create("warpwright-bundle-");
  ASSERT_TRUE(folder.ok());
  Program bundle;
  bundle.file = folder->path() / "bundle.cu";
  ASSERT_TRUE(write_file(bundle.file, bundle_text(programs)).ok());
  AnalysisRequest request = request_of(bundle);
  request.program.includes = {kPrograms};
  const auto analysis = analyse(*builder_, request);
  ASSERT_TRUE(analysis.ok()) << analysis.error().message;
  ASSERT_EQ(analysis->ending, Ending::counted) << analysis->reason << "\n" << analysis->detail;
  for (const Program& program : programs) {
    SCOPED_TRACE(program.file.filename().string());
    ASSERT_FALSE(program.expected.empty());
    std::vector<LaunchCount> own;
    for (const LaunchCount& launch : analysis->launches) {
      if (launch.signature.find("ww_" + name_of(program) + "::") != std::string::npos)
        own.push_back(launch);
    }
    compare(program, own);
  }
}

TEST_F(CountedPrograms, SomeAlone) {
  if (builder_ == nullptr) GTEST_SKIP() << "there is no clang";
  for (const char* name : kAlone) count(kPrograms / (std::string(name) + ".cu"));
}

TEST_F(CountedPrograms, All) {
  if (builder_ == nullptr) GTEST_SKIP() << "there is no clang";
  if (std::getenv("WARPWRIGHT_SLOW_TESTS") == nullptr)
    GTEST_SKIP() << "needs WARPWRIGHT_SLOW_TESTS";
  std::size_t counted = 0;
  for (const auto& entry : fs::directory_iterator(kPrograms)) {
    if (entry.path().extension() != ".cu") continue;
    count(entry.path());
    ++counted;
  }
  EXPECT_GE(counted, 25U);
}

}  // namespace
}  // namespace warpwright::flop
