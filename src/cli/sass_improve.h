// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "base/stop.h"
#include "cli/sass_files.h"
#include "reorder/improve.h"
#include "sass/latency.h"

namespace warpwright::cli {

/// The parts of `sass tune` that its flags decide.
struct SassTuning {
  SassInputs inputs;
  std::string function;  ///< empty = the launched one
  std::string listing;   ///< nvdisasm's text of the cubin, from elsewhere; empty = nvdisasm is here
  std::string table;     ///< latencies, a file; empty = the shipped ones
  bool variants = true;  ///< other ways to assemble are tried first, where the PTX is there
  bool set_clocks = false;
  reorder::TuneOptions options;
};

/// What came of it, with all that an export needs.
struct SassTuned {
  reorder::Improvement improvement;
  std::string report;  ///< JSON, docs/sass.md
  int architecture = 0;
};

/// A cubin with its listing: nvdisasm's, or one that was made elsewhere.
Result<sass::Program> sass_program(const std::string& file, const std::string& listing);

/// The shipped latencies of an architecture, or those of a file.
Result<sass::LatencyTable> sass_table(const std::string& file, int architecture);

/// The child process that runs schedules.
Result<reorder::Canary> sass_canary(const SassInputs& inputs, bool set_clocks);

/// Variants of ptxas, then schedules, on this machine's GPU.
Result<SassTuned> tune_sass(const SassTuning& tuning, const StopSignal& stop);

/// The same of a request as the judge has it, built in a folder, within so many minutes.
Result<SassTuned> tune_source(const evaluate::JobRequest& request,
                              const std::filesystem::path& folder, double minutes,
                              const StopSignal& stop);

}  // namespace warpwright::cli
