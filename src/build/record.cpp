// SPDX-License-Identifier: Apache-2.0
#include "build/record.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstring>
#include <optional>
#include <random>

#include "base/files.h"
#include "base/text.h"
#include "build/host_library.h"
#include "build/host_time.h"
#include "build/parameter_reads.h"
#include "build/plan_fit.h"
#include "build/recording.h"

namespace warpwright::build {

namespace fs = std::filesystem;

namespace {

constexpr int kUnknownRegisters = 32;
constexpr int kRecordings = 2;      // of each call
constexpr int kMoreRecordings = 4;  // of calls that seem to take the host long

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
  // Width and clock whose product is the bandwidth, at two transfers a cycle.
  const double gb_per_s = facts.memory_gb_per_s;
  const int bits = gb_per_s > 4000 ? 6144 : gb_per_s > 1500 ? 5120 : gb_per_s > 600 ? 384 : 192;
  add("memory_bus_bits", bits);
  add("memory_clock_khz", static_cast<long long>(gb_per_s * 1e6 * 8 / bits / 2));
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

Result<std::string> arguments_text(const RecordRequest& request, const SolveCall& call) {
  const bool stream = !request.arguments.empty() && request.arguments.back().stream;
  const std::size_t expected = request.arguments.size() - (stream ? 1 : 0);
  if (call.arguments.size() != expected) {
    return Error{"a call of solve with " + std::to_string(call.arguments.size()) +
                 " arguments, expected " + std::to_string(expected)};
  }
  std::string text;
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
  if (stream) text += " s 0";
  return text;
}

/// The line of the candidate that made the call, asked from the library's line table.
int line_of(const Builder& builder, const fs::path& library, std::uint64_t place) {
  if (place == 0 || builder.tools().addr2line.empty()) return 0;
  char digits[20];
  // The address is that of the instruction after the call.
  const auto end = std::to_chars(digits, digits + sizeof digits, place - 1, 16);
  sandbox::Request request;
  request.argv = {builder.tools().addr2line.string(), "-i", "-e", library.string(),
                  "0x" + std::string(digits, end.ptr)};
  request.env = minimal_environment();
  request.readable = {library};
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

/// One process: it makes one call, or several, one after the other.
struct Run {
  std::vector<std::size_t> calls;
  std::uint64_t seed = 0;  ///< of its device's addresses, and of its clock
};

/// What the keeper (recorder/main.cpp) reports of a run; `said` is the candidate's.
struct RunReport {
  int status = 0;
  bool ready = false;
  double host_us = 0;
  double rest_us = 0;
  std::string_view said;
};

std::uint64_t drawn_seed(std::random_device& entropy) {
  return (std::uint64_t{entropy()} << 32) ^ entropy();
}

/// Each call as often as asked for, in an order that nobody can tell. Of two recordings of a call
/// one has an odd seed: decades lie between them (recorder/clocks.cpp).
std::vector<Run> shuffled_runs(const std::vector<std::size_t>& calls, int times) {
  std::random_device entropy;
  std::vector<Run> runs;
  for (int i = 0; i < times; ++i) {
    for (const std::size_t call : calls) {
      const std::uint64_t odd = static_cast<std::uint64_t>(i) & 1;
      runs.push_back({{call}, (drawn_seed(entropy) & ~std::uint64_t{1}) | odd});
    }
  }
  std::shuffle(runs.begin(), runs.end(), entropy);
  return runs;
}

/// One process that makes all calls, then the first of them again, then once more on the same
/// memory.
Run tour_of(std::vector<std::size_t> calls) {
  std::random_device entropy;
  std::shuffle(calls.begin(), calls.end(), entropy);
  calls.insert(calls.end(), 2, calls.front());
  return {std::move(calls), drawn_seed(entropy)};
}

/// Takes one report off the text; false at its end, or where it was cut off.
bool next_report(std::string_view& text, RunReport& report) {
  const auto line = text.substr(0, text.find('\n'));
  if (line.size() == text.size()) return false;
  if (!line.starts_with("run ")) return false;
  long long numbers[5] = {};
  const char* at = line.data() + 3;
  const char* const end = line.data() + line.size();
  for (long long& number : numbers) {
    if (at == end) return false;
    const auto [next, code] = std::from_chars(at + 1, end, number);
    if (code != std::errc()) return false;
    at = next;
  }
  text.remove_prefix(line.size() + 1);
  const auto bytes = static_cast<std::uint64_t>(numbers[4]);
  if (numbers[4] < 0 || bytes >= text.size()) return false;
  report = {static_cast<int>(numbers[0]), numbers[1] != 0, static_cast<double>(numbers[2]) * 1e-3,
            static_cast<double>(numbers[3]) * 1e-3, text.substr(0, bytes)};
  text.remove_prefix(bytes + 1);
  return true;
}

/// One finished run of a call that has a recording.
struct Recorded {
  Recording recording;
  std::uint64_t seed = 0;
  double host_us = 0;
};

/// What is known of one call so far.
struct CallState {
  std::vector<Recorded> recorded;  ///< by processes that made no other
  std::vector<Recorded> later;     ///< by one that had made others before
  std::optional<Verdict> verdict;  ///< why it has no plan
  std::string reason;
  std::uint64_t place = 0;
};

void refuse(CallState& call, Verdict verdict, std::string reason) {
  if (call.verdict) return;
  call.verdict = verdict;
  call.reason = std::move(reason);
}

std::string describe_end(int status) {
  if (WIFSIGNALED(status)) return "signal " + std::to_string(WTERMSIG(status));
  return "exit code " + std::to_string(WEXITSTATUS(status));
}

/// A process that made one call.
void take_run(const Run& run, const RunReport& report, CallState& call) {
  Testimony testimony = read_testimony(report.said);
  if (testimony.verdict) {
    if (!call.verdict) call.place = testimony.place;
    return refuse(call, *testimony.verdict, std::move(testimony.message));
  }
  if (WIFSIGNALED(report.status) && WTERMSIG(report.status) == SIGXCPU) {
    return refuse(call, Verdict::timeout, "solve used up its CPU time on the host");
  }
  if (report.status != 0 || !report.ready || testimony.recordings.size() != 1) {
    return refuse(call, Verdict::host_error,
                  "the host part ended without a launch plan: " + describe_end(report.status) +
                      (testimony.message.empty() ? "" : ", and " + testimony.message));
  }
  Recording& recording = testimony.recordings.front();
  const double host_us = host_time_us(recording.plan, report.host_us, report.rest_us);
  call.recorded.push_back({std::move(recording), run.seed, host_us});
}

/// A process that made several calls. It may end early where its report would grow too long.
void take_tour(const Run& run, const RunReport& report, std::vector<CallState>& calls) {
  Testimony testimony = read_testimony(report.said);
  const std::size_t made = testimony.recordings.size();
  const std::size_t under_way = run.calls[std::min(made, run.calls.size() - 1)];
  if (testimony.verdict || report.status != 0 || made == 0 || made > run.calls.size()) {
    return refuse(calls[under_way], Verdict::host_error,
                  "solve comes to no good end when it is called once more by the same process: " +
                      (testimony.verdict ? testimony.message : describe_end(report.status)));
  }
  for (std::size_t i = 1; i < made; ++i) {
    calls[run.calls[i]].later.push_back({std::move(testimony.recordings[i]), run.seed, 0});
  }
}

/// What all processes of one sandbox said.
struct Session {
  const Builder& builder;
  const BuildOutcome& built;
  const RecordRequest& request;
  std::string setup;
  fs::path folder;   ///< nothing else is there for its processes
  fs::path library;  ///< in it
  const StopSignal* stop;
  std::vector<CallState> calls;
  double wall_s = 0;
};

Status make_runs(Session& session, const std::vector<Run>& runs) {
  sandbox::Request command;
  command.argv = {(session.folder / "bin/main").string(), session.library.string()};
  command.env = {"PATH=/usr/bin:/bin"};
  command.cwd = session.folder / "empty";
  command.readable = {session.folder};
  command.limits = session.request.limits;
  command.stdin_text = "setup " + std::to_string(session.setup.size()) + "\n" + session.setup;
  for (const Run& run : runs) {
    command.stdin_text += "run " + std::to_string(run.seed);
    for (std::size_t i = 0; i < run.calls.size(); ++i) {
      const bool again = i > 0 && run.calls[i] == run.calls[i - 1] && i + 1 == run.calls.size();
      WW_TRY(const std::string arguments,
             arguments_text(session.request, session.request.calls[run.calls[i]]));
      command.stdin_text += again ? " =" : (i == 0 ? "" : " /") + arguments;
    }
    command.stdin_text += "\n";
  }
  WW_TRY(const ProcessExit exit, session.builder.sandbox().run(command, session.stop));
  if (session.stop != nullptr && session.stop->requested()) return Error{"recording was stopped"};
  session.wall_s += exit.wall_s;
  std::string_view text = exit.out;
  std::size_t done = 0;
  for (RunReport report; done < runs.size() && next_report(text, report); ++done) {
    const Run& run = runs[done];
    if (run.calls.size() > 1) {
      take_tour(run, report, session.calls);
    } else {
      take_run(run, report, session.calls[run.calls.front()]);
    }
  }
  const bool failed = std::any_of(session.calls.begin(), session.calls.end(),
                                  [](const CallState& call) { return call.verdict.has_value(); });
  if (done == runs.size() || failed) return {};
  // The run that was under way when the sandbox was closed.
  CallState& call = session.calls[runs[done].calls.front()];
  if (exit.timed_out) {
    refuse(call, Verdict::timeout, "solve did not return on the host within the time limit");
  } else if (exit.output_truncated) {
    refuse(call, Verdict::host_error, "solve wrote more output than allowed");
  } else {
    refuse(call, Verdict::host_error,
           "the host part ended without a launch plan: " + exit.describe());
  }
  return {};
}

/// Of the program, not of the process that ran it.
void set_parameter_offsets(LaunchPlan& plan, const std::vector<ptx::Entry>& entries) {
  for (PlanStep& step : plan.steps) {
    auto* launch = std::get_if<KernelLaunch>(&step);
    if (launch == nullptr) continue;
    for (const ptx::Entry& entry : entries) {
      if (entry.name != launch->kernel) continue;
      for (const auto& parameter : entry.parameters) {
        launch->parameter_offsets.push_back(parameter.offset);
      }
    }
  }
}

Result<LaunchPlan> plan_of(const Session& session, std::size_t number,
                           const ReadsParameter& reads) {
  const auto& recorded = session.calls[number].recorded;
  LaunchPlan plan;
  double host_us = recorded.front().host_us;
  for (std::size_t i = 1; i < recorded.size(); ++i) {
    WW_TRY(plan, common_plan({recorded[0].recording, recorded[0].seed, recorded[i].recording,
                              recorded[i].seed},
                             reads));
    host_us = std::min(host_us, recorded[i].host_us);
  }
  plan.host_us = host_us;
  set_parameter_offsets(plan, session.built.entries);
  Status usable = check_plan(plan);
  if (usable.ok()) {
    usable = plan_fits(plan, session.built, session.request, session.request.calls[number]);
  }
  if (!usable.ok()) {
    return Error{"the host part left a launch plan that cannot be used: " + usable.error().message};
  }
  for (const Recorded& again : session.calls[number].later) {
    WW_CHECK(does_the_same(plan, {again.recording, again.seed}, reads));
  }
  return plan;
}

/// Calls whose time on the host would count against them: it is worth a closer look.
std::vector<std::size_t> slow_calls(const Session& session) {
  std::vector<std::size_t> slow;
  for (std::size_t i = 0; i < session.calls.size(); ++i) {
    const CallState& call = session.calls[i];
    if (call.verdict || call.recorded.empty()) continue;
    double least = call.recorded.front().host_us;
    for (const Recorded& each : call.recorded) least = std::min(least, each.host_us);
    const LaunchPlan& plan = call.recorded.front().recording.plan;
    if (least > launch_cost_us(plan) && least < most_host_us(plan)) slow.push_back(i);
  }
  return slow;
}

/// Why the call has no plan, or the plan.
std::optional<CallState> judge_call(const Session& session, std::size_t number,
                                    const ReadsParameter& reads, RecordOutcome& outcome) {
  const CallState& known = session.calls[number];
  CallState call{.verdict = known.verdict, .reason = known.reason, .place = known.place};
  if (call.verdict) return call;
  auto plan = plan_of(session, number, reads);
  if (!plan.ok()) {
    refuse(call, Verdict::host_error, plan.error().message);
    return call;
  }
  if (plan->host_us > most_host_us(*plan)) {
    refuse(
        call, Verdict::timeout,
        fmt::format("solve takes {:.0f} ms of processor time on the host for one call; {:.0f} ms "
                    "are allowed",
                    plan->host_us * 1e-3, most_host_us(*plan) * 1e-3));
    return call;
  }
  outcome.plans.push_back(std::move(*plan));
  return std::nullopt;
}

/// The first call without a plan decides.
void judge(const Session& session, RecordOutcome& outcome, std::uint64_t& place) {
  const ParameterReads parameters(session.built.ptx, session.built.entries);
  const ReadsParameter reads = [&](std::string_view kernel, std::size_t position) {
    return parameters.reads(kernel, position);
  };
  outcome.verdict = Verdict::ok;
  for (std::size_t i = 0; i < session.calls.size(); ++i) {
    const CallState& known = session.calls[i];
    // Recording ended early, by a later call that failed.
    if (!known.verdict && known.recorded.size() < kRecordings) continue;
    const auto failed = judge_call(session, i, reads, outcome);
    if (!failed) continue;
    outcome.verdict = *failed->verdict;
    outcome.reason = failed->reason;
    outcome.failed_call = static_cast<int>(i);
    outcome.plans.clear();
    place = failed->place;
    return;
  }
}

}  // namespace

namespace {

/// The program and the library under names that say nothing, in a folder with nothing else.
Result<fs::path> furnish(const fs::path& folder, const fs::path& recorder,
                         const std::string& library) {
  fs::permissions(folder, fs::perms(0755));
  for (const char* name : {"bin", "empty"}) WW_CHECK(make_directories(folder / name));
  const std::pair<const char*, const char*> files[] = {{"record", "bin/main"},
                                                       {"libcudart.so", "bin/libcudart.so"}};
  for (const auto& [from, to] : files) {
    std::error_code code;
    fs::create_hard_link(recorder / from, folder / to, code);
    if (code) fs::copy_file(recorder / from, folder / to, code);
    if (code)
      return Error{"cannot copy the recorder to '" + (folder / to).string() +
                   "': " + code.message()};
  }
  std::random_device entropy;
  std::string name = "lib";
  for (int i = 0; i < 6; ++i) name += static_cast<char>('a' + entropy() % 26);
  const fs::path path = folder / (name + ".so");
  WW_CHECK(write_file(path, library));
  return path;
}

}  // namespace

Result<RecordOutcome> record(const Builder& builder, const BuildOutcome& built,
                             const RecordRequest& request, const StopSignal* stop) {
  if (built.verdict != Verdict::ok) return Error{"cannot record a candidate that did not build"};
  WW_TRY(const fs::path recorder, builder.recorder(built.front_end));
  if (const auto refused = refused_library(built.host_library)) {
    return RecordOutcome{.verdict = Verdict::host_error, .reason = *refused};
  }
  WW_TRY(const TemporaryDirectory folder, TemporaryDirectory::create("warpwright-"));
  WW_TRY(const fs::path library, furnish(folder.path(), recorder, built.host_library));
  Session session{builder,
                  built,
                  request,
                  facts_text(request.target) + kernels_text(built),
                  folder.path(),
                  library,
                  stop,
                  {},
                  0};
  session.calls.resize(request.calls.size());
  std::vector<std::size_t> all(request.calls.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  std::vector<Run> runs = shuffled_runs(all, kRecordings);
  if (!all.empty()) runs.push_back(tour_of(all));
  WW_CHECK(make_runs(session, runs));
  if (const auto slow = slow_calls(session); !slow.empty()) {
    WW_CHECK(make_runs(session, shuffled_runs(slow, kMoreRecordings)));
  }
  RecordOutcome outcome;
  std::uint64_t place = 0;
  judge(session, outcome, place);
  outcome.wall_s = session.wall_s;
  outcome.line = line_of(builder, library, place);
  return outcome;
}

}  // namespace warpwright::build
