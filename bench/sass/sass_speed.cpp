// SPDX-License-Identifier: Apache-2.0
//
// sass_speed SECONDS CUBIN LISTING [STRATEGY]: how many schedules of a cubin's largest function the
// search makes and checks in a second without a GPU. A schedule's issue cycles stand for its time,
// and nothing waits.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "base/files.h"
#include "sass/scoreboards.h"
#include "sass/search.h"

using namespace warpwright;

namespace {

Result<int> run(double seconds, const std::string& cubin, const std::string& listing,
                const std::string& strategy) {
  WW_TRY(std::string bytes, read_file(cubin));
  WW_TRY(const std::string text, read_file(listing));
  WW_TRY(sass::Cubin file, sass::Cubin::parse(std::move(bytes)));
  WW_TRY(const auto table, sass::shipped_table(file.architecture()));
  WW_TRY(const auto program, sass::Program::join(std::move(file), text));
  const sass::Function* largest = nullptr;
  for (const sass::Function& each : program.functions())
    if (largest == nullptr || each.code.size() > largest->code.size()) largest = &each;
  const sass::Searcher* searcher = sass::searcher_named(strategy);
  if (largest == nullptr || searcher == nullptr) return Error{"no function, or no such strategy"};
  const sass::Function finer = sass::with_finer_scoreboards(*largest);
  const sass::Kernel kernel(finer, table);
  const std::clock_t before = std::clock();
  const auto start = std::chrono::steady_clock::now();
  const auto passed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  const auto time = [&](const sass::Function& scheduled) -> Result<std::optional<double>> {
    return std::optional<double>(kernel.issue_cycles(scheduled));
  };
  sass::SearchOptions options{.most_tried = 1'000'000};
  options.is_over = [&] { return passed() > seconds; };
  WW_TRY(const auto result, searcher->search(kernel, time, options));
  const double busy = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
  fmt::print("{}: {} instructions, {} schedules, {:.1f} a second of one core\n", largest->name,
             largest->code.size(), result.tried, result.tried / std::max(busy, 1e-3));
  for (const auto& [name, count] : result.moves)
    fmt::print("  {}: {} proposed, {} illegal\n", name, count.proposed, count.illegal);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fputs("usage: sass_speed SECONDS CUBIN LISTING [STRATEGY]\n", stderr);
    return 2;
  }
  const auto code =
      run(std::strtod(argv[1], nullptr), argv[2], argv[3], argc > 4 ? argv[4] : "anneal");
  if (!code.ok()) std::fprintf(stderr, "sass_speed: %s\n", code.error().message.c_str());
  return code.ok() ? *code : 2;
}
