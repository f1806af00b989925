// SPDX-License-Identifier: Apache-2.0
// Runs every tests/ptx/*.ptx as its own comments say; docs/simt.md describes the form.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>
#include <sstream>

#include "base/files.h"
#include "base/text.h"
#include "simt/machine.h"
#include "simt/ops/half.h"
#include "simt/same_report.h"
#include "simt/standalone.h"
#include "support/places.h"

namespace warpwright::simt {
namespace {

std::vector<std::string> words_of(std::string_view text) {
  std::istringstream in{std::string(text)};
  std::vector<std::string> words;
  for (std::string w; in >> w;) words.push_back(w);
  return words;
}

std::size_t bytes_of(const std::string& type) {
  return static_cast<std::size_t>(std::stoi(type.substr(type.find_first_of("0123456789")))) / 8;
}

/// A number as the bits of its type: 1.5, -3, 0x7f, inf, nan.
std::uint64_t bits_of(const std::string& type, const std::string& text) {
  if (text.starts_with("0x")) return std::stoull(text, nullptr, 16);
  if (type == "f32") return std::bit_cast<std::uint32_t>(std::strtof(text.c_str(), nullptr));
  if (type == "f64") return std::bit_cast<std::uint64_t>(std::strtod(text.c_str(), nullptr));
  if (type == "f16") return to_half(std::strtod(text.c_str(), nullptr)).bits;
  if (type == "bf16") return to_bfloat(std::strtod(text.c_str(), nullptr)).bits;
  return text[0] == '-' ? static_cast<std::uint64_t>(std::stoll(text)) : std::stoull(text);
}

double real_of(const std::string& type, std::uint64_t bits) {
  if (type == "f32") return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  if (type == "f64") return std::bit_cast<double>(bits);
  if (type == "f16") return to_float(Half{static_cast<std::uint16_t>(bits)});
  if (type == "bf16") return to_float(BFloat{static_cast<std::uint16_t>(bits)});
  return static_cast<double>(static_cast<std::int64_t>(bits));
}

/// "1 2 3", "fill 7", "iota FIRST STEP"; short lists repeat their last value only with "fill".
std::vector<std::byte> contents(const std::string& type, std::size_t count,
                                const std::vector<std::string>& spec) {
  const std::size_t width = bytes_of(type);
  std::vector<std::byte> bytes(count * width);
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t bits = 0;
    if (spec.at(0) == "fill") {
      bits = bits_of(type, spec.at(1));
    } else if (spec.at(0) == "iota") {
      const double first = spec.size() > 1 ? std::stod(spec[1]) : 0;
      const double step = spec.size() > 2 ? std::stod(spec[2]) : 1;
      std::ostringstream value;
      value.precision(17);
      value << first + step * static_cast<double>(i);
      bits = bits_of(type, value.str());
    } else {
      bits = i < spec.size() ? bits_of(type, spec[i]) : 0;
    }
    std::memcpy(bytes.data() + i * width, &bits, width);
  }
  return bytes;
}

struct Buffer {
  std::string name, type;
  std::size_t count = 0;
  std::vector<std::string> spec;  ///< "none": uninitialised; "freed": gone before the launch
  Address address = 0;
};

struct Expectation {
  std::string buffer;
  std::size_t first = 0;
  bool exact = true;
  std::vector<std::string> spec;
};

struct ExpectedFault {
  std::string kind, tag, text;
};

struct Case {
  std::vector<std::string> run;
  std::vector<Buffer> buffers;
  std::vector<Expectation> expect;
  std::vector<ExpectedFault> faults;
  std::string printed;
};

/// A command line of `warpwright simt` without the file, and all that it prints.
struct CommandCase {
  std::string line;
  std::vector<std::string> output;
};

struct GoldenFile {
  std::vector<Case> cases;
  std::vector<CommandCase> commands;
  std::string reject;
  std::map<std::string, std::uint32_t> tags;  ///< "#a" -> PTX line
};

std::vector<std::string> after(const std::vector<std::string>& words, std::size_t from) {
  return {words.begin() + static_cast<std::ptrdiff_t>(std::min(from, words.size())), words.end()};
}

ExpectedFault parse_fault(const std::string& text) {
  ExpectedFault f;
  const std::size_t hash = text.find('#');
  f.kind = std::string(trimmed(text.substr(0, hash)));
  if (hash == std::string::npos) return f;
  const std::size_t end = text.find(' ', hash);
  f.tag = text.substr(hash, end == std::string::npos ? end : end - hash);
  if (end != std::string::npos) f.text = std::string(trimmed(text.substr(end)));
  return f;
}

Expectation parse_expectation(const std::vector<std::string>& words) {
  Expectation e;
  e.buffer = words.at(0);
  if (const std::size_t bracket = e.buffer.find('['); bracket != std::string::npos) {
    e.first = std::stoul(e.buffer.substr(bracket + 1));
    e.buffer.resize(bracket);
  }
  e.exact = words.at(1) == "=";
  e.spec = after(words, 2);
  return e;
}

GoldenFile parse_golden(std::string_view text) {
  GoldenFile file;
  std::vector<Buffer> buffers;
  std::uint32_t number = 0;
  for (const std::string_view line : lines_of(text)) {
    ++number;
    const std::size_t comment = line.find("//");
    if (comment == std::string_view::npos) continue;
    const std::string_view body = trimmed(line.substr(comment + 2));
    const std::size_t colon = body.find(':');
    const std::string key(body.substr(0, colon));
    if (body.starts_with("#") && comment > 0) file.tags[words_of(body)[0]] = number;
    if (colon == std::string_view::npos) continue;
    const std::string rest(trimmed(body.substr(colon + 1)));
    const std::vector<std::string> words = words_of(rest);
    if (key == "buffer")
      buffers.push_back({words.at(0), words.at(1), std::stoul(words.at(2)), after(words, 4)});
    else if (key == "run")
      file.cases.push_back({words, buffers, {}, {}, {}});
    else if (key == "expect")
      file.cases.back().expect.push_back(parse_expectation(words));
    else if (key == "fault")
      file.cases.back().faults.push_back(parse_fault(rest));
    else if (key == "printed")
      file.cases.back().printed += rest + "\n";
    else if (key == "reject")
      file.reject = rest;
    else if (key == "simt")
      file.commands.push_back({rest, {}});
    else if (key == "output")
      file.commands.back().output.push_back(rest);
  }
  return file;
}

Dim3 dimensions(const std::string& text) {
  Dim3 d;
  std::uint32_t* parts[] = {&d.x, &d.y, &d.z};
  std::istringstream in(text);
  std::string part;
  for (std::size_t i = 0; i < 3 && std::getline(in, part, ','); ++i)
    *parts[i] = static_cast<std::uint32_t>(std::stoul(part));
  return d;
}

/// The parts of a "run" line.
struct RunLine {
  Dim3 grid, block, cluster;
  std::uint32_t shared = 0;
  LaunchOptions options;
  std::vector<std::byte> params;
};

RunLine parse_run(const Case& c) {
  RunLine r;
  r.options.max_warp_instructions = 10'000'000;
  std::size_t i = 1;
  for (; i < c.run.size() && c.run[i] != "args"; ++i) {
    const std::string& key = c.run[i];
    if (key == "cooperative") {
      r.options.cooperative = true;
      continue;
    }
    const std::string& value = c.run.at(++i);
    if (key == "grid") r.grid = dimensions(value);
    if (key == "block") r.block = dimensions(value);
    if (key == "cluster") r.cluster = dimensions(value);
    if (key == "shared") r.shared = static_cast<std::uint32_t>(std::stoul(value));
    if (key == "threads") r.options.threads = static_cast<unsigned>(std::stoul(value));
    if (key == "budget") r.options.max_warp_instructions = std::stoull(value);
    if (key == "checks")
      r.options.checks = value == "off"    ? Checks::off
                         : value == "fast" ? Checks::fast
                                           : Checks::full;
  }
  for (++i; i < c.run.size(); ++i) {
    const std::string& arg = c.run[i];
    const std::size_t colon = arg.find(':');
    std::uint64_t bits = 0;
    std::size_t width = 8;
    if (colon != std::string::npos) {
      width = bytes_of(arg.substr(0, colon));
      bits = bits_of(arg.substr(0, colon), arg.substr(colon + 1));
    } else {
      for (const Buffer& b : c.buffers)
        if (b.name == arg) bits = b.address;
    }
    while (r.params.size() % width != 0) r.params.push_back(std::byte{0});
    const auto* p = reinterpret_cast<const std::byte*>(&bits);
    r.params.insert(r.params.end(), p, p + width);
  }
  return r;
}

void check_buffer(Machine& machine, const Case& c, const Expectation& e) {
  const auto it = std::find_if(c.buffers.begin(), c.buffers.end(),
                               [&](const Buffer& b) { return b.name == e.buffer; });
  ASSERT_NE(it, c.buffers.end()) << "no buffer " << e.buffer;
  const bool generated = e.spec.at(0) == "fill" || e.spec.at(0) == "iota";
  const std::size_t count = generated ? it->count - e.first : e.spec.size();
  const std::size_t width = bytes_of(it->type);
  const std::vector<std::byte> wanted = contents(it->type, count, e.spec);
  std::vector<std::byte> got(wanted.size());
  ASSERT_TRUE(machine.memory().copy_out(got, it->address + e.first * width).ok());
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t want_bits = 0, got_bits = 0;
    std::memcpy(&want_bits, wanted.data() + i * width, width);
    std::memcpy(&got_bits, got.data() + i * width, width);
    const double want = real_of(it->type, want_bits), have = real_of(it->type, got_bits);
    const bool same = e.exact ? want_bits == got_bits || (std::isnan(want) && std::isnan(have))
                              : std::fabs(want - have) <= 2e-6 * std::fabs(want) + 1e-30;
    EXPECT_TRUE(same) << e.buffer << "[" << e.first + i << "]: wanted " << want << " (" << std::hex
                      << want_bits << "), got " << have << " (" << got_bits << ")";
    if (!same) return;
  }
}

void check_faults(const GoldenFile& file, const Case& c, const LaunchReport& report) {
  std::string all;
  for (const Fault& f : report.faults) all += "\n  " + f.describe();
  for (const ExpectedFault& e : c.faults) {
    const bool found = std::any_of(report.faults.begin(), report.faults.end(), [&](const Fault& f) {
      return name_of(f.kind) == e.kind && (e.tag.empty() || f.ptx_line == file.tags.at(e.tag)) &&
             f.describe().find(e.text) != std::string::npos;
    });
    EXPECT_TRUE(found) << "expected fault '" << e.kind << "' " << e.tag << " " << e.text
                       << "; got:" << all;
  }
  for (const Fault& f : report.faults) {
    const bool wanted = std::any_of(c.faults.begin(), c.faults.end(), [&](const ExpectedFault& e) {
      return name_of(f.kind) == e.kind;
    });
    EXPECT_TRUE(wanted) << "unexpected: " << f.describe();
  }
}

/// What a run leaves behind, for comparison.
struct Outcome {
  std::string report;
  std::vector<std::vector<std::byte>> buffers;
};

void run_case(const GoldenFile& file, const Module& module, Case c, Engine engine,
              Outcome& outcome) {
  Machine machine;
  for (Buffer& b : c.buffers) {
    b.address = machine.memory().allocate(b.count * bytes_of(b.type), b.name).value();
    if (b.spec.at(0) == "none" || b.spec.at(0) == "freed") continue;
    ASSERT_TRUE(machine.memory().copy_in(b.address, contents(b.type, b.count, b.spec)).ok());
  }
  RunLine r = parse_run(c);
  r.options.engine = engine;
  for (const Buffer& b : c.buffers) {
    if (b.spec.at(0) != "freed") continue;
    ASSERT_TRUE(machine.memory().free(b.address).ok());
  }
  const Result<LaunchReport> report =
      machine.launch(module, {c.run[0], r.grid, r.block, r.shared, r.params, r.options, r.cluster});
  ASSERT_TRUE(report.ok()) << report.error().message;
  for (const Expectation& e : c.expect) check_buffer(machine, c, e);
  check_faults(file, c, *report);
  if (!c.printed.empty()) {
    EXPECT_EQ(report->printed, c.printed);
  }
  // Threads of ours may see faults in any order.
  if (r.options.threads == 1) outcome.report = report_text(*report);
  for (const Buffer& b : c.buffers) {
    outcome.buffers.emplace_back(b.count * bytes_of(b.type));
    if (b.spec.at(0) == "freed") continue;
    ASSERT_TRUE(machine.memory().copy_out(outcome.buffers.back(), b.address).ok());
  }
}

/// Interpreted and compiled: both as the comments say, and the same to the last count.
void run_case(const GoldenFile& file, const Module& module, const Case& c) {
  Outcome interpreted, compiled;
  run_case(file, module, c, Engine::interpreted, interpreted);
  // Parts of a warp are always interpreted.
  if (parse_run(c).block.count() < 32) return;
  SCOPED_TRACE("compiled");
  run_case(file, module, c, Engine::compiled, compiled);
  EXPECT_EQ(interpreted.report, compiled.report);
  EXPECT_EQ(interpreted.buffers, compiled.buffers);
}

/// Line by line; an expected line that ends in "..." is a beginning.
void run_command(const Module& module, const CommandCase& c) {
  const Result<StandaloneRun> run = simt::parse_run(c.line);
  ASSERT_TRUE(run.ok()) << run.error().message;
  const Result<StandaloneResult> result = run_standalone(module, *run);
  ASSERT_TRUE(result.ok()) << result.error().message;
  const std::string text = standalone_text(*result, *run).value();
  const auto lines = lines_of(text);
  for (std::size_t i = 0; i < std::max(lines.size(), c.output.size()); ++i) {
    const std::string got = i < lines.size() ? std::string(lines[i]) : "nothing";
    const std::string want = i < c.output.size() ? c.output[i] : "nothing";
    if (want.ends_with("..."))
      EXPECT_EQ(got.substr(0, want.size() - 3), want.substr(0, want.size() - 3)) << got;
    else
      EXPECT_EQ(got, want);
  }
}

class Golden : public testing::TestWithParam<std::string> {};

TEST_P(Golden, does_what_its_comments_say) {
  const Result<std::string> text = read_file(source_path("/tests/ptx/") + GetParam() + ".ptx");
  ASSERT_TRUE(text.ok());
  const GoldenFile file = parse_golden(*text);
  const Result<Module> module = load(*text);
  if (!file.reject.empty()) {
    ASSERT_FALSE(module.ok()) << "should have been rejected";
    EXPECT_NE(module.error().message.find(file.reject), std::string::npos)
        << module.error().message;
    return;
  }
  ASSERT_TRUE(module.ok()) << module.error().message;
  ASSERT_FALSE(file.cases.empty() && file.commands.empty()) << "no run: or simt: line";
  for (const CommandCase& command : file.commands) {
    SCOPED_TRACE("simt " + command.line);
    run_command(*module, command);
  }
  for (std::size_t i = 0; i < file.cases.size(); ++i) {
    SCOPED_TRACE("run " + std::to_string(i + 1));
    run_case(file, *module, file.cases[i]);
  }
}

std::vector<std::string> golden_files() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(source_path("/tests/ptx")))
    if (entry.path().extension() == ".ptx") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

INSTANTIATE_TEST_SUITE_P(Ptx, Golden, testing::ValuesIn(golden_files()),
                         [](const auto& file) { return file.param; });

}  // namespace
}  // namespace warpwright::simt
