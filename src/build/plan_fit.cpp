// SPDX-License-Identifier: Apache-2.0
#include "build/plan_fit.h"

#include <algorithm>

#include "ptx/lexer.h"

namespace warpwright::build {

namespace {

Error problem(const std::string& what) { return Error{"launch plan: " + what}; }

Status buffer_fits(const PlanBuffer& buffer, const RecordRequest& request, const SolveCall& call,
                   const std::vector<PtxVariable>& variables) {
  if (buffer.kind == BufferKind::argument) {
    const auto number = std::size_t{buffer.argument};
    if (number >= request.arguments.size() || !request.arguments[number].pointer) {
      return problem("a buffer for an argument that solve does not have");
    }
    if (buffer.bytes != call.arguments[number].buffer_bytes) {
      return problem("an argument's buffer of another size");
    }
  } else if (buffer.kind == BufferKind::symbol) {
    const auto found =
        std::find_if(variables.begin(), variables.end(),
                     [&](const PtxVariable& variable) { return variable.name == buffer.symbol; });
    if (found == variables.end()) return problem("a variable that the program does not have");
    if (buffer.bytes > found->bytes) return problem("a variable of another size");
  }
  return {};
}

Status launch_fits(const KernelLaunch& launch, const std::vector<PtxEntry>& entries) {
  const auto entry = std::find_if(entries.begin(), entries.end(), [&](const PtxEntry& known) {
    return known.name == launch.kernel;
  });
  if (entry == entries.end()) return problem("a kernel that the program does not have");
  bool same = launch.parameters.size() == entry->parameter_bytes &&
              launch.parameter_offsets.size() == entry->parameters.size();
  for (std::size_t i = 0; same && i < entry->parameters.size(); ++i) {
    same = launch.parameter_offsets[i] == entry->parameters[i].offset;
  }
  return same ? Status{} : Status{problem("other parameters than the kernel declares")};
}

std::uint64_t element_bytes(std::string_view type) {
  const auto digits = type.find_first_of("0123456789");
  if (type.size() < 3 || digits == std::string_view::npos) return 0;
  if (type.ends_with("128")) return 16;
  if (type.ends_with("64")) return 8;
  if (type.ends_with("32") || type.ends_with("x2")) return 4;
  if (type.ends_with("16")) return 2;
  return type.ends_with("8") ? 1 : 0;
}

std::uint64_t number_of(std::string_view word) {
  std::uint64_t value = 0;
  for (const char c : word) {
    if (c < '0' || c > '9' || value > kMaxPlanBufferBytes) return 0;
    value = value * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return value;
}

bool is_name(std::string_view word) {
  const char c = word.front();
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%';
}

/// One declaration behind ".global" or ".const", up to its end; several names may share it.
void declare(PtxLexer& lexer, std::vector<PtxVariable>& variables) {
  std::uint64_t element = 0;
  bool named = false;
  int braces = 0;
  for (auto word = lexer.next(); !word.empty(); word = lexer.next()) {
    if (word == "{") ++braces;
    if (word == "}") --braces;
    if (braces > 0) continue;
    if (word == ";") return;
    if (word == ".align") {
      lexer.next();
    } else if (word == ",") {
      named = false;
    } else if (word == "[" && !variables.empty()) {
      variables.back().bytes *= number_of(lexer.next());
    } else if (word.front() == '.') {
      if (const auto bytes = element_bytes(word); bytes > 0) element = bytes;
    } else if (!named && is_name(word)) {
      variables.push_back({std::string(word), element});
      named = true;
    }
  }
}

}  // namespace

std::vector<PtxVariable> module_variables(std::string_view ptx) {
  std::vector<PtxVariable> variables;
  PtxLexer lexer(ptx);
  int depth = 0;
  std::string_view before;
  for (auto word = lexer.next(); !word.empty(); before = word, word = lexer.next()) {
    if (word == "{") ++depth;
    if (word == "}") --depth;
    const bool state = word == ".global" || word == ".const";
    if (depth == 0 && state && before != ".ptr") declare(lexer, variables);
  }
  return variables;
}

Status plan_fits(const LaunchPlan& plan, const BuildOutcome& built, const RecordRequest& request,
                 const SolveCall& call) {
  const auto variables = module_variables(built.ptx);
  for (const auto& buffer : plan.buffers) {
    WW_CHECK(buffer_fits(buffer, request, call, variables));
  }
  for (const auto& step : plan.steps) {
    const auto* launch = std::get_if<KernelLaunch>(&step);
    if (launch != nullptr) WW_CHECK(launch_fits(*launch, built.entries));
  }
  return {};
}

}  // namespace warpwright::build
