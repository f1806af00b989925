// SPDX-License-Identifier: Apache-2.0
// fake_worker JOBDIR: keeps the job directory's contract, but the verdict is a function of the
// source's hash, so that a search of many candidates takes milliseconds and repeats exactly; a
// source with "refused because ..." is refused for the rest of that line, and one with
// "fast at LABEL" takes a tenth of its time at that size. It
// appends its whole environment to worker_environment.txt beside the jobs. As a server
// (fake_worker --serve LOG MILLISECONDS) it takes so long for each job and notes in LOG what it
// does.
#include <cstdio>
#include <iostream>
#include <string>

#include <fcntl.h>

#include <unistd.h>

#include "base/sha256.h"
#include "evaluate/job.h"

namespace {

using namespace warpwright;

Evaluation judge(const evaluate::JobRequest& request) {
  const std::string hash = sha256_hex(request.source);
  Evaluation evaluation;
  evaluation.device = "fake";
  evaluation.device_s = 0.25;
  const char digit = request.is_baseline ? 'f' : hash[0];
  constexpr std::string_view kRefused = "refused because ";
  if (const auto at = request.source.find(kRefused); at != std::string::npos) {
    const auto begin = at + kRefused.size();
    evaluation.verdict = Verdict::mismatch;
    evaluation.stage = Stage::validate;
    evaluation.reason = request.source.substr(begin, request.source.find('\n', begin) - begin);
    return evaluation;
  }
  if (digit <= '4') {
    evaluation.verdict = digit <= '2' ? Verdict::compile_error : Verdict::mismatch;
    evaluation.stage = digit <= '2' ? Stage::build : Stage::validate;
    evaluation.reason = "the hash begins with " + hash.substr(0, 1);
    evaluation.feedback = "line 3: something is wrong";
    return evaluation;
  }
  const double us = request.is_baseline ? 900 : 10 + std::stoi(hash.substr(1, 2), nullptr, 16);
  evaluation.verdict = Verdict::ok;
  evaluation.stage = Stage::measure;
  for (const auto& size : request.task.sizes) {
    const bool is_fast = request.source.find("fast at " + size.label + "\n") != std::string::npos;
    const double takes = is_fast ? us / 10 : us;
    evaluation.measurements.push_back(
        {size.label, TimeSource::estimated, takes, takes * 0.99, takes * 1.01, 30, 1.0, 0});
  }
  return evaluation;
}

/// Both by their hashes; the answer follows from their times.
Evaluation compare(const evaluate::JobRequest& request) {
  evaluate::JobRequest second = request;
  second.source = *request.rival;
  second.is_baseline = request.rival_is_baseline;
  Evaluation first = judge(request), other = judge(second);
  Comparison comparison;
  if (!first.valid() || !other.valid()) comparison.failed = first.valid() ? "second" : "first";
  if (!first.valid() || !other.valid()) {
    Evaluation bad = first.valid() ? other : first;
    bad.comparison = comparison;
    return bad;
  }
  const double a = score_us(first).value_or(0), b = score_us(other).value_or(0);
  comparison.order = a < b ? Order::faster : a > b ? Order::slower : Order::same;
  comparison.ratio = {a / b, a / b, a / b};
  for (const auto& m : first.measurements) {
    comparison.sizes.push_back({.size = m.size,
                                .source = TimeSource::estimated,
                                .order = comparison.order,
                                .ratio = comparison.ratio,
                                .first_us = a,
                                .second_us = b,
                                .pairs = 1});
  }
  first.comparison = comparison;
  return first;
}

void log_environment(const std::filesystem::path& job) {
  const auto path = job.parent_path().parent_path() / "worker_environment.txt";
  if (std::FILE* file = std::fopen(path.c_str(), "a")) {
    for (char** entry = environ; *entry != nullptr; ++entry) std::fprintf(file, "%s\n", *entry);
    std::fclose(file);
  }
}

/// One line by one write, which is whole among those of other processes.
void note(const char* log, const std::string& line) {
  const int file = ::open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (file < 0 || ::write(file, line.data(), line.size()) < 0) std::perror(log);
  if (file >= 0) ::close(file);
}

/// As `warpwright worker --serve`, one job after the other.
int serve(const char* log, int milliseconds) {
  for (std::string folder; std::getline(std::cin, folder);) {
    const evaluate::JobDirectory job{std::filesystem::path(folder)};
    const auto request = job.read_request();
    const std::string id = request.ok() ? request->id : "unreadable";
    note(log, "begin " + id + "\n");
    ::usleep(static_cast<useconds_t>(milliseconds) * 1000);
    if (request.ok() && request->source.find("kills its judge") != std::string::npos) return 1;
    if (request.ok() &&
        job.write_result(request->rival ? compare(*request) : judge(*request)).ok()) {
      note(log, "end " + id + "\n");
    }
    std::cout << "done " << folder << std::endl;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4 && std::string(argv[1]) == "--serve") return serve(argv[2], std::stoi(argv[3]));
  if (argc != 2) return 2;
  const evaluate::JobDirectory job{std::filesystem::path(argv[1])};
  log_environment(job.path());
  const auto request = job.read_request();
  if (!request.ok()) {
    std::fprintf(stderr, "%s\n", request.error().message.c_str());
    return 2;
  }
  const Evaluation evaluation = request->rival ? compare(*request) : judge(*request);
  return job.write_result(evaluation).ok() ? 0 : 2;
}
