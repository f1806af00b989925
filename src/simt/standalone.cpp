// SPDX-License-Identifier: Apache-2.0
#include "simt/standalone.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include "base/text.h"

namespace warpwright::simt {
namespace {

Result<std::uint64_t> number(std::string_view name, std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size())
    return Error{fmt::format("--{}: \"{}\" is not a whole number", name, text)};
  return value;
}

Result<Dim3> dimensions(std::string_view name, std::string_view text) {
  Dim3 d;
  std::uint32_t* parts[] = {&d.x, &d.y, &d.z};
  for (std::size_t i = 0; !text.empty(); ++i) {
    if (i == 3) return Error{fmt::format("--{} has at most three parts: X,Y,Z", name)};
    const std::size_t end = std::min(text.find(','), text.size());
    WW_TRY(const std::uint64_t value, number(name, text.substr(0, end)));
    *parts[i] = static_cast<std::uint32_t>(std::min<std::uint64_t>(value, 0xffffffffu));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return d;
}

Result<Checks> checks_named(std::string_view name) {
  if (name == "full") return Checks::full;
  if (name == "fast") return Checks::fast;
  if (name == "off") return Checks::off;
  return Error{fmt::format("--checks is full, fast or off, not \"{}\"", name)};
}

/// NAME, NAME:COUNT or NAME:FIRST:COUNT.
Result<PrintRequest> print_request(std::string_view text) {
  PrintRequest p;
  const std::size_t colon = std::min(text.find(':'), text.size());
  p.name = std::string(text.substr(0, colon));
  if (colon == text.size()) return p;
  const std::string_view rest = text.substr(colon + 1);
  const std::size_t second = rest.find(':');
  if (second != std::string_view::npos) {
    WW_TRY(p.first, number("print", rest.substr(0, second)));
  }
  WW_TRY(p.count,
         number("print", second == std::string_view::npos ? rest : rest.substr(second + 1)));
  return p;
}

Status set_argument(StandaloneRun& run, std::string_view value) {
  auto a = parse_argument(value);
  if (!a.ok()) return Error{"--arg: " + a.error().message};
  if (a->is_buffer && a->name.empty()) a->name = fmt::format("arg{}", run.arguments.size());
  run.arguments.push_back(std::move(a).value());
  return {};
}

struct OptionRow {
  std::string_view name;
  Status (*set)(StandaloneRun&, std::string_view name, std::string_view value);
};

using Run = StandaloneRun;
using Text = std::string_view;

constexpr std::array<OptionRow, 13> kOptions = {{
    {"kernel", [](Run& r, Text, Text v) { return r.kernel = std::string(v), Status{}; }},
    {"grid",
     [](Run& r, Text n, Text v) -> Status {
       WW_TRY(r.grid, dimensions(n, v));
       return {};
     }},
    {"block",
     [](Run& r, Text n, Text v) -> Status {
       WW_TRY(r.block, dimensions(n, v));
       return {};
     }},
    {"shared",
     [](Run& r, Text n, Text v) -> Status {
       WW_TRY(const std::uint64_t bytes, number(n, v));
       r.shared_bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, 0xffffffffu));
       return {};
     }},
    {"arg", [](Run& r, Text, Text v) { return set_argument(r, v); }},
    {"print",
     [](Run& r, Text, Text v) -> Status {
       WW_TRY(auto request, print_request(v));
       r.prints.push_back(std::move(request));
       return {};
     }},
    {"checks",
     [](Run& r, Text, Text v) -> Status {
       WW_TRY(r.options.checks, checks_named(v));
       return {};
     }},
    {"engine",
     [](Run& r, Text, Text v) -> Status {
       WW_TRY(r.options.engine, engine_named(v));
       return {};
     }},
    {"schedule",
     [](Run& r, Text, Text v) -> Status {
       WW_TRY(r.options.schedule, schedule_named(v));
       return {};
     }},
    {"threads",
     [](Run& r, Text n, Text v) -> Status {
       WW_TRY(const std::uint64_t threads, number(n, v));
       r.options.threads = static_cast<unsigned>(std::clamp<std::uint64_t>(threads, 1, 256));
       return {};
     }},
    {"budget",
     [](Run& r, Text n, Text v) -> Status {
       WW_TRY(r.options.max_warp_instructions, number(n, v));
       return {};
     }},
    {"seconds",
     [](Run& r, Text n, Text v) -> Status {
       WW_TRY(const std::uint64_t seconds, number(n, v));
       r.options.max_wall_s = static_cast<double>(seconds);
       return {};
     }},
    {"cooperative", [](Run& r, Text, Text) { return r.options.cooperative = true, Status{}; }},
}};

/// The name in the source of a mangled kernel: `_Z3addPfS_i` is `add`.
std::string_view source_name(std::string_view name) {
  if (!name.starts_with("_Z")) return name;
  std::string_view rest = name.substr(2);
  if (rest.starts_with("N")) rest.remove_prefix(1);
  std::string_view last = name;
  while (!rest.empty() && rest[0] >= '0' && rest[0] <= '9') {
    std::size_t length = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), length);
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    if (error != std::errc{} || length > rest.size()) break;
    last = rest.substr(0, length);
    rest.remove_prefix(length);
  }
  return last;
}

struct Prepared {
  std::vector<std::byte> params;
  std::vector<std::pair<const StandaloneArgument*, Address>> buffers;
};

Result<Prepared> prepare(Machine& machine, const KernelFacts& kernel, const StandaloneRun& run) {
  Prepared p;
  if (kernel.params.size() != run.arguments.size())
    return Error{fmt::format("{} takes {} arguments, {} were given", kernel.name,
                             kernel.params.size(), run.arguments.size())};
  p.params.resize(kernel.param_bytes);
  for (std::size_t i = 0; i < run.arguments.size(); ++i) {
    const StandaloneArgument& a = run.arguments[i];
    const ParamFacts& param = kernel.params[i];
    std::vector<std::byte> value = a.bytes;
    if (a.is_buffer) {
      WW_TRY(const Address address, machine.memory().allocate(a.bytes.size(), a.name));
      if (!a.bytes.empty()) WW_CHECK(machine.memory().copy_in(address, a.bytes));
      if (!a.written) WW_CHECK(machine.memory().forget(address, a.bytes.size()));
      value.resize(sizeof address);
      std::memcpy(value.data(), &address, sizeof address);
      p.buffers.emplace_back(&a, address);
    }
    if (value.size() != param.size_bytes)
      return Error{fmt::format("argument {} of {} has {} bytes, {} were given", i, kernel.name,
                               param.size_bytes, value.size())};
    std::copy(value.begin(), value.end(), p.params.begin() + param.offset);
  }
  for (const auto& [argument, address] : p.buffers)
    if (argument->freed) WW_CHECK(machine.memory().free(address));
  return p;
}

}  // namespace

Status set_option(StandaloneRun& run, std::string_view name, std::string_view value) {
  for (const OptionRow& row : kOptions)
    if (row.name == name) return row.set(run, name, value);
  return Error{fmt::format("unknown option --{}", name)};
}

Result<StandaloneRun> parse_run(std::string_view line) {
  StandaloneRun run;
  std::vector<std::string_view> words;
  for (line = trimmed(line); !line.empty(); line = trimmed(line)) {
    const std::size_t end = std::min(line.find(' '), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!words[i].starts_with("--"))
      return Error{fmt::format("\"{}\" should begin with --", words[i])};
    const std::string_view name = words[i].substr(2);
    if (name == "cooperative") {
      WW_CHECK(set_option(run, name, ""));
      continue;
    }
    if (i + 1 == words.size()) return Error{fmt::format("--{} needs a value", name)};
    WW_CHECK(set_option(run, name, words[++i]));
  }
  return run;
}

Result<KernelFacts> find_kernel(const Module& module, std::string_view name) {
  const std::vector<KernelFacts> all = module.kernels();
  std::vector<const KernelFacts*> found;
  std::string names;
  for (const KernelFacts& k : all) {
    if (k.name == name) return k;
    if (name.empty() || source_name(k.name) == name) found.push_back(&k);
    names += (names.empty() ? "" : ", ") + k.name;
  }
  if (found.size() == 1) return *found[0];
  if (name.empty() && !all.empty())
    return Error{"the file has several kernels, name one with --kernel: " + names};
  return Error{fmt::format("{} kernel \"{}\"; there are: {}",
                           found.empty() ? "there is no" : "more than one is called", name,
                           names.empty() ? "none" : names)};
}

Result<StandaloneResult> run_standalone(const Module& module, const StandaloneRun& run) {
  WW_TRY(const KernelFacts kernel, find_kernel(module, run.kernel));
  Machine machine;
  WW_TRY(const Prepared prepared, prepare(machine, kernel, run));
  StandaloneResult result;
  result.kernel = kernel.name;
  WW_TRY(result.report, machine.launch(module, {kernel.name, run.grid, run.block, run.shared_bytes,
                                                prepared.params, run.options}));
  for (const auto& [argument, address] : prepared.buffers) {
    StandaloneBuffer b{argument->name, argument->type, argument->bytes};
    if (!argument->freed && !b.bytes.empty()) WW_CHECK(machine.memory().copy_out(b.bytes, address));
    result.buffers.push_back(std::move(b));
  }
  return result;
}

std::string describe_kernels(const Module& module) {
  std::string text;
  for (const KernelFacts& k : module.kernels()) {
    text += k.name + "(";
    for (std::size_t i = 0; i < k.params.size(); ++i)
      text += fmt::format("{}{} bytes", i == 0 ? "" : ", ", k.params[i].size_bytes);
    text += fmt::format("): {} instructions, about {} registers, {} B static shared, {} B local",
                        k.instructions, k.registers, k.static_shared_bytes, k.local_bytes);
    if (k.max_threads != 0) text += fmt::format(", at most {} threads a block", k.max_threads);
    text += "\n";
  }
  for (const auto& [name, why] : module.refused()) text += name + ": cannot run: " + why + "\n";
  return text;
}

Result<std::string> standalone_text(const StandaloneResult& result, const StandaloneRun& run) {
  const LaunchReport& r = result.report;
  std::string text = r.printed;
  for (const PrintRequest& request : run.prints) {
    WW_TRY(const std::string line, printed_buffer(result, request));
    text += line + "\n";
  }
  for (const Fault& fault : r.faults) text += fault.describe() + "\n";
  for (const Unchecked& u : r.unchecked)
    text += fmt::format("not checked ({}): {}\n", u.kind, u.reason);
  text += fmt::format("{}: {} blocks of {} threads, {} warp instructions, {} report{}\n",
                      result.kernel, r.blocks_run, r.block.count(), r.counts.warp_instructions(),
                      r.faults.size(), r.faults.size() == 1 ? "" : "s");
  return text;
}

}  // namespace warpwright::simt
