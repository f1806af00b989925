// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace warpwright::report {

/// Of the data inside a page; docs/report.md.
inline constexpr int kPageFormat = 1;

/// A page before it is HTML.
struct Page {
  std::string title;
  std::string data;                 ///< JSON text, whatever the strings in it say
  std::vector<std::string> blocks;  ///< base64, see TextPool
  bool live = false;                ///< may talk to the server it came from, and to nobody else
  std::string plain = {};           ///< HTML, escaped: what is there until scripts draw the page
};

struct RenderedPage {
  std::string html;
  std::string policy;  ///< the Content-Security-Policy that is in the page, for the HTTP header
};

/// One self-contained file: scripts, styles and data inline, nothing loaded from anywhere.
RenderedPage render(const Page& page);

/// Whether this program was built with the distribution's Chart.js and highlight.js. Without them
/// pages have tables and plain sources.
bool has_charts();
bool has_highlighting();

}  // namespace warpwright::report
