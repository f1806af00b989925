// SPDX-License-Identifier: Apache-2.0
#include "report/page.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/assert.h"
#include "base/embedded.h"
#include "report/encoding.h"

namespace warpwright {
std::span<const EmbeddedFile> web_files();
std::span<const EmbeddedFile> web_libraries();
}  // namespace warpwright

namespace warpwright::report {

namespace {

// In this order they make one script; each file uses only what stands before it, save in calls.
constexpr std::array<std::string_view, 19> kScripts = {
    "dom.js",        "format.js",     "verdicts.js", "texts.js",    "model.js",
    "charts.js",     "tree.js",       "roofline.js", "source.js",   "diff.js",
    "figures.js",    "candidates.js", "detail.js",   "run_page.js", "compare_page.js",
    "bench_page.js", "pack_page.js",  "live.js",     "main.js"};
constexpr std::array<std::string_view, 3> kStyles = {"style.css", "parts.css", "print.css"};

std::string_view embedded(std::string_view name) {
  for (const auto& file : web_files()) {
    if (file.path.ends_with(name) && file.path.size() > name.size() &&
        file.path[file.path.size() - name.size() - 1] == '/') {
      return file.content;
    }
  }
  ASSERT(false, "a file of the page is not in the program");
  return "";
}

/// A library's text, empty when the build did not find it.
std::string_view library(std::string_view ending) {
  for (const auto& file : web_libraries()) {
    if (file.path.ends_with(ending)) return file.content;
  }
  return "";
}

/// An inline script or style and its permission.
struct Inline {
  std::string content;
  std::string hash;
};

Inline inline_part(std::string content) {
  // The hash is over what the parser sees; nothing of ours may end the element early.
  ASSERT(
      content.find("</script") == std::string::npos && content.find("</style") == std::string::npos,
      "an embedded file contains an end tag");
  Inline part{std::move(content), ""};
  part.hash = "'" + csp_hash(part.content) + "'";
  return part;
}

std::vector<Inline> scripts() {
  std::vector<Inline> parts;
  if (has_charts()) parts.push_back(inline_part(std::string(library("chart.min.js"))));
  if (has_highlighting()) {
    // Both files are CommonJS modules; the first makes the global `hljs` as well.
    const auto module = [](std::string_view file) {
      return "(function () { var module = {};\n" + std::string(library(file)) +
             "\nreturn module.exports; })();\n";
    };
    parts.push_back(
        inline_part("// highlight.js, BSD 3-clause licence, Copyright (c) 2006, Ivan Sagalaev\n" +
                    module("lib/highlight.js") + "var hljsCpp = " + module("languages/cpp.js")));
  }
  std::string own = "(() => {\n'use strict';\n";
  for (const auto name : kScripts) own += embedded(name);
  parts.push_back(inline_part(own + "})();\n"));
  return parts;
}

std::string policy_of(const std::vector<Inline>& scripts, const Inline& style, bool live) {
  std::string policy = "default-src 'none'; script-src";
  for (const auto& part : scripts) policy += " " + part.hash;
  policy += "; style-src " + style.hash + "; img-src data:; base-uri 'none'; form-action 'none'; " +
            "require-trusted-types-for 'script'; trusted-types 'none'";
  if (live) policy += "; connect-src 'self'";
  return policy;
}

/// Puts the parts in the places that the template names; the inserted text is not looked at again.
std::string filled(std::string_view text,
                   const std::vector<std::pair<std::string_view, std::string>>& parts) {
  std::string result;
  while (!text.empty()) {
    const auto open = std::min(text.find("{{"), text.size());
    result += text.substr(0, open);
    text.remove_prefix(open);
    if (text.empty()) break;
    const auto close = text.find("}}");
    ASSERT(close != std::string_view::npos, "the page's template has an open mark");
    const std::string_view name = text.substr(2, close - 2);
    text.remove_prefix(close + 2);
    const auto part = std::find_if(parts.begin(), parts.end(),
                                   [&](const auto& entry) { return entry.first == name; });
    ASSERT(part != parts.end(), "the page's template names an unknown part");
    result += part->second;
  }
  return result;
}

}  // namespace

bool has_charts() { return !library("chart.min.js").empty(); }
bool has_highlighting() {
  return !library("lib/highlight.js").empty() && !library("languages/cpp.js").empty();
}

RenderedPage render(const Page& page) {
  std::string css;
  for (const auto name : kStyles) css += embedded(name);
  const Inline style = inline_part(css);
  const auto code = scripts();
  RenderedPage rendered;
  rendered.policy = policy_of(code, style, page.live);
  std::string code_elements;
  for (const auto& part : code) code_elements += "<script>" + part.content + "</script>\n";
  std::string data =
      "<script type=\"application/json\" id=\"data\">" + script_safe(page.data) + "</script>\n";
  for (std::size_t i = 0; i < page.blocks.size(); ++i) {
    data += "<script type=\"text/plain\" id=\"block" + std::to_string(i) + "\">" + page.blocks[i] +
            "</script>\n";
  }
  rendered.html = filled(embedded("page.html"), {{"title", html_escaped(page.title)},
                                                 {"policy", html_escaped(rendered.policy)},
                                                 {"style", "<style>" + style.content + "</style>"},
                                                 {"plain", page.plain},
                                                 {"data", data},
                                                 {"scripts", code_elements}});
  return rendered;
}

}  // namespace warpwright::report
