// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "llm/make_model.h"

namespace warpwright::llm {

/// Everything a courier needs for one request. It travels through a pipe and is never stored: it
/// holds the key.
struct Job {
  std::string id;
  std::string spool;
  std::string request_sha256;  ///< of spool.h; the outcome is found again by it and the id
  std::string name;            ///< of the model, for messages and records
  std::string wire;            ///< row of wires(), or "exec"
  std::string body;            ///< what is posted, or the program's standard input
  std::int64_t prompt_bytes = 0;
  std::int64_t max_output_tokens = 0;
  ModelTimeouts timeouts;
  int max_tries = 1;
  double delay_scale = 1;
  std::vector<std::string> secrets;  ///< replaced wherever a provider echoes them

  std::string url;
  std::vector<std::string> headers;
  std::string proxy;
  std::string ca_file;
  std::string ca_dir;

  std::vector<std::string> argv;
  std::vector<std::string> env;
};

std::string job_to_json(const Job& job);
/// An error when the text is not a whole job, e.g. because its writer died.
Result<Job> job_from_json(std::string_view text);

/// The text without the job's secrets.
std::string redacted(std::string text, const std::vector<std::string>& secrets);

}  // namespace warpwright::llm
