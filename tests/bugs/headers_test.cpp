// SPDX-License-Identifier: Apache-2.0
// The device headers do what they say: the kernels of semantics.cu on the SIMT machine.
#include <gtest/gtest.h>

#include <unistd.h>

#include "base/files.h"
#include "bugs/device_compiler.h"
#include "simt/launcher.h"
#include "support/places.h"

namespace warpwright::simt {
namespace {

namespace fs = std::filesystem;

const fs::path kSource = source_path("/tests/build/candidates/semantics.cu");

struct Case {
  std::string kernel;
  std::uint32_t threads = 32;
  bool reads = false;
};

/// What each kernel leaves: 1 where all is as it should be.
void run_case(const Module& module, const Case& c) {
  SCOPED_TRACE(c.kernel);
  const std::string mangled = "_Z" + std::to_string(c.kernel.size()) + c.kernel;
  std::string name;
  for (const KernelFacts& k : module.kernels())
    if (k.name.starts_with(mangled)) name = k.name;
  Machine machine;
  std::vector<float> x(256), y(32, 0.0f);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 0.5f * static_cast<float>(i);
  const Address in = machine.memory().allocate(x.size() * sizeof(float), "x").value();
  const Address out = machine.memory().allocate(y.size() * sizeof(float), "y").value();
  ASSERT_TRUE(machine.memory().copy_in(in, std::as_bytes(std::span(x))).ok());
  Params params;
  params.add(out);
  if (c.reads) params.add(in);
  const auto report = machine.launch(module, {name, {1}, {c.threads}, 0, params.bytes(), {}});
  ASSERT_TRUE(report.ok()) << report.error().message;
  for (const Fault& f : report->faults) ADD_FAILURE() << f.describe();
  ASSERT_TRUE(machine.memory().copy_out(std::as_writable_bytes(std::span(y)), out).ok());
  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(y[i], 1.0f) << "thread " << i;
}

TEST(HeadersTest, do_what_they_say) {
  const build::Toolchain tools = build::find_toolchain();
  if (!tools.clang.found()) GTEST_SKIP() << "no clang";
  ASSERT_TRUE(make_directories(build_path("/tests/bugs_cache")).ok());
  const fs::path ptx = fs::path(build_path("/tests/bugs_cache")) /
                       ("semantics_" + std::to_string(::getpid()) + ".ptx");
  const Status compiled = compile_device(tools, kSource, ptx);
  ASSERT_TRUE(compiled.ok()) << compiled.error().message;
  const std::string text = read_file(ptx).value();
  fs::remove(ptx);
  // What was not committed is not waited for.
  EXPECT_NE(text.find("cp.async.wait_group 0"), std::string::npos);
  EXPECT_EQ(text.find("cp.async.wait_all"), std::string::npos);
  const Result<Module> module = load(text);
  ASSERT_TRUE(module.ok()) << module.error().message;
  for (const Case& c :
       {Case{"bits"}, Case{"halves"}, Case{"half_nans"}, Case{"groups"}, Case{"cub_full", 128},
        Case{"cub_ragged", 100}, Case{"cub_logical"}, Case{"random_and_pipeline", 32, true}})
    run_case(*module, c);
}

}  // namespace
}  // namespace warpwright::simt
