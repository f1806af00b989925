// SPDX-License-Identifier: Apache-2.0
// fake_worker JOBDIR: keeps the job directory's contract, but the verdict is a function of the
// source's hash, so that a search of many candidates takes milliseconds and repeats exactly. It
// appends its whole environment to worker_environment.txt beside the jobs.
#include <cstdio>
#include <string>

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
    evaluation.measurements.push_back(
        {size.label, TimeSource::estimated, us, us * 0.99, us * 1.01, 30, 1.0, 0});
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
  const double a = first.measurements.front().median_us, b = other.measurements.front().median_us;
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

}  // namespace

int main(int argc, char** argv) {
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
