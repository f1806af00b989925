// SPDX-License-Identifier: Apache-2.0
//
// sass_study [-v] [-o TABLE] CUBIN...: what docs/sass.md claims of machine code without a GPU. Half
// of the cubins, by name, teach a table of latencies; all figures are printed for that half and for
// the other one. -o writes the table that all of them teach.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <numeric>
#include <string>

#include "base/files.h"
#include "base/sha256.h"
#include "hazards.h"
#include "sass/check.h"
#include "sass/retime.h"
#include "sass/tool.h"

using namespace warpwright;

namespace {

constexpr int kHazards = 1000;

struct Loaded {
  std::string name;
  sass::Program program;
  bool teaches = false;
};

struct Figures {
  std::size_t files = 0, identical = 0, functions = 0, instructions = 0, refused = 0;
  std::size_t regions = 0, reproduced = 0;
  long cycles = 0, retimed = 0;
  std::map<std::string, std::size_t> hazards;
};

std::vector<sass::Words> words_of(const sass::Function& function) {
  std::vector<sass::Words> words;
  for (const sass::Instruction& instruction : function.code) words.push_back(instruction.words);
  return words;
}

void retime_all(const sass::Function& function, const std::vector<sass::BlockGraph>& graphs,
                const sass::LatencyTable& table, Figures& figures) {
  for (const sass::BlockGraph& graph : graphs) {
    const auto stalls = sass::stalls_of(function, graph, sass::original_order(graph));
    for (const auto& [begin, end] : graph.regions) {
      ++figures.regions;
      int before = 0, after = 0;
      for (std::size_t i = begin; i < end; ++i) {
        before += function.code[graph.first + i].control().stall;
        if (stalls) after += (*stalls)[i];
      }
      figures.cycles += before;
      figures.retimed += after;
      if (stalls && before == after) ++figures.reproduced;
    }
  }
}

void study(const Loaded& loaded, const sass::LatencyTable& table, Figures& figures, bool verbose) {
  ++figures.files;
  if (loaded.program.bytes() == loaded.program.cubin().bytes()) ++figures.identical;
  auto hazards = sass::check_tables(loaded.program);
  for (const sass::Function& function : loaded.program.functions()) {
    ++figures.functions;
    figures.instructions += function.code.size();
    auto found = sass::check(function, table);
    hazards.insert(hazards.end(), found.begin(), found.end());
    const auto graphs = sass::graphs_of(function, table);
    retime_all(function, graphs, table, figures);
    for (const auto& hazard : sass::check_against(function, words_of(function), table)) {
      std::printf("SELF %s %s %#lx %s\n", loaded.name.c_str(), hazard.function.c_str(),
                  hazard.offset, hazard.message.c_str());
      ++figures.hazards["self"];
    }
  }
  std::map<std::pair<std::string, std::uint64_t>, bool> places;
  for (const auto& hazard : hazards) {
    if (verbose)
      std::printf("%s %s %s %#lx %s\n", loaded.name.c_str(),
                  std::string(sass::name_of(hazard.kind)).c_str(), hazard.function.c_str(),
                  hazard.offset, hazard.message.c_str());
    ++figures.hazards[std::string(sass::name_of(hazard.kind))];
    places[{hazard.function, hazard.offset}] = true;
  }
  figures.refused += places.size();
}

void plant_all(const std::vector<Loaded>& all, bool teaches, const sass::LatencyTable& table) {
  std::mt19937_64 random(24);
  std::vector<const sass::Function*> functions;
  for (const Loaded& loaded : all)
    if (loaded.teaches == teaches)
      for (const sass::Function& function : loaded.program.functions())
        functions.push_back(&function);
  std::map<const sass::Function*, std::vector<sass::BlockGraph>> graphs;
  int planted[bench::kPlantedKinds] = {}, caught[bench::kPlantedKinds] = {},
      alone[bench::kPlantedKinds] = {};
  int total = 0;
  for (int tries = 0; total < kHazards && tries < 100 * kHazards && !functions.empty(); ++tries) {
    const int kind = tries % bench::kPlantedKinds;
    if (planted[kind] > kHazards / bench::kPlantedKinds) continue;
    const sass::Function* function = functions[random() % functions.size()];
    if (!graphs.contains(function)) graphs[function] = sass::graphs_of(*function, table);
    const auto changed =
        bench::plant(static_cast<bench::Planted>(kind), *function, graphs[function], random);
    if (!changed) continue;
    ++total;
    ++planted[kind];
    if (!sass::check_against(*function, words_of(*changed), table).empty()) ++caught[kind];
    if (sass::check(*changed, table).size() > sass::check(*function, table).size()) ++alone[kind];
  }
  for (int kind = 0; kind < bench::kPlantedKinds; ++kind)
    std::printf("planted %-10s %4d, found against the original %4d, found alone %4d\n",
                std::string(bench::name_of(static_cast<bench::Planted>(kind))).c_str(),
                planted[kind], caught[kind], alone[kind]);
  std::printf(
      "planted all        %4d, found against the original %4d (%.2f %%)\n", total,
      std::accumulate(caught, caught + bench::kPlantedKinds, 0),
      100.0 * std::accumulate(caught, caught + bench::kPlantedKinds, 0) / std::max(total, 1));
}

void print(const char* name, const Figures& f) {
  std::printf("%s: %zu files, %zu identical after a round trip, %zu functions, %zu instructions\n",
              name, f.files, f.identical, f.functions, f.instructions);
  std::printf("  refused instructions %zu: accepted %.4f %%\n", f.refused,
              100.0 - 100.0 * static_cast<double>(f.refused) /
                          static_cast<double>(std::max<std::size_t>(f.instructions, 1)));
  for (const auto& [kind, count] : f.hazards) std::printf("    %s %zu\n", kind.c_str(), count);
  std::printf("  regions %zu, length reproduced %zu (%.2f %%), cycles %ld, retimed %ld\n",
              f.regions, f.reproduced,
              100.0 * static_cast<double>(f.reproduced) /
                  static_cast<double>(std::max<std::size_t>(f.regions, 1)),
              f.cycles, f.retimed);
}

}  // namespace

int main(int argc, char** argv) {
  const auto tool = sass::Disassembler::open();
  if (!tool.ok()) return std::fprintf(stderr, "%s\n", tool.error().message.c_str()), 2;
  bool verbose = false;
  std::vector<Loaded> all;
  sass::LatencyTable half, whole;
  std::string output;
  for (int i = 1; i < argc; ++i) {
    const std::string path = argv[i];
    if (path == "-v") {
      verbose = true;
      continue;
    }
    if (path == "-o" && i + 1 < argc) {
      output = argv[++i];
      continue;
    }
    auto program = tool->read_file(path);
    if (!program.ok()) {
      std::printf("%s: %s\n", path.c_str(), program.error().message.c_str());
      continue;
    }
    const std::string name = path.substr(path.rfind('/') + 1);
    const bool teaches = sha256_hex(name)[0] % 2 == 0;
    if (teaches) sass::learn(*program, half);
    if (!output.empty()) sass::learn(*program, whole);
    all.push_back({name, std::move(*program), teaches});
  }
  whole.prune();
  if (!output.empty() && !write_file(output, whole.text()).ok()) return 2;
  std::printf("the table of half of the files: %zu rows", half.size());
  half.prune();
  std::printf(", %zu of them seen often enough\n", half.size());
  Figures taught, held_out;
  for (const Loaded& loaded : all) study(loaded, half, loaded.teaches ? taught : held_out, verbose);
  print("taught", taught);
  plant_all(all, true, half);
  print("held out", held_out);
  plant_all(all, false, half);
  return 0;
}
