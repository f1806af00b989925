// SPDX-License-Identifier: Apache-2.0
// The manual page, from what the parser knows.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "cli/exit_codes.h"
#include "cli/surface.h"

namespace warpwright::cli {

namespace {

/// Text that roff prints as it is.
std::string roff(std::string_view text) {
  std::string result;
  if (!text.empty() && (text[0] == '.' || text[0] == '\'')) result += "\\&";
  for (const char c : text) {
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else if (c == '\n') {
      result += ' ';
    } else {
      result += c;
    }
  }
  return result;
}

std::string in_capitals(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

std::string usage(const VerbSurface& verb) {
  std::string text = fmt::format("\\fBwarpwright {}\\fR", roff(verb.name));
  for (const auto& p : verb.positionals) {
    const std::string name =
        fmt::format("\\fI{}\\fR{}", roff(in_capitals(p.name)), p.repeats ? "..." : "");
    text += p.required ? " " + name : " [" + name + "]";
  }
  if (!verb.options.empty()) text += " [\\fIoptions\\fR]";
  return text;
}

std::string verb_section(const VerbSurface& verb) {
  std::string text =
      fmt::format(".SS {}\n{}.\n.PP\n{}\n", roff(verb.name), roff(verb.summary), usage(verb));
  for (const auto& p : verb.positionals)
    text += fmt::format(".TP\n\\fI{}\\fR\n{}\n", roff(in_capitals(p.name)), roff(p.help));
  for (const auto& option : verb.options) {
    std::string names;
    for (const auto& name : option.names)
      names += (names.empty() ? "" : ", ") + fmt::format("\\fB{}\\fR", roff(name));
    text += fmt::format(".TP\n{}{}\n{}\n", names, option.takes_value ? " \\fIVALUE\\fR" : "",
                        roff(option.help));
  }
  return text + fmt::format(".PP\nExample:\n.PP\n.nf\n    {}\n.fi\n", roff(verb.example));
}

std::string exit_status() {
  const auto row = [](int code, std::string_view meaning) {
    return fmt::format(".TP\n{}\n{}\n", code, roff(meaning));
  };
  return ".SH EXIT STATUS\n" + row(kOk, "success") +
         row(kBad, "a bad verdict, or a search that found no valid kernel") +
         row(kFailed, "wrong usage, or something is missing: a message says what to do") +
         row(kWaiting, "questions wait for warpwright tell") + row(kInterrupted, "interrupted");
}

constexpr std::string_view kFiles = R"(.SH FILES
.TP
\fI.warpwright/archive.db\fR
all runs; \fB\-\-archive\fR and \fBWARPWRIGHT_ARCHIVE\fR name another file
.TP
\fIwarpwright.toml\fR
settings, in the working folder; then \fI~/.config/warpwright/warpwright.toml\fR
)";

}  // namespace

std::string manual_page(const std::vector<VerbSurface>& verbs, std::string_view version) {
  std::string text = fmt::format(
      ".TH WARPWRIGHT 1 \"\" \"warpwright {}\" \"User Commands\"\n"
      ".SH NAME\nwarpwright \\- turn a description of a computation into a fast, proven CUDA "
      "kernel\n"
      ".SH SYNOPSIS\n\\fBwarpwright\\fR \\fIVERB\\fR [\\fIarguments\\fR]\n.br\n"
      "\\fBwarpwright\\fR \\fIVERB\\fR \\fB\\-\\-help\\fR\n.br\n"
      "\\fBwarpwright\\fR \\fB\\-\\-version\\fR\n"
      ".SH DESCRIPTION\nA model proposes kernels for a task. A judge compiles them, compares their "
      "results with a reference, and times them. Without a GPU a SIMT machine in the program runs "
      "them and estimates their times. Start with \\fBwarpwright doctor\\fR.\n.SH VERBS\n",
      roff(version));
  for (const auto& verb : verbs) text += verb_section(verb);
  return text + exit_status() + std::string(kFiles);
}

}  // namespace warpwright::cli
