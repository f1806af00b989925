// SPDX-License-Identifier: Apache-2.0
// What the sandbox adds to starting a program: /bin/true, plain and in each level, in turns.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <vector>

#include "sandbox/sandbox.h"

namespace {

using namespace warpwright;

struct Row {
  std::string name;
  std::optional<sandbox::Sandbox> box;  // absent: a plain spawn
  std::vector<double> ms;
};

double run_once(const Row& row) {
  const auto started = std::chrono::steady_clock::now();
  bool good = false;
  if (row.box) {
    sandbox::Request request;
    request.argv = {"/bin/true"};
    const auto exit = row.box->run(request);
    good = exit.ok() && exit->succeeded();
  } else {
    Command command;
    command.argv = {"/bin/true"};
    const auto exit = run_process(command);
    good = exit.ok() && exit->succeeded();
  }
  if (!good) std::exit(1);
  const auto elapsed = std::chrono::steady_clock::now() - started;
  return std::chrono::duration<double, std::milli>(elapsed).count();
}

double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1))];
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 100;
  std::vector<Row> rows = {{"plain spawn", std::nullopt, {}}};
  for (const auto level :
       {sandbox::Level::landlock, sandbox::Level::namespaces, sandbox::Level::bubblewrap}) {
    const auto box = sandbox::Sandbox::open({.level = level});
    if (!box.ok()) {
      std::printf("%s: %s\n", std::string(name_of(level)).c_str(), box.error().message.c_str());
      continue;
    }
    rows.push_back({std::string(name_of(level)), *box, {}});
  }
  for (int i = 0; i < rounds; ++i) {
    for (auto& row : rows) row.ms.push_back(run_once(row));
  }
  std::printf("%-12s %10s %10s %10s %12s\n", "level", "median ms", "p5 ms", "p95 ms",
              "overhead ms");
  const double plain = quantile(rows[0].ms, 0.5);
  for (const auto& row : rows) {
    std::printf("%-12s %10.2f %10.2f %10.2f %12.2f\n", row.name.c_str(), quantile(row.ms, 0.5),
                quantile(row.ms, 0.05), quantile(row.ms, 0.95), quantile(row.ms, 0.5) - plain);
  }
  return 0;
}
