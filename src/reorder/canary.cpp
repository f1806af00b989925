// SPDX-License-Identifier: Apache-2.0
#include "reorder/canary.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <sstream>

namespace warpwright::reorder {

namespace {

using Words = std::vector<std::string>;

constexpr std::chrono::milliseconds kStartPatience{180'000};
constexpr std::chrono::milliseconds kPatience{20'000};
// Inputs of a large task take long to make.
constexpr int kPatiencePerSetMs = 1000;
constexpr int kLostDevice = 3;

Words split(const std::string& line) {
  std::istringstream stream(line);
  Words words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

double number_at(const Words& words, std::size_t at) {
  return at < words.size() ? std::strtod(words[at].c_str(), nullptr) : 0;
}

bool say(int output, const std::string& line) {
  const std::string whole = line + "\n";
  return ::write(output, whole.data(), whole.size()) == static_cast<ssize_t>(whole.size());
}

std::string answer_of(const Result<Behaviour>& behaviour) {
  if (!behaviour.ok()) return "error " + behaviour.error().message;
  static constexpr const char* kNames[] = {"same", "different", "fault"};
  return fmt::format("{} {} {}", kNames[static_cast<int>(behaviour->kind)], behaviour->outputs,
                     behaviour->why);
}

std::string answer(Arena& arena, const Words& words) {
  const std::string& verb = words[0];
  if (verb == "original") {
    const auto us = arena.original_us();
    return us.ok() ? fmt::format("us {}", *us) : "error " + us.error().message;
  }
  if (words.size() < 2) return "error a request without a file";
  const auto cubin = read_file(words[1]);
  if (!cubin.ok()) return "error " + cubin.error().message;
  if (verb == "check")
    return answer_of(arena.check(*cubin, static_cast<std::uint64_t>(number_at(words, 2)),
                                 static_cast<std::uint64_t>(number_at(words, 3))));
  if (verb == "many")
    return answer_of(arena.check_many(*cubin, static_cast<std::uint64_t>(number_at(words, 2)),
                                      number_at(words, 3)));
  if (verb == "fuzz")
    return answer_of(
        arena.fuzz(*cubin, static_cast<std::uint64_t>(number_at(words, 2)), number_at(words, 3)));
  if (verb == "trial") {
    const auto ratio = arena.trial(*cubin, static_cast<std::uint64_t>(number_at(words, 2)));
    if (!ratio.ok()) return "error " + ratio.error().message;
    if (*ratio) return fmt::format("ratio {}", **ratio);
    return arena.fault().empty() ? "different" : "fault 0 " + arena.fault();
  }
  if (verb == "pair") {
    const auto rival = words.size() > 3 ? read_file(words[3]) : Result<std::string>(std::string());
    if (!rival.ok()) return "error " + rival.error().message;
    const auto timing = arena.paired(*cubin, number_at(words, 2), *rival);
    if (!arena.fault().empty()) return "fault 0 " + arena.fault();
    if (!timing.ok()) return "error " + timing.error().message;
    const auto& ratio = timing->comparison.ratio;
    return fmt::format("pair {} {} {} {} {} {}", ratio.value, ratio.low, ratio.high,
                       profile::median(timing->a_us), profile::median(timing->b_us),
                       timing->a_us.size());
  }
  return "error an unknown request";
}

/// Without PTX nothing is known of variables; a module without any has nothing to restore.
std::string ptx_for(const std::string& cubin) {
  const bool has_variables = cubin.find(".nv.global") != std::string::npos ||
                             cubin.find(".nv.constant3") != std::string::npos;
  return has_variables ? "" : "// no variables\n";
}

/// Everything that an arena needs, in the order in which it has to go.
struct Serving {
  std::unique_ptr<device::Device> device;
  std::unique_ptr<device::OtherWork> other_work;
  std::unique_ptr<device::GpuClocks> clocks;
  std::unique_ptr<Arena> arena;
};

Status open_serving(const ServedArena& served, Serving& serving) {
  WW_TRY(const auto resolved, device::resolve_device({.device = served.device}));
  WW_TRY(serving.device, device::open_device(resolved, 60));
  // Without either, less can be tried, and the report says so.
  if (auto work = device::open_other_work(resolved); work.ok())
    serving.other_work = std::move(*work);
  if (served.set_clocks)
    if (auto clocks = device::open_clocks(resolved); clocks.ok())
      serving.clocks = std::move(*clocks);
  WW_TRY(const std::string text, read_file(served.workload));
  WW_TRY(const Workload work, workload_from(text));
  WW_TRY(const std::string bytes, read_file(served.cubin));
  Surroundings surroundings{
      .inputs = {}, .other_work = serving.other_work.get(), .clocks = serving.clocks.get()};
  if (!work.task.empty() && served.inputs_of) {
    WW_TRY(surroundings.inputs, served.inputs_of(work));
  }
  WW_TRY(serving.arena,
         Arena::open(*serving.device, work, bytes, ptx_for(bytes), std::move(surroundings)));
  return {};
}

}  // namespace

int serve_arena(const ServedArena& served, int input, int output) {
  Serving serving;
  if (const Status opened = open_serving(served, serving); !opened.ok()) {
    say(output, "error " + opened.error().message);
    return 2;
  }
  Arena& arena = *serving.arena;
  say(output, "ready");
  std::string line;
  for (char letter = 0; ::read(input, &letter, 1) == 1;) {
    if (letter != '\n') {
      line += letter;
      continue;
    }
    const Words words = split(line);
    line.clear();
    if (words.empty()) continue;
    say(output, answer(arena, words));
    if (!arena.fault().empty()) {
      // A kernel that still runs would hold up a normal exit; clocks must not stay as they are.
      if (serving.clocks != nullptr) serving.clocks->let_go();
      std::fflush(nullptr);
      std::_Exit(kLostDevice);
    }
  }
  return 0;
}

Result<Canary> Canary::start(Command command) {
  WW_TRY(auto folder, TemporaryDirectory::create("warpwright-canary"));
  Canary canary(std::move(command), std::move(folder));
  WW_CHECK(canary.begin());
  return canary;
}

Status Canary::begin() {
  child_.reset();
  WW_TRY(auto child, ChildProcess::start(command_));
  child_.emplace(std::move(child));
  const auto reply = child_->read_line(kStartPatience);
  if (reply.heard == ChildProcess::Heard::line && reply.line == "ready") return {};
  if (reply.heard == ChildProcess::Heard::line && reply.line.starts_with("error "))
    return Error{reply.line.substr(6)};
  return Error{"the process that runs schedules did not start"};
}

Result<std::string> Canary::file_of(const std::string& cubin) {
  const auto file = folder_.path() / ("schedule-" + std::to_string(files_++ % 4) + ".cubin");
  WW_CHECK(write_file(file, cubin));
  return file.string();
}

Result<std::optional<Words>> Canary::ask(const std::string& verb, const std::string& cubin,
                                         const std::string& numbers,
                                         std::chrono::milliseconds patience) {
  std::string line = verb;
  if (!cubin.empty()) {
    WW_TRY(const std::string file, file_of(cubin));
    line += " " + file;
  }
  if (!numbers.empty()) line += " " + numbers;
  if (!child_->write_line(line).ok()) {
    ++replaced_;
    WW_CHECK(begin());
    WW_CHECK(child_->write_line(line));
  }
  const auto reply = child_->read_line(patience);
  if (reply.heard != ChildProcess::Heard::line) {
    ++replaced_;
    WW_CHECK(begin());
    return std::optional<Words>();
  }
  if (reply.line.starts_with("error ")) return Error{reply.line.substr(6)};
  Words words = split(reply.line);
  if (words.empty()) return Error{"the process that runs schedules answered nothing"};
  if (words[0] == "fault") {
    ++replaced_;
    WW_CHECK(begin());
  }
  return std::optional<Words>(std::move(words));
}

Result<Behaviour> Canary::behaviour_of(const Result<std::optional<Words>>& answer) {
  if (!answer.ok()) return answer.error();
  if (!*answer)
    return Behaviour{Behaviour::Kind::fault, "the process hung or ended; it was replaced"};
  const Words& words = **answer;
  Behaviour behaviour{.outputs = static_cast<std::uint64_t>(number_at(words, 1))};
  if (words[0] == "different") behaviour.kind = Behaviour::Kind::different;
  if (words[0] == "fault") behaviour.kind = Behaviour::Kind::fault;
  for (std::size_t i = 2; i < words.size(); ++i) behaviour.why += (i > 2 ? " " : "") + words[i];
  return behaviour;
}

Result<Behaviour> Canary::check(const std::string& cubin, std::uint64_t first,
                                std::uint64_t count) {
  return behaviour_of(ask("check", cubin, fmt::format("{} {}", first, count),
                          kPatience + std::chrono::milliseconds(kPatiencePerSetMs * count)));
}

Result<Behaviour> Canary::check_many(const std::string& cubin, std::uint64_t outputs,
                                     double limit_s) {
  return behaviour_of(
      ask("many", cubin, fmt::format("{} {}", outputs, limit_s),
          kPatience + std::chrono::milliseconds(static_cast<std::int64_t>(limit_s * 1000))));
}

Result<Behaviour> Canary::fuzz(const std::string& cubin, std::uint64_t sets, double limit_s) {
  return behaviour_of(
      ask("fuzz", cubin, fmt::format("{} {}", sets, limit_s),
          kPatience + std::chrono::milliseconds(static_cast<std::int64_t>(limit_s * 1000))));
}

Result<std::optional<double>> Canary::trial(const std::string& cubin, std::uint64_t set) {
  WW_TRY(const auto words, ask("trial", cubin, std::to_string(set), kPatience));
  if (!words || (*words)[0] != "ratio") return std::optional<double>();
  return std::optional<double>(number_at(*words, 1));
}

Result<std::optional<PairedFigures>> Canary::paired(const std::string& cubin, double limit_s,
                                                    const std::string& rival) {
  std::string numbers = fmt::format("{}", limit_s);
  if (!rival.empty()) {
    WW_TRY(const std::string file, file_of(rival));
    numbers += " " + file;
  }
  WW_TRY(const auto words,
         ask("pair", cubin, numbers,
             kPatience + std::chrono::milliseconds(static_cast<std::int64_t>(limit_s * 2000))));
  if (!words || (*words)[0] != "pair") return std::optional<PairedFigures>();
  return std::optional<PairedFigures>(PairedFigures{
      number_at(*words, 1), number_at(*words, 2), number_at(*words, 3), number_at(*words, 4),
      number_at(*words, 5), static_cast<int>(number_at(*words, 6))});
}

Result<double> Canary::original_us() {
  WW_TRY(const auto words, ask("original", "", "", kPatience));
  if (!words || (*words)[0] != "us") return Error{"the kernel as it was built could not be timed"};
  return number_at(*words, 1);
}

}  // namespace warpwright::reorder
