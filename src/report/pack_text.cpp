// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "report/pack.h"

namespace warpwright::report {

namespace {

std::string pack_row(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (std::string one : cells) {
    for (char& c : one)
      if (c == '|' || c == '\n') c = ' ';
    line += " " + one + " |";
  }
  return line + "\n";
}

std::string pack_head(const std::vector<std::string>& names) {
  std::string rule = "|";
  for (std::size_t i = 0; i < names.size(); ++i) rule += "---|";
  return pack_row(names) + rule + "\n";
}

std::string times_as_fast(double gain) { return gain > 0 ? fmt::format("{:.2f}", gain) : "-"; }

/// Geometric mean over the sizes that have it; zero: none has.
double mean_gain(const PackKernel& kernel, const std::string& runner) {
  double sum = 0;
  int count = 0;
  for (const PackSize& size : kernel.sizes) {
    const double gain = gain_over(size, runner);
    if (gain <= 0) continue;
    sum += std::log(gain);
    ++count;
  }
  return count == 0 ? 0 : std::exp(sum / count);
}

std::string kernels_table(const Pack& pack) {
  std::string text = pack_head({"kernel", "what", "rules", "GPU", "found", "model", "over baseline",
                                "over library", "over PyTorch", "over torch.compile"});
  for (const PackKernel& kernel : pack.kernels)
    text += pack_row(
        {fmt::format("[{0}]({0}/kernel.cu)", kernel.folder), kernel.title, kernel.rule_set,
         kernel.device, kernel.date, kernel.model, times_as_fast(mean_gain(kernel, "b1")),
         times_as_fast(mean_gain(kernel, "library")), times_as_fast(mean_gain(kernel, "eager")),
         times_as_fast(mean_gain(kernel, "compiled"))});
  return text;
}

std::string sizes_table(const Pack& pack) {
  std::string text =
      pack_head({"kernel", "size", "its run, us", "benchmark, us", "of the floor", "over baseline",
                 "over library", "over PyTorch", "over torch.compile"});
  for (const PackKernel& kernel : pack.kernels) {
    for (const PackSize& size : kernel.sizes) {
      const auto us = [](double value) { return value > 0 ? fmt::format("{:.2f}", value) : "-"; };
      text += pack_row(
          {kernel.folder, size.label, us(size.run_us) + (size.estimated ? " ~" : ""),
           us(size.bench_us), size.share > 0 ? fmt::format("{:.1f} %", 100 * size.share) : "-",
           times_as_fast(gain_over(size, "b1")), times_as_fast(gain_over(size, "library")),
           times_as_fast(gain_over(size, "eager")), times_as_fast(gain_over(size, "compiled"))});
    }
  }
  return text;
}

std::string licences(const Pack& pack) {
  std::set<std::string> names;
  for (const PackKernel& kernel : pack.kernels)
    names.insert(kernel.licence.empty() ? "not stated" : kernel.licence);
  std::string list;
  for (const auto& name : names) list += (list.empty() ? "" : ", ") + name;
  return list;
}

}  // namespace

std::string pack_markdown(const Pack& pack) {
  std::string text = fmt::format(
      "# Packed kernels\n\n{} kernels, each judged by Warpwright before it was written down. Open "
      "`index.html` to choose by task, shape and GPU;\nit is one file and loads nothing.\n\n",
      pack.kernels.size());
  text += kernels_table(pack);
  text +=
      "\nSpeed-ups are geometric means over the sizes below. They, and the share of the floor, "
      "are those of the benchmark";
  text +=
      pack.bench_file.empty()
          ? ", and none was given to this pack.\n\n"
          : fmt::format(
                " `{}` on\n{}; it times the kernel that had this name when it ran. Where it has "
                "none, the share is of the data sheet's floor.\n\n",
                pack.bench_file, pack.bench_device);
  text +=
      "## Take one\n\n"
      "As CUDA: `FOLDER/kernel.cu` and `kernel.h`; `FOLDER/CMakeLists.txt` makes a library of "
      "them. Its test, beside the baseline and with\ninputs from files:\n\n"
      "```\ncmake -S FOLDER -B build && cmake --build build && ctest --test-dir build\n```\n\n"
      "As an operator of PyTorch: `FOLDER/torch`, with a README of its arguments. The first import "
      "builds it (nvcc, ninja):\n\n"
      "```\ncd FOLDER/torch && python test_*.py\n```\n\n"
      "Kernels are compiled for the GPU that they were judged on. On others they may be slow, and "
      "those with assembly may not build.\n\n";
  text += fmt::format(
      "## Where they come from\n\n`FOLDER/provenance.json` has the run, the trial, the model, the "
      "date, the commit, the device, the medians and the SHA-256 of\n`kernel.cu`. Licence of the "
      "kernels, as their files say: {}. Made by {}.\n\n## Times\n\nMedians in "
      "microseconds; `~` is an estimate. *Its run*: as the search timed it.\n\n",
      licences(pack), pack.made_by);
  return text + sizes_table(pack);
}

}  // namespace warpwright::report
