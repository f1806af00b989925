// SPDX-License-Identifier: Apache-2.0
#include "recorded.h"

#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>

#include "base/files.h"
#include "compare.h"

namespace warpwright::corpus {
namespace {

using Bytes = std::vector<std::byte>;

/// Only the first threads' results of a matrix instruction are kept.
std::map<std::string, Bytes> kept_matrices(const std::filesystem::path& results) {
  std::map<std::string, Bytes> kept;
  std::ifstream names(results / "matrix.txt"), data(results / "matrix.bin", std::ios::binary);
  for (std::string line; std::getline(names, line);) {
    const std::size_t tab = line.find('\t');
    Bytes bytes(std::stoull(line.substr(tab + 1)));
    data.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    kept[line.substr(0, tab)] = std::move(bytes);
  }
  return kept;
}

bool same_matrix(const Case& c, const Bytes& gpu) {
  const std::uint32_t per_thread = c.output.count * bytes_of(c.output.kind);
  const auto threads = static_cast<std::uint32_t>(gpu.size() / per_thread);
  const auto machine = run_on_simt(c, threads);
  std::vector<Bytes> inputs;
  for (std::size_t k = 0; k < c.inputs.size(); ++k) inputs.push_back(input_bytes(c, k, threads));
  const Comparison r = compare(c, *machine, gpu, inputs);
  if (r.other_nan > 0)
    std::printf("%s: %" PRIu64 " NaNs with other bits\n", c.name.c_str(), r.other_nan);
  if (r.different == 0) return true;
  std::printf("%s: %" PRIu64 " of %" PRIu64 " differ, at most %.3g ulp\n", c.name.c_str(),
              r.different, r.elements, r.most_ulps);
  for (const Difference& d : r.first)
    std::printf("  thread %u element %u: machine %" PRIx64 ", GPU %" PRIx64 "\n", d.thread,
                d.element, d.machine, d.gpu);
  return false;
}

}  // namespace

int check_recorded(const std::filesystem::path& results) {
  const auto matrices = kept_matrices(results);
  std::map<std::string, std::string> golden;
  std::ifstream file(results / "golden.tsv");
  for (std::string line; std::getline(file, line);) {
    std::istringstream row(line);
    std::string group, name, few, full;
    std::getline(row, group, '\t') && std::getline(row, name, '\t') &&
        std::getline(row, few, '\t') && std::getline(row, full, '\t');
    golden[name] = full;
  }
  std::size_t same = 0, different = 0, absent = 0;
  for (const Case& c : all_cases()) {
    if (!c.promise.exact()) continue;
    bool equal = false;
    if (const auto kept = matrices.find(c.name); kept != matrices.end()) {
      equal = same_matrix(c, kept->second);
    } else if (const auto hash = golden.find(c.name); hash != golden.end()) {
      const auto machine = run_on_simt(c, kThreads);
      char text[20];
      std::snprintf(text, sizeof text, "%016" PRIx64, hash_of(c, machine->data(), machine->size()));
      equal = hash->second == text;
      if (!equal) std::printf("%s: other results than the GPU's\n", c.name.c_str());
    } else {
      ++absent;
      continue;
    }
    ++(equal ? same : different);
  }
  std::printf("%zu instructions as recorded, %zu different, %zu not recorded\n", same, different,
              absent);
  return different == 0 ? 0 : 1;
}

}  // namespace warpwright::corpus
