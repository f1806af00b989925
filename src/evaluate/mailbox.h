// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "evaluate/evaluator.h"
#include "evaluate/job.h"

namespace warpwright::evaluate {

struct MailboxOptions {
  std::filesystem::path folder;  ///< made if it is not there
  JobRequest pattern;            ///< everything of a request but id, source and is_baseline
  std::string device;            ///< what it judges on, in words
  int parallelism = 256;         ///< jobs that may wait at once
  std::chrono::milliseconds glance{300};
};

/// Judgements that somebody else makes: each is left as FOLDER/pending/JOB, complete or absent,
/// and waited for, however long, until FOLDER/done/JOB/result.json or
/// FOLDER/pending/JOB/result.json is there. JOB follows from what is to be judged, so that the same
/// question of another process, or of this one after its death, finds the folder or the result of
/// before. A result is never removed; one that is no verdict (harness_error) is put aside under
/// FOLDER/failed, and the job is left again when it is asked for again.
class MailboxEvaluator final : public Evaluator {
 public:
  explicit MailboxEvaluator(MailboxOptions options);

  [[nodiscard]] std::string device() const override { return options_.device; }
  [[nodiscard]] int parallelism() const override { return options_.parallelism; }
  [[nodiscard]] double max_device_s() const override { return options_.pattern.limit_s; }
  Result<Evaluation> evaluate(const EvaluationRequest& request, const StopSignal& stop) override;
  void expect(const EvaluationRequest& request) override;

 private:
  [[nodiscard]] JobRequest whole(const EvaluationRequest& request) const;
  Status leave(const std::string& name, const JobRequest& request) const;
  Result<std::optional<Evaluation>> collect(const JobDirectory& job, const std::string& name) const;

  MailboxOptions options_;
};

/// The job's folder: the task, "baseline" or "pair" where it is one, a hash of the whole request,
/// and where it is not the first of its kind, which one it is.
std::string mailbox_job_name(const JobRequest& request, int repeat = 0);

}  // namespace warpwright::evaluate
