// SPDX-License-Identifier: Apache-2.0
#include "evaluate/sanitizer_report.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.h"

namespace warpwright::evaluate {

namespace {

constexpr std::string_view kPrefix = "=========";
constexpr std::size_t kMostReported = 32;
constexpr std::size_t kReportedBytes = 300;

/// How a record begins, and what it is.
struct HeadRow {
  std::string_view begins;
  Verdict verdict;
  FindingKind kind;
};

constexpr std::array<HeadRow, 9> kHeads = {{
    {"Invalid __", Verdict::memory_fault, "out_of_bounds"},
    {"Uninitialized __", Verdict::memory_fault, "uninitialised_read"},
    {"Host API uninitialized memory access", Verdict::memory_fault, "uninitialised_read"},
    {"Barrier error detected", Verdict::race, "divergent_barrier"},
    {"Error: Race reported", Verdict::race, "shared_race"},
    {"Error: Potential", Verdict::race, "shared_race"},
    {"Malloc/Free", Verdict::memory_fault, "heap_error"},
    {"Fatal UVM", Verdict::memory_fault, "illegal_address"},
    {"Stack overflow", Verdict::memory_fault, "stack_error"},
}};

constexpr std::array<std::string_view, 3> kTroubles = {
    "Internal Sanitizer Error", "Internal error", "Error: Target application terminated before"};

/// The rest of a report's line, or nothing for lines of others.
std::string_view body_of(std::string_view line) {
  if (!line.starts_with(kPrefix)) return {};
  return trimmed(line.substr(kPrefix.size()));
}

const HeadRow* head_of(std::string_view body) {
  for (const HeadRow& row : kHeads) {
    if (body.starts_with(row.begins)) return &row;
  }
  return nullptr;
}

/// The line number behind "SOURCE_FILE:", wherever it stands; 0 without.
int line_in(std::string_view body, std::string_view source_file) {
  const std::string mark = std::string(source_file) + ":";
  const std::size_t at = body.find(mark);
  if (at == std::string_view::npos) return 0;
  const std::string_view digits = body.substr(at + mark.size());
  int line = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), line);
  return parsed.ec == std::errc{} && line > 0 ? line : 0;
}

/// "at kernel(float *)+0x70 in FILE:12", or of older tools "at 0x70 in FILE:12:kernel(float *)".
std::string kernel_in(std::string_view body) {
  const auto name = [](std::string_view with_parameters) {
    const std::size_t end = std::min(with_parameters.find('('), with_parameters.size());
    return shortened(clean_utf8(with_parameters.substr(0, end)), kReportedBytes);
  };
  const std::size_t at = body.find("at ");
  const std::size_t plus = body.find("+0x");
  if (at != std::string_view::npos && plus != std::string_view::npos && plus > at + 3) {
    return name(body.substr(at + 3, plus - at - 3));
  }
  const std::size_t colon = body.rfind(':');
  if (!body.starts_with("at 0x") || colon == std::string_view::npos) return "";
  const std::string_view last = trimmed(body.substr(colon + 1));
  const bool number = last.find_first_not_of("0123456789") == std::string_view::npos;
  return number ? "" : name(last);
}

/// "Race reported between Write access at k(int *)+0xd0 in /tmp/f.cu:20" without where.
std::string_view without_place(std::string_view body) {
  for (const std::string_view end : {" at ", " and is"}) {
    body = body.substr(0, std::min(body.find(end), body.size()));
  }
  return body;
}

class Reader {
 public:
  Reader(SanitizerReport& report, std::string_view source_file)
      : report_(report), source_file_(source_file) {}

  void read(std::string_view body) {
    for (const std::string_view trouble : kTroubles) {
      if (body.starts_with(trouble) && report_.trouble.empty()) {
        report_.trouble = shortened(clean_utf8(body), kReportedBytes);
      }
    }
    if (body.starts_with("ERROR SUMMARY") || body.starts_with("RACECHECK SUMMARY")) {
      report_.complete = true;
    }
    if (const HeadRow* row = head_of(body)) {
      close();
      std::string_view words = without_place(body);
      if (words.starts_with("Error: ")) words.remove_prefix(7);
      fault_ = device::Fault{.verdict = row->verdict,
                             .kind = row->kind,
                             .kernel = kernel_in(body),
                             .line = line_in(body, source_file_),
                             .message = shortened(clean_utf8(words), kReportedBytes)};
      open_ = true;
    } else if (body.empty()) {
      close();
    } else if (open_) {
      detail(body);
    }
  }

  void close() {
    if (!open_) return;
    open_ = false;
    for (device::Fault& known : report_.faults) {
      const bool same =
          known.kind == fault_.kind && known.kernel == fault_.kernel && known.line == fault_.line;
      if (same) return;
    }
    if (report_.faults.size() < kMostReported) report_.faults.push_back(std::move(fault_));
  }

 private:
  void detail(std::string_view body) {
    if (fault_.message.size() > 2 * kReportedBytes) return;
    if (body.starts_with("at ") || body.starts_with("and ")) {
      if (fault_.line == 0) fault_.line = line_in(body, source_file_);
      if (fault_.kernel.empty()) fault_.kernel = kernel_in(body);
      if (const int other = line_in(body, source_file_);
          body.starts_with("and ") && other > 0 && other != fault_.line) {
        fault_.message += ", the other at line " + std::to_string(other);
      }
    } else if (body.starts_with("by thread (")) {
      fault_.message += ", " + shortened(clean_utf8(body), kReportedBytes);
    } else if (body.find("is misaligned") != std::string_view::npos) {
      fault_.kind = "misaligned";
      fault_.message += ", the address is misaligned";
    } else if (body.find("is out of bounds") != std::string_view::npos) {
      fault_.message += ", the address is out of bounds";
    }
  }

  SanitizerReport& report_;
  std::string_view source_file_;
  device::Fault fault_;
  bool open_ = false;
};

}  // namespace

SanitizerReport parse_sanitizer_report(std::string_view text, std::string_view source_file) {
  SanitizerReport report;
  Reader reader(report, source_file);
  for (const std::string_view line : lines_of(text)) {
    if (line.starts_with(kPrefix)) reader.read(body_of(line));
  }
  reader.close();
  return report;
}

bool tool_can_tell(const device::Fault& fault, std::string_view ptx) {
  const auto has = [&](std::string_view word) { return ptx.find(word) != std::string_view::npos; };
  if (!has("wgmma.") && !has("mbarrier.")) return true;
  const bool outside =
      fault.kind == "out_of_bounds" && fault.message.find("__shared__") != std::string::npos;
  return fault.kind != "shared_race" && !outside;
}

}  // namespace warpwright::evaluate
