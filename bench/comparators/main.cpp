// SPDX-License-Identifier: Apache-2.0
// library_bench SUITE.json OUTPUT_FOLDER [--tasks a,b] [--limit SECONDS]: times the libraries that
// do the suite's tasks. Writes OUTPUT_FOLDER/comparators-library.jsonl, a line per result as it is
// found, and OUTPUT_FOLDER/ceilings.json. Sizes are those of SUITE.json, which
// `warpwright bench --prepare` writes.
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <vector>

#include "harness.h"

namespace {

using namespace comparators;
using nlohmann::json;

// A comparator that does not compute the task is no comparator.
constexpr double kMostError = 1e-4;
constexpr double kMostErrorApart = 1e-2;
// Sets of buffers that take turns, as many as the judge has for large sizes.
constexpr std::size_t kSets = 3;

struct Options {
  std::string suite, folder;
  std::set<std::string> tasks;
  double limit_s = 75;   // for everything
  double cell_s = 0.35;  // for one comparator at one size
};

Options parsed(int argc, char** argv) {
  Options options;
  std::vector<std::string> plain;
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    if (arg == "--tasks" && i + 1 < argc) {
      std::istringstream list(argv[++i]);
      for (std::string name; std::getline(list, name, ',');) options.tasks.insert(name);
    } else if (arg == "--limit" && i + 1 < argc) {
      options.limit_s = std::atof(argv[++i]);
    } else {
      plain.push_back(arg);
    }
  }
  if (plain.size() != 2)
    give_up("usage: library_bench SUITE.json FOLDER [--tasks a,b] [--limit S]");
  options.suite = plain[0];
  options.folder = plain[1];
  return options;
}

std::vector<TaskRow> all_rows() {
  std::vector<TaskRow> rows;
  for (auto part : {blas_rows(), reduce_rows(), order_rows(), move_rows(), convolve_rows()}) {
    rows.insert(rows.end(), part.begin(), part.end());
  }
  return rows;
}

class Bench {
 public:
  Bench(const Options& options, std::ofstream& out)
      : options_(options), out_(out), start_(std::chrono::steady_clock::now()) {}

  double spent_s() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

  void size(const TaskRow& row, const json& size, bool smallest) {
    if (spent_s() > options_.limit_s) return note_once("time is up: the rest is left out");
    Values values;
    for (const auto& [name, value] : size["values"].items()) values[name] = value.get<double>();
    std::array<Arena, kSets> arenas;
    std::array<std::vector<Op>, kSets> sets;
    for (std::size_t i = 0; i < kSets; ++i) sets[i] = row.make(values, arenas[i]);
    for (std::size_t n = 0; n < sets[0].size(); ++n) {
      const Op& op = sets[0][n];
      if (refused_.count(op.name + row.task) != 0) continue;
      require(cudaDeviceSynchronize(), "make inputs");
      std::vector<const Op*> turns;
      for (const auto& set : sets) turns.push_back(&set[n]);
      const Sampled sampled = timer_.time(turns, options_.cell_s);
      const double most = op.apart == "tf32" ? kMostErrorApart : kMostError;
      const double error = smallest && op.error ? op.error() : 0;
      if (!(error <= most)) {
        std::printf("%s at %s is wrong (relative error %.1e): left out\n", op.name.c_str(),
                    row.task, error);
        refused_.insert(op.name + row.task);
        continue;
      }
      write(row, size["label"].get<std::string>(), op, sampled);
    }
  }

  Timer& timer() { return timer_; }

 private:
  void note_once(const char* text) {
    if (!noted_) std::printf("%s\n", text);
    noted_ = true;
  }

  void write(const TaskRow& row, const std::string& label, const Op& op, const Sampled& s) {
    std::string note = op.note;
    if (!s.capturable)
      note += std::string(note.empty() ? "" : "; ") + "not captured: host gaps inside";
    const json line = {{"comparator", op.name},    {"task", row.task},   {"size", label},
                       {"median_us", s.median_us}, {"low_us", s.low_us}, {"high_us", s.high_us},
                       {"samples", s.samples},     {"note", note},       {"apart", op.apart}};
    out_ << line.dump() << "\n" << std::flush;
    std::printf("%-14s %-18s %-28s %11.2f us  n %d%s\n", row.task, label.c_str(), op.name.c_str(),
                s.median_us, s.samples, s.graph ? "  (graph)" : "");
    std::fflush(stdout);
  }

  const Options& options_;
  std::ofstream& out_;
  std::chrono::steady_clock::time_point start_;
  Timer timer_;
  std::set<std::string> refused_;
  bool noted_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  const Options options = parsed(argc, argv);
  std::ifstream in(options.suite);
  const json suite = json::parse(in, nullptr, false);
  if (suite.is_discarded()) give_up(options.suite + " is not there or not JSON");
  std::ofstream out(options.folder + "/comparators-library.jsonl");
  if (!out) give_up("cannot write to " + options.folder);
  Bench bench(options, out);
  std::ofstream(options.folder + "/ceilings.json") << measured_ceilings(bench.timer());
  const auto rows = all_rows();
  for (const json& task : suite["tasks"]) {
    const auto name = task["task"].get<std::string>();
    if (!options.tasks.empty() && options.tasks.count(name) == 0) continue;
    for (const TaskRow& row : rows) {
      if (name != row.task) continue;
      bool smallest = true;
      for (const json& size : task["sizes"]) {
        bench.size(row, size, smallest);
        smallest = false;
      }
    }
  }
  std::printf("library_bench: %.0f s\n", bench.spent_s());
  return 0;
}
