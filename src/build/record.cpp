// SPDX-License-Identifier: Apache-2.0
#include "build/record.h"

#include <charconv>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/files.h"
#include "base/text.h"
#include "build/plan_fit.h"

namespace warpwright::build {

namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {

constexpr int kUnknownRegisters = 32;
constexpr std::size_t kMaxReason = 600;

std::string facts_text(const DeviceFacts& facts) {
  std::string text = "device " + facts.name + "\n";
  const auto add = [&text](std::string_view name, long long value) {
    text += "fact " + std::string(name) + " " + std::to_string(value) + "\n";
  };
  add("compute_major", facts.compute_major);
  add("compute_minor", facts.compute_minor);
  add("sm_count", facts.sm_count);
  add("warp_size", facts.warp_size);
  add("max_threads_per_block", facts.max_threads_per_block);
  add("max_threads_per_sm", facts.max_threads_per_sm);
  add("max_blocks_per_sm", facts.max_blocks_per_sm);
  add("registers_per_sm", facts.registers_per_sm);
  add("shared_per_block_bytes", facts.shared_per_block_bytes);
  add("shared_per_block_optin_bytes", facts.shared_per_block_optin_bytes);
  add("shared_per_sm_bytes", facts.shared_per_sm_bytes);
  add("l2_bytes", facts.l2_bytes);
  add("memory_bytes", facts.memory_bytes);
  add("clock_khz", static_cast<long long>(facts.boost_clock_ghz * 1e6));
  add("cluster_launch", facts.compute_major >= 9 ? 1 : 0);
  return text;
}

std::string kernels_text(const BuildOutcome& built) {
  std::string text;
  for (const auto& entry : built.entries) {
    int registers = kUnknownRegisters;
    for (const auto& resources : built.resources) {
      if (resources.kernel == entry.name && resources.registers > 0) {
        registers = resources.registers;
      }
    }
    text += "kernel " + entry.name;
    for (const long long value :
         {static_cast<long long>(entry.max_threads), static_cast<long long>(registers),
          static_cast<long long>(entry.shared_bytes), static_cast<long long>(entry.local_bytes),
          static_cast<long long>(entry.parameter_bytes)}) {
      text += " " + std::to_string(value);
    }
    for (const auto& parameter : entry.parameters) {
      text += " " + std::to_string(parameter.offset) + " " + std::to_string(parameter.bytes);
    }
    text += "\n";
  }
  return text;
}

/// The scalar's bits in the low end of a word, as the call's translation unit reads them.
std::uint64_t word_of(const SolveArgument& argument, const CallArgument& value) {
  std::uint64_t word = 0;
  if (argument.type == ElementType::f32) {
    const auto single = static_cast<float>(value.real);
    std::memcpy(&word, &single, sizeof single);
  } else if (argument.type == ElementType::f64) {
    std::memcpy(&word, &value.real, sizeof value.real);
  } else {
    word = static_cast<std::uint64_t>(value.integer);
  }
  return word;
}

Result<std::string> calls_text(const RecordRequest& request) {
  std::string text;
  for (const auto& call : request.calls) {
    if (call.arguments.size() != request.arguments.size()) {
      return Error{"a call of solve with " + std::to_string(call.arguments.size()) +
                   " arguments, expected " + std::to_string(request.arguments.size())};
    }
    text += "call";
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      if (request.arguments[i].pointer) {
        text += " p " + std::to_string(call.arguments[i].buffer_bytes);
        continue;
      }
      char digits[20];
      const auto end = std::to_chars(digits, digits + sizeof digits,
                                     word_of(request.arguments[i], call.arguments[i]), 16);
      text += " w " + std::string(digits, end.ptr);
    }
    text += "\n";
  }
  return text;
}

/// What one line of the recorder says. Everything in it is the word of an untrusted process.
struct Report {
  int call = -1;
  Verdict verdict = Verdict::host_error;
  std::string message;
  std::uint64_t place = 0;
  std::optional<LaunchPlan> plan;
};

/// Deeper than any plan is; a library that recurses into values must not be led further.
constexpr int kMaxDepth = 16;

Json parsed(std::string_view line) {
  bool deep = false;
  const auto watch = [&deep](int depth, Json::parse_event_t, Json&) {
    deep = deep || depth > kMaxDepth;
    return !deep;
  };
  Json root = Json::parse(line, watch, false);
  return deep ? Json() : root;
}

std::optional<Report> report_from(std::string_view line, std::size_t calls) {
  const Json root = parsed(line);
  if (!root.is_object() || !root.contains("call") || !root["call"].is_number_integer()) {
    return std::nullopt;
  }
  const auto call = root["call"].get<std::int64_t>();
  if (call < -1 || call >= static_cast<std::int64_t>(calls)) return std::nullopt;
  Report report;
  report.call = static_cast<int>(call);
  const std::string verdict =
      root.value("verdict", Json()).is_string() ? root["verdict"] : Json("");
  if (verdict == "ok" && call >= 0) {
    report.verdict = Verdict::ok;
    auto plan =
        root.contains("plan")
            ? plan_from_text(root["plan"].dump(-1, ' ', false, Json::error_handler_t::replace))
            : Result<LaunchPlan>(Error{"no plan"});
    if (plan.ok()) {
      report.plan = std::move(*plan);
    } else {
      report.verdict = Verdict::host_error;
      report.message =
          "the host part left a launch plan that cannot be used: " + plan.error().message;
    }
    return report;
  }
  if (verdict == "launch_error") report.verdict = Verdict::launch_error;
  if (verdict == "timeout") report.verdict = Verdict::timeout;
  if (root.contains("message") && root["message"].is_string()) {
    report.message = shortened(clean_utf8(root["message"].get<std::string>()), kMaxReason);
  }
  if (root.contains("place") && root["place"].is_number_unsigned()) report.place = root["place"];
  return report;
}

void refuse_unfit(Report& report, const BuildOutcome& built, const RecordRequest& request) {
  if (!report.plan || report.call < 0) return;
  const auto& call = request.calls[static_cast<std::size_t>(report.call)];
  const Status fits = plan_fits(*report.plan, built, request, call);
  if (fits.ok()) return;
  report.plan.reset();
  report.verdict = Verdict::host_error;
  report.message = "the host part left a launch plan that cannot be used: " + fits.error().message;
}

/// The line of the candidate that made the call, asked from the library's line table.
int line_of(const Builder& builder, const fs::path& folder, std::uint64_t place) {
  if (place == 0 || builder.tools().addr2line.empty()) return 0;
  char digits[20];
  // The address is that of the instruction after the call.
  const auto end = std::to_chars(digits, digits + sizeof digits, place - 1, 16);
  sandbox::Request request;
  request.argv = {builder.tools().addr2line.string(), "-i", "-e", "host.so",
                  "0x" + std::string(digits, end.ptr)};
  request.env = minimal_environment();
  request.cwd = folder;
  request.readable = {folder};
  request.limits.wall = std::chrono::seconds(10);
  const auto exit = builder.sandbox().run(request);
  if (!exit.ok()) return 0;
  for (const auto line : lines_of(exit->out)) {
    constexpr std::string_view kMark = "candidate.cu:";
    const auto at = line.find(kMark);
    if (at == std::string_view::npos) continue;
    int number = 0;
    std::from_chars(line.data() + at + kMark.size(), line.data() + line.size(), number);
    return number;
  }
  return 0;
}

/// The first call without a plan decides.
void judge(const std::vector<Report>& reports, const ProcessExit& exit, std::size_t calls,
           RecordOutcome& outcome, std::uint64_t& place) {
  for (std::size_t i = 0; i < calls; ++i) {
    const Report* found = nullptr;
    for (const auto& report : reports) {
      if (report.call == static_cast<int>(i) || report.call == -1) {
        found = &report;
        break;
      }
    }
    if (found != nullptr && found->plan) {
      outcome.plans.push_back(*found->plan);
      continue;
    }
    outcome.plans.clear();
    outcome.failed_call = static_cast<int>(i);
    constexpr int kCpuLimit = 24;  // SIGXCPU
    if (found != nullptr) {
      outcome.verdict = found->verdict;
      outcome.reason = found->message;
      place = found->place;
    } else if (exit.timed_out || exit.signal == kCpuLimit) {
      outcome.verdict = Verdict::timeout;
      outcome.reason = "solve did not return on the host within the time limit";
    } else if (exit.output_truncated) {
      outcome.verdict = Verdict::host_error;
      outcome.reason = "solve wrote more output than allowed";
    } else {
      outcome.verdict = Verdict::host_error;
      outcome.reason = "the host part ended without a launch plan: " + exit.describe();
    }
    return;
  }
  outcome.verdict = Verdict::ok;
}

}  // namespace

Result<RecordOutcome> record(const Builder& builder, const BuildOutcome& built,
                             const RecordRequest& request, const StopSignal* stop) {
  if (built.verdict != Verdict::ok) return Error{"cannot record a candidate that did not build"};
  WW_TRY(const std::string calls, calls_text(request));
  WW_TRY(const fs::path recorder, builder.recorder(built.front_end));
  WW_TRY(const TemporaryDirectory folder, TemporaryDirectory::create("warpwright-record-"));
  fs::permissions(folder.path(), fs::perms(0755));
  WW_CHECK(write_file(folder.path() / "host.so", built.host_library));
  WW_CHECK(
      write_file(folder.path() / "job", facts_text(request.target) + kernels_text(built) + calls));
  sandbox::Request run;
  run.argv = {(recorder / "record").string(), "job", "./host.so"};
  run.env = {"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", "LD_LIBRARY_PATH=" + recorder.string()};
  run.cwd = folder.path();
  run.readable = {folder.path(), recorder};
  run.limits = request.limits;
  WW_TRY(const ProcessExit exit, builder.sandbox().run(run, stop));
  if (stop != nullptr && stop->requested()) return Error{"recording was stopped"};

  std::vector<Report> reports;
  for (const auto line : lines_of(exit.out)) {
    if (auto report = report_from(line, request.calls.size())) {
      refuse_unfit(*report, built, request);
      reports.push_back(std::move(*report));
    }
    if (reports.size() > 4 * request.calls.size() + 4) break;
  }
  RecordOutcome outcome;
  outcome.wall_s = exit.wall_s;
  std::uint64_t place = 0;
  judge(reports, exit, request.calls.size(), outcome, place);
  outcome.line = line_of(builder, folder.path(), place);
  return outcome;
}

}  // namespace warpwright::build
