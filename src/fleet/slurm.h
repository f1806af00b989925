// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/launcher.h"
#include "fleet/spool.h"

namespace warpwright::fleet {

/// How pilots are asked for; empty texts are left to Slurm.
struct SlurmOptions {
  int pilots = 4;  ///< at most so many at a time
  std::string partition;
  std::string account;
  std::string qos;
  std::string constraint;
  std::string gpu;  ///< type of the GPU; "none": no GPU is asked for
  std::string time;
  std::string memory;
  std::string cpus;
  std::vector<std::string> flags;  ///< more of sbatch's own
  std::string spool;               ///< the folder, for whoever opens it
  double stale_s = 30;             ///< of the spool's rules
  double idle_s = 60;              ///< a pilot ends after so long without a job
  std::string program;             ///< warpwright on the nodes
  std::vector<std::string> pilot_flags;
};

/// "partition=gpu,gpu=h100,pilots=8" laid over the options; the error names the key.
Result<SlurmOptions> slurm_options(std::string_view text, SlurmOptions options);

/// The jobs of a listing by squeue ("ID STATE" in each line) that are there or will be.
int living_jobs(std::string_view listing);

/// The arguments that ask for `count` pilots.
std::vector<std::string> sbatch_arguments(const SlurmOptions& options, const Spool& spool,
                                          int count);
/// The name of all pilots of a spool in Slurm.
std::string slurm_job_name(const Spool& spool);

/// Pilots as jobs of Slurm, one per GPU: as many as there is work for, up to a number. Searches
/// that share a spool share its pilots. A controller that does not answer is asked again; pilots
/// that are there work on without it.
class SlurmLauncher final : public Launcher {
 public:
  /// An error where there is no sbatch.
  static Result<std::shared_ptr<SlurmLauncher>> create(const Spool& spool, SlurmOptions options);
  Status tend(std::size_t waiting, std::size_t judged) override;
  /// How many pilots were asked for so far.
  [[nodiscard]] int asked() const { return asked_; }

 private:
  SlurmLauncher(const Spool& spool, SlurmOptions options)
      : spool_(spool), options_(std::move(options)) {}
  Status ask(int count);
  void postpone(const std::string& why);

  Spool spool_;
  SlurmOptions options_;
  int asked_ = 0;
  int fruitless_ = 0;  ///< asked for since the last verdict
  std::chrono::steady_clock::time_point next_;
  std::chrono::seconds delay_{1};
};

}  // namespace warpwright::fleet
