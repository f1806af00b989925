// SPDX-License-Identifier: Apache-2.0
// corpus_check RESULTS [FILTER]: every case of the corpus on the SIMT machine and on the GPU of
// this host.
//   RESULTS/corpus.jsonl   a line per instruction: cases, equal bits, ulps, first differences
//   RESULTS/golden.tsv     hashes of the GPU's results of instructions whose bits are defined
//   RESULTS/matrix.bin     the GPU's results of matrix instructions, named in matrix.txt
// corpus_check --simt [FILTER]: only the SIMT machine, to see that it runs every case.
// corpus_check --ptx [FILTER]: the text of the kernels.
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <future>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "compare.h"
#include "gpu_side.h"

namespace {

using namespace warpwright;
using corpus::Case;
using Bytes = std::vector<std::byte>;

constexpr std::size_t kBatch = 16;

std::string hex(std::uint64_t v) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%" PRIx64, v);
  return text;
}

struct Totals {
  std::size_t cases = 0, same = 0, within = 0, different = 0, refused = 0;
  std::uint64_t elements = 0, equal = 0;
};

struct Files {
  std::unique_ptr<FILE, int (*)(FILE*)> lines, golden, matrix, names;
  explicit Files(const std::filesystem::path& folder)
      : lines(open(folder / "corpus.jsonl")),
        golden(open(folder / "golden.tsv")),
        matrix(open(folder / "matrix.bin")),
        names(open(folder / "matrix.txt")) {}
  static std::unique_ptr<FILE, int (*)(FILE*)> open(const std::filesystem::path& path) {
    FILE* file = std::fopen(path.c_str(), "wb");
    if (file == nullptr) {
      std::perror(path.c_str());
      std::exit(2);
    }
    return {file, &std::fclose};
  }
};

nlohmann::json described(const Case& c, const corpus::Comparison& r) {
  nlohmann::json j = {{"instruction", c.name},      {"group", c.group},
                      {"cases", r.elements},        {"equal", r.equal},
                      {"other_nan", r.other_nan},   {"different", r.different},
                      {"exact", c.promise.exact()}, {"max_ulp", r.most_ulps}};
  if (!c.promise.exact()) {
    j["outside_promise"] = r.outside;
    j["max_relative"] = r.most_relative;
    j["max_absolute"] = r.most_absolute;
    j["promised_relative"] = c.promise.relative;
    j["promised_absolute"] = c.promise.absolute;
  }
  for (const corpus::Difference& d : r.first) {
    nlohmann::json one = {{"thread", d.thread},
                          {"element", d.element},
                          {"machine", hex(d.machine)},
                          {"gpu", hex(d.gpu)}};
    for (const std::uint64_t in : d.inputs) one["in"].push_back(hex(in));
    j["first"].push_back(std::move(one));
  }
  return j;
}

void keep(const Case& c, const Bytes& gpu, Files& files) {
  if (c.promise.exact()) {
    const std::size_t few = gpu.size() / corpus::kThreads * corpus::kFewThreads;
    std::fprintf(files.golden.get(), "%s\t%s\t%016" PRIx64 "\t%016" PRIx64 "\n", c.group.c_str(),
                 c.name.c_str(), corpus::hash_of(gpu.data(), few),
                 corpus::hash_of(gpu.data(), gpu.size()));
  }
  if (c.group != "matrix") return;
  // An eighth is enough to derive how the sums are made.
  const std::size_t bytes = gpu.size() / 8;
  std::fprintf(files.names.get(), "%s\t%zu\n", c.name.c_str(), bytes);
  std::fwrite(gpu.data(), 1, bytes, files.matrix.get());
}

void judge(const Case& c, const Result<Bytes>& machine, const Result<Bytes>& gpu, Files& files,
           Totals& totals) {
  ++totals.cases;
  nlohmann::json line = {{"instruction", c.name}, {"group", c.group}};
  if (!machine.ok() || !gpu.ok()) {
    ++totals.refused;
    line["refused"] = machine.ok() ? gpu.error().message : machine.error().message;
    line["refused_by"] = machine.ok() ? "gpu" : "machine";
  } else {
    std::vector<Bytes> inputs;
    for (std::size_t k = 0; k < c.inputs.size(); ++k)
      inputs.push_back(corpus::input_bytes(c, k, corpus::kThreads));
    const corpus::Comparison r = corpus::compare(c, *machine, *gpu, inputs);
    totals.elements += r.elements;
    totals.equal += r.equal;
    const bool same = r.equal == r.elements;
    ++(same                                   ? totals.same
       : !c.promise.exact() && r.outside == 0 ? totals.within
                                              : totals.different);
    line = described(c, r);
    if (!same)
      std::printf("%-12s %-44s %8" PRIu64 " of %8" PRIu64 " differ, %" PRIu64
                  " NaNs, %.3g ulp, %" PRIu64 " outside\n",
                  c.group.c_str(), c.name.c_str(), r.different, r.elements, r.other_nan,
                  r.most_ulps, r.outside);
  }
  if (gpu.ok()) keep(c, *gpu, files);
  std::fprintf(files.lines.get(), "%s\n", line.dump().c_str());
}

int against_gpu(const std::filesystem::path& folder, const std::vector<Case>& cases) {
  auto gpu = corpus::GpuSide::open(corpus::kThreads);
  if (!gpu.ok()) {
    std::fprintf(stderr, "corpus_check: %s\n", gpu.error().message.c_str());
    return 2;
  }
  std::filesystem::create_directories(folder);
  Files files(folder);
  Totals totals;
  for (std::size_t begin = 0; begin < cases.size(); begin += kBatch) {
    std::vector<const Case*> batch;
    for (std::size_t k = begin; k < std::min(cases.size(), begin + kBatch); ++k)
      batch.push_back(&cases[k]);
    // The machine's kernels run on other cores meanwhile.
    std::vector<std::future<Result<Bytes>>> machine;
    for (const Case* c : batch)
      machine.push_back(std::async(std::launch::async,
                                   [c] { return corpus::run_on_simt(*c, corpus::kThreads); }));
    const auto on_gpu = (*gpu)->run(batch);
    for (std::size_t k = 0; k < batch.size(); ++k)
      judge(*batch[k], machine[k].get(), on_gpu[k], files, totals);
  }
  std::printf(
      "%s: %zu instructions: %zu equal in all bits, %zu within what PTX promises, %zu "
      "differ, %zu refused; %" PRIu64 " of %" PRIu64 " results equal\n",
      (*gpu)->name().c_str(), totals.cases, totals.same, totals.within, totals.different,
      totals.refused, totals.equal, totals.elements);
  return 0;
}

int only_simt(const std::vector<Case>& cases) {
  std::size_t refused = 0;
  for (const Case& c : cases) {
    const auto r = corpus::run_on_simt(c, corpus::kFewThreads);
    if (r.ok()) continue;
    ++refused;
    std::printf("%s: %s\n", c.name.c_str(), r.error().message.c_str());
  }
  std::printf("%zu cases, %zu refused\n", cases.size(), refused);
  return refused == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    std::fprintf(stderr, "usage: corpus_check RESULTS|--simt [FILTER]\n");
    return 2;
  }
  std::vector<Case> cases = corpus::all_cases();
  if (argc == 3)
    std::erase_if(cases, [&](const Case& c) {
      return c.name.find(argv[2]) == std::string::npos && c.group != argv[2];
    });
  if (std::strcmp(argv[1], "--simt") == 0) return only_simt(cases);
  if (std::strcmp(argv[1], "--ptx") == 0) {
    std::vector<const Case*> all;
    for (const Case& c : cases) all.push_back(&c);
    std::fputs(corpus::ptx_of(all).c_str(), stdout);
    return 0;
  }
  return against_gpu(argv[1], cases);
}
