// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/expression.h"
#include "report/page.h"

namespace warpwright::report {

/// Another's time at a size, from a benchmark.
struct PackRival {
  std::string name;  ///< "cublas.sgemm"
  double us = 0;
};

/// One timed size of a packed kernel. Zero: not known.
struct PackSize {
  std::string label;
  Values values;
  double run_us = 0;  ///< median of the search that found the kernel
  bool estimated = false;
  double bench_us = 0;  ///< of a benchmark, which the rivals are of
  double floor_us = 0;
  double share = 0;  ///< of what the device allows
  /// By runner: "b1", "library", "eager", "compiled"; the fastest of its kind.
  std::map<std::string, PackRival> rivals;
};

/// A kernel of a pack: where it comes from, where it lies, how fast it is.
struct PackKernel {
  std::string folder;  ///< in the pack: "topk-free"
  std::string task, title, group, rule_set, device, date, model, run, commit, licence, source;
  std::string torch;       ///< "torch.ops.warpwright_topk.topk"; empty: no operator
  std::string torch_test;  ///< "test_topk.py"
  bool apart = false;      ///< a second kernel of its task, under the free rules
  bool tested = false;     ///< with a test of its own
  std::vector<PackSize> sizes;
};

struct Pack {
  std::vector<PackKernel> kernels;
  std::string made_by;
  std::string bench_file, bench_device;  ///< empty: no benchmark
  std::int64_t made_ms = 0;
};

/// What a benchmark's JSON (docs/formats.md) says of the pack's kernels on the device of the
/// benchmark: their times and those of others.
Status add_bench(Pack& pack, std::string_view text, const std::string& file);

/// How many times as fast as the rival at this size, both timed by the benchmark; zero: unknown.
double gain_over(const PackSize& size, const std::string& runner);

/// The page: kernels to be chosen by task, shape and GPU. Without scripts it is a table.
Page pack_page(const Pack& pack);

/// README.md of the pack.
std::string pack_markdown(const Pack& pack);

}  // namespace warpwright::report
