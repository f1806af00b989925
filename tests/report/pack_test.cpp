// SPDX-License-Identifier: Apache-2.0
#include "report/pack.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/json_reader.h"

namespace warpwright::report {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Pack sample_pack() {
  Pack pack;
  for (const bool apart : {false, true}) {
    PackKernel kernel;
    kernel.folder = apart ? "topk-free" : "topk";
    kernel.task = "topk";
    kernel.title = "<b>Top</b> | k";
    kernel.device = "GPU";
    kernel.rule_set = apart ? "free" : "strict";
    kernel.source = "</script>";
    kernel.torch = "torch.ops.warpwright_topk.topk";
    kernel.licence = "Apache-2.0";
    kernel.apart = apart;
    PackSize size;
    size.label = "N=4";
    size.values = {{"N", 4}};
    size.run_us = 3;
    kernel.sizes = {size};
    pack.kernels.push_back(kernel);
  }
  return pack;
}

constexpr const char* kBench = R"({"device": "GPU", "rows": [
  {"task": "topk", "size": "N=4", "floor_us": 1, "best_kernel": "k.topk", "times": [
    {"runner": "kernel", "name": "k.other", "median_us": 1},
    {"runner": "kernel", "name": "k.topk", "median_us": 2, "share": 0.5},
    {"runner": "kernel", "name": "k.free", "lane": "free", "median_us": 4},
    {"runner": "b1", "name": "b1", "median_us": 8},
    {"runner": "library", "name": "slow", "median_us": 20},
    {"runner": "library", "name": "fast", "median_us": 10},
    {"runner": "library", "name": "tf32", "apart": "tf32", "median_us": 1},
    {"runner": "eager", "name": 7, "median_us": "x"}, 5]},
  {"task": "topk", "size": "N=8", "times": []}, 3]})";

TEST(PackBench, TimesAreThoseOfTheSameRules) {
  Pack pack = sample_pack();
  ASSERT_TRUE(add_bench(pack, kBench, "bench.json").ok());
  const PackSize& strict = pack.kernels[0].sizes[0];
  EXPECT_EQ(strict.bench_us, 2);
  EXPECT_EQ(strict.share, 0.5);
  EXPECT_EQ(gain_over(strict, "b1"), 4);
  EXPECT_EQ(gain_over(strict, "library"), 5);
  EXPECT_EQ(strict.rivals.at("library").name, "fast");
  EXPECT_EQ(gain_over(strict, "eager"), 0);
  EXPECT_EQ(gain_over(pack.kernels[1].sizes[0], "b1"), 2);
  Pack other = sample_pack();
  other.kernels[0].device = "another GPU";
  ASSERT_TRUE(add_bench(other, kBench, "bench.json").ok());
  EXPECT_EQ(gain_over(other.kernels[0].sizes[0], "b1"), 0) << "times of two GPUs were compared";
  EXPECT_FALSE(add_bench(other, "[]", "bench.json").ok());
}

TEST(PackPage, IsATableWithoutScriptsAndNoNameIsMarkup) {
  Pack pack = sample_pack();
  pack.kernels[0].model = "<img src=x>";
  ASSERT_TRUE(add_bench(pack, kBench, "bench.json").ok());
  const Page page = pack_page(pack);
  EXPECT_THAT(page.plain, AllOf(HasSubstr("&lt;img src=x&gt;"), Not(HasSubstr("<img")),
                                HasSubstr("<td class=\"num\">4.00×</td>"),
                                HasSubstr("<a href=\"topk-free/kernel.cu\">")));
  const std::string html = render(page).html;
  EXPECT_THAT(html, AllOf(HasSubstr("<main id=\"main\" tabindex=\"-1\"><h1>"),
                          Not(HasSubstr("<img")), HasSubstr("packPage")));
  const auto data = parse_json(page.data, "data").value();
  EXPECT_EQ(data["kind"], "pack");
  EXPECT_EQ(data["kernels"][0]["sizes"][0]["rivals"]["library"]["gain"], 5.0);
  EXPECT_EQ(data["kernels"][0]["sizes"][0]["values"]["N"], 4.0);
}

TEST(PackReadme, HasARowPerKernelAndSize) {
  Pack pack = sample_pack();
  const std::string without = pack_markdown(pack);
  EXPECT_THAT(without, AllOf(HasSubstr("none was given to this pack"), HasSubstr("3.00 | -"),
                             HasSubstr("<b>Top</b>   k |")));
  ASSERT_TRUE(add_bench(pack, kBench, "bench.json").ok());
  EXPECT_THAT(pack_markdown(pack),
              AllOf(HasSubstr("| topk | N=4 | 3.00 | 2.00 | 50.0 % | 4.00 | 5.00 | - | - |"),
                    HasSubstr("Apache-2.0"), HasSubstr("`bench.json`")));
}

}  // namespace
}  // namespace warpwright::report
