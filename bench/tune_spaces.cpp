// SPDX-License-Identifier: Apache-2.0
// Records a whole space of configurations as estimates of the SIMT machine, without a judge: many
// configurations are compiled at once, and of each a few blocks of a large grid are run.
//   tune_spaces transpose|matmul|reduce HEADERS > SPACE.tsv
// HEADERS is src/build/headers. On a GPU, `bench/tune_spaces_gpu` records measured times.
#include <cstdio>
#include <filesystem>
#include <map>

#include <fmt/format.h>

#include "base/files.h"
#include "base/process.h"
#include "core/expression.h"
#include "simt/estimate.h"
#include "simt/standalone.h"
#include "tune/space.h"

namespace warpwright {
namespace {

/// How the kernel of a file is launched at one size.
struct Recipe {
  const char* name;
  const char *grid_x, *grid_y, *block;
  std::vector<const char*> arguments;
};

const Recipe kRecipes[] = {
    {"transpose",
     "ceil(1024 / (TX * STEPS))",
     "ceil(1024 / TY)",
     "TX * BY",
     {"buf:f32:1048576", "buf:f32:1048576", "i32:1024", "i32:1024"}},
    {"matmul",
     "2048 / BN",
     "2048 / BM",
     "BM / TM * BN / TN",
     {"buf:f32:524288", "buf:f32:524288", "buf:f32:4194304", "i32:2048", "i32:2048", "i32:256"}},
    {"reduce",
     "ceil(4194304 / (BLOCK * ITEMS * VEC))",
     "1",
     "BLOCK",
     {"buf:f32:4194304", "buf:f32:1", "i32:4194304"}},
};

constexpr std::size_t kBatch = 48;

Values values_of(const tune::Space& space, const tune::Point& point) {
  Values values;
  for (std::size_t i = 0; i < point.size(); ++i) {
    const auto& parameter = space.parameters()[i];
    values[parameter.name] = std::atof(parameter.values[point[i]].c_str());
  }
  return values;
}

/// The kernels of several configurations, each in a namespace of its own.
std::string joined(const tune::Space& space, const std::vector<tune::Point>& points) {
  std::string text;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::string whole = space.filled(points[i]);
    text +=
        fmt::format("namespace c{:05} {{\n{}}}\n", i, whole.substr(0, whole.find("extern \"C\"")));
    for (const auto& parameter : space.parameters()) text += "#undef " + parameter.name + "\n";
    text += "#undef THREADS\n";
  }
  return text;
}

Result<std::string> ptx_of(const std::string& source, const std::string& headers) {
  WW_TRY(const auto folder, TemporaryDirectory::create("tune-spaces-"));
  const std::string from = (folder.path() / "all.cu").string();
  const std::string to = (folder.path() / "all.ptx").string();
  WW_CHECK(write_file(from, source));
  Command command;
  command.argv = {"/usr/bin/clang++-19",
                  "-x",
                  "cuda",
                  "-std=c++17",
                  "-O3",
                  "-nocudainc",
                  "-nocudalib",
                  "--cuda-path=/nonexistent",
                  "-Xclang",
                  "-target-sdk-version=12.3",
                  "-I" + headers,
                  "-include",
                  "ww_prelude.h",
                  "--cuda-device-only",
                  "--cuda-gpu-arch=sm_90",
                  "--cuda-feature=+ptx83",
                  "-w",
                  "-S",
                  from,
                  "-o",
                  to};
  command.env = {"PATH=/usr/bin:/bin"};
  WW_TRY(const ProcessExit exit, run_process(command, nullptr));
  if (exit.exit_code != 0) return Error{exit.err.substr(0, 2000)};
  return read_file(to, std::size_t{256} << 20);
}

Result<double> estimated_us(const simt::Module& module, const std::string& prefix,
                            const Recipe& recipe, const Values& values) {
  simt::StandaloneRun run;
  for (const auto& kernel : module.kernels()) {
    if (kernel.name.starts_with(prefix)) run.kernel = kernel.name;
  }
  WW_TRY(const double x, value_of(recipe.grid_x, values));
  WW_TRY(const double y, value_of(recipe.grid_y, values));
  WW_TRY(const double block, value_of(recipe.block, values));
  run.grid = {static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y), 1};
  run.block = {static_cast<std::uint32_t>(block), 1, 1};
  for (const char* text : recipe.arguments) {
    WW_TRY(auto argument, simt::parse_argument(text));
    run.arguments.push_back(std::move(argument));
  }
  run.options.checks = simt::Checks::fast;
  run.options.engine = simt::Engine::interpreted;
  run.options.only_blocks = {0, 1};
  WW_TRY(const auto result, simt::run_standalone(module, run));
  const simt::Estimate estimate = simt::estimate(result.report, simt::GpuSpec{});
  if (!result.report.clean()) return Error{"the machine reports something"};
  if (estimate.blocks_per_sm == 0) return Error{"the block does not fit"};
  return estimate.us;
}

Status record(const Recipe& recipe, const std::string& headers, const std::string& file) {
  WW_TRY(const std::string source, read_file(file, std::size_t{1} << 20));
  WW_TRY(const auto space, tune::Space::parse(source));
  const auto points = space.points();
  for (const auto& parameter : space.parameters()) std::printf("%s\t", parameter.name.c_str());
  std::printf("verdict\tscore_us\n");
  for (std::size_t from = 0; from < points.size(); from += kBatch) {
    const std::vector<tune::Point> part(
        points.begin() + static_cast<std::ptrdiff_t>(from),
        points.begin() + static_cast<std::ptrdiff_t>(std::min(from + kBatch, points.size())));
    WW_TRY(const std::string ptx, ptx_of(joined(space, part), headers));
    WW_TRY(const auto module, simt::load(ptx));
    for (std::size_t i = 0; i < part.size(); ++i) {
      for (std::size_t p = 0; p < part[i].size(); ++p) {
        std::printf("%s\t", space.parameters()[p].values[part[i][p]].c_str());
      }
      const auto us =
          estimated_us(module, fmt::format("_ZN6c{:05}", i), recipe, values_of(space, part[i]));
      if (us.ok()) {
        std::printf("ok\t%.4f\n", *us);
      } else {
        std::printf("launch_error\t\n");
        std::fprintf(stderr, "%s: %s\n", space.text_of(part[i]).c_str(),
                     us.error().message.c_str());
      }
    }
    std::fflush(stdout);
    std::fprintf(stderr, "%zu of %zu\n", from + part.size(), points.size());
  }
  return {};
}

int main_of(int count, char** words) {
  if (count != 3) {
    std::fprintf(stderr, "usage: tune_spaces transpose|matmul|reduce src/build/headers\n");
    return 2;
  }
  const std::filesystem::path headers = words[2];
  for (const Recipe& recipe : kRecipes) {
    if (recipe.name != std::string(words[1])) continue;
    const auto root = headers.parent_path().parent_path().parent_path();
    const auto status =
        record(recipe, headers.string(),
               (root / "bench/tune_kernels" / (std::string(words[1]) + ".cu")).string());
    if (!status.ok()) std::fprintf(stderr, "%s\n", status.error().message.c_str());
    return status.ok() ? 0 : 1;
  }
  return 2;
}

}  // namespace
}  // namespace warpwright

int main(int count, char** words) { return warpwright::main_of(count, words); }
