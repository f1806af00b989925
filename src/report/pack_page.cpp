// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "core/json_reader.h"
#include "report/encoding.h"
#include "report/pack.h"
#include "report/run_rows.h"
#include "report/text_pool.h"

namespace warpwright::report {

using nlohmann::json;

namespace {

json packed_size(const PackSize& size) {
  json values = json::object();
  for (const auto& [name, value] : size.values) values[name] = value;
  json rivals = json::object();
  for (const auto& [runner, rival] : size.rivals)
    rivals[runner] = {{"name", rival.name},
                      {"us", rounded(rival.us)},
                      {"gain", rounded(gain_over(size, runner))}};
  return {{"size", size.label},
          {"values", values},
          {"run", rounded(size.run_us)},
          {"estimated", size.estimated},
          {"bench", rounded(size.bench_us)},
          {"floor", rounded(size.floor_us)},
          {"share", rounded(size.share)},
          {"rivals", rivals}};
}

json packed_kernel(const PackKernel& kernel, TextPool& pool) {
  json sizes = json::array();
  for (const auto& size : kernel.sizes) sizes.push_back(packed_size(size));
  return {{"folder", kernel.folder},
          {"task", kernel.task},
          {"title", kernel.title},
          {"group", kernel.group},
          {"rules", kernel.rule_set},
          {"device", kernel.device},
          {"date", kernel.date},
          {"model", kernel.model},
          {"run", kernel.run},
          {"commit", kernel.commit},
          {"torch", kernel.torch},
          {"tested", kernel.tested},
          {"source", pool.add(kernel.source)},
          {"sizes", sizes}};
}

std::string cell(const std::string& text, const char* tag = "td") {
  return fmt::format("<{0}>{1}</{0}>", tag, html_escaped(text));
}

std::string link_cell(const std::string& target, const std::string& text) {
  return fmt::format("<td><a href=\"{}\">{}</a></td>", html_escaped(target), html_escaped(text));
}

std::string number_cell(double value, const char* unit = "") {
  return value > 0 ? fmt::format("<td class=\"num\">{:.2f}{}</td>", value, unit)
                   : std::string("<td class=\"num\">–</td>");
}

/// What is there without scripts: every kernel at every size.
std::string plain_table(const Pack& pack) {
  std::string text =
      "<h1>Packed kernels</h1>\n<div class=\"scroll\"><table class=\"pack\">\n<thead><tr>";
  for (const char* head :
       {"kernel", "rules", "GPU", "size", "µs", "over baseline", "over library", "over PyTorch",
        "over torch.compile", "of the floor", "date", "model", "plain", "PyTorch"})
    text += cell(head, "th");
  text += "</tr></thead>\n<tbody>\n";
  for (const PackKernel& kernel : pack.kernels) {
    for (const PackSize& size : kernel.sizes) {
      text += "<tr>" + cell(kernel.folder, "th") + cell(kernel.rule_set) + cell(kernel.device) +
              cell(size.label) + number_cell(size.bench_us > 0 ? size.bench_us : size.run_us);
      for (const char* runner : {"b1", "library", "eager", "compiled"})
        text += number_cell(gain_over(size, runner), "×");
      text += number_cell(100 * size.share, " %") + cell(kernel.date) + cell(kernel.model) +
              link_cell(kernel.folder + "/kernel.cu", "kernel.cu") +
              (kernel.torch.empty() ? cell("–")
                                    : link_cell(kernel.folder + "/torch/README.md", "torch")) +
              "</tr>\n";
    }
  }
  return text + "</tbody></table></div>\n";
}

}  // namespace

Page pack_page(const Pack& pack) {
  TextPool pool;
  json document = {{"kind", "pack"},
                   {"format", kPageFormat},
                   {"made_ms", pack.made_ms},
                   {"bench", {{"file", pack.bench_file}, {"device", pack.bench_device}}},
                   {"kernels", json::array()},
                   {"texts", json::array()}};
  for (const auto& kernel : pack.kernels)
    document["kernels"].push_back(packed_kernel(kernel, pool));
  for (const auto& place : pool.places())
    document["texts"].push_back({place.block, place.offset, place.length});
  Page page{"Packed kernels · Warpwright", dump_json(document), pool.blocks(), false};
  page.plain = plain_table(pack);
  return page;
}

}  // namespace warpwright::report
