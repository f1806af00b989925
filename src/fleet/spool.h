// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "evaluate/job.h"

namespace warpwright::fleet {

/// What all who use a spool agree on; written by whoever makes it.
struct SpoolRules {
  double stale_s = 30;  ///< a pilot whose heartbeat stands still for so long is dead
  int deaths = 3;       ///< pilots that may die under a job before it is given up
};

/// A job that waits, by its place.
struct Waiting {
  std::string queue;
  std::string job;

  bool operator==(const Waiting&) const = default;
};

/// A folder, on a file system that all machines share, through which job folders go to pilots.
/// Every step of a job is one rename(), so that it is in one place at any time:
///   new/QUEUE/JOB -> taken/PILOT/QUEUE~JOB -> done/QUEUE/JOB
/// The folder is its owner's alone. Safe to use from many threads, processes and machines.
class Spool {
 public:
  /// Makes it where it is not there, with these rules. Refuses a folder that is another user's, or
  /// that others may enter, or that is no spool and not empty.
  static Result<Spool> create(const std::filesystem::path& folder, const SpoolRules& rules);
  /// Refuses likewise, and where there is none.
  static Result<Spool> open(const std::filesystem::path& folder);

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  [[nodiscard]] const SpoolRules& rules() const { return rules_; }
  [[nodiscard]] std::filesystem::path pilots() const { return folder_ / "pilots"; }
  [[nodiscard]] std::filesystem::path gone_pilots() const { return folder_ / "gone"; }
  [[nodiscard]] std::filesystem::path logs() const { return folder_ / "log"; }

  /// Leaves a job, unless it is anywhere in the spool already.
  Status submit(const std::string& queue, const std::string& job,
                const evaluate::JobRequest& request) const;
  [[nodiscard]] bool knows(const std::string& queue, const std::string& job) const;
  [[nodiscard]] std::vector<std::string> queues() const;
  [[nodiscard]] std::vector<std::string> waiting(const std::string& queue) const;
  [[nodiscard]] std::vector<std::string> done(const std::string& queue) const;
  [[nodiscard]] std::size_t waiting_count() const;

  /// A pilot's own folder of taken jobs.
  Status enrol(const std::string& pilot) const;
  void leave(const std::string& pilot) const;
  /// The job's folder, which is now the pilot's; none where another pilot was quicker.
  [[nodiscard]] std::optional<evaluate::JobDirectory> take(const std::string& pilot,
                                                           const Waiting& waiting) const;
  /// The result is there; false: the job is no longer this pilot's.
  bool finish(const std::string& pilot, const Waiting& waiting) const;
  /// Back to the queue. With a reason: counted as a death, and given up after some of them.
  bool give_back(const std::string& pilot, const Waiting& waiting, std::string_view death) const;
  [[nodiscard]] std::vector<std::string> pilots_with_jobs() const;
  [[nodiscard]] std::vector<Waiting> taken(const std::string& pilot) const;
  /// All jobs of a pilot that is no more: those with a result are done, the others wait again.
  void release(const std::string& pilot, std::string_view death) const;

  [[nodiscard]] evaluate::JobDirectory done_job(const std::string& queue,
                                                const std::string& job) const;
  /// A result that is no verdict: the job may be submitted again.
  void put_aside(const std::string& queue, const std::string& job) const;
  /// All that is left of a queue; jobs that pilots have are not waited for.
  void forget(const std::string& queue) const;
  /// Removes results and pilots' records that are older. How many.
  [[nodiscard]] int tidy(double older_than_s) const;

 private:
  Spool(std::filesystem::path folder, SpoolRules rules)
      : folder_(std::move(folder)), rules_(rules) {}
  [[nodiscard]] std::filesystem::path new_job(const std::string& queue,
                                              const std::string& job) const;
  [[nodiscard]] std::filesystem::path taken_job(const std::string& pilot,
                                                const Waiting& waiting) const;

  std::filesystem::path folder_;
  SpoolRules rules_;
};

/// A text as a name in a spool: letters, digits, dots, underscores and minus signs.
std::string spool_name(std::string_view text);

/// A job belongs to one GPU model, or to any pilot: its name begins with that.
inline constexpr std::string_view kAnyGpu = "any";
std::string job_name(std::string_view gpu_key, const evaluate::JobRequest& request, int repeat = 0);
bool suits(std::string_view job, std::string_view gpu_key);

/// rules.json: total, any text gives rules or an error.
Result<SpoolRules> rules_from_json(std::string_view text);
std::string rules_to_json(const SpoolRules& rules);

}  // namespace warpwright::fleet
