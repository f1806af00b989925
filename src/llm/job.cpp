// SPDX-License-Identifier: Apache-2.0
#include "llm/job.h"

#include "llm/json_reading.h"

namespace warpwright::llm {

namespace {

std::vector<std::string> texts_of(const Json& array) {
  std::vector<std::string> result;
  if (!array.is_array()) return result;
  for (const Json& value : array) result.push_back(text_of(value));
  return result;
}

std::chrono::milliseconds ms_of(const Json& value) {
  return std::chrono::milliseconds(count_of(value));
}

}  // namespace

std::string job_to_json(const Job& job) {
  return dump_json(Json{{"version", 1},
                        {"id", job.id},
                        {"spool", job.spool},
                        {"request_sha256", job.request_sha256},
                        {"name", job.name},
                        {"wire", job.wire},
                        {"body", job.body},
                        {"prompt_bytes", job.prompt_bytes},
                        {"max_output_tokens", job.max_output_tokens},
                        {"connect_ms", job.timeouts.connect.count()},
                        {"idle_ms", job.timeouts.idle.count()},
                        {"total_ms", job.timeouts.total.count()},
                        {"max_tries", job.max_tries},
                        {"delay_scale", job.delay_scale},
                        {"secrets", job.secrets},
                        {"url", job.url},
                        {"headers", job.headers},
                        {"proxy", job.proxy},
                        {"ca_file", job.ca_file},
                        {"ca_dir", job.ca_dir},
                        {"argv", job.argv},
                        {"env", job.env}});
}

Result<Job> job_from_json(std::string_view text) {
  const Json value = parse_json(text);
  if (count_of(member(value, "version")) != 1) {
    return Error{"standard input is not a courier's job; this program is started by others"};
  }
  Job job;
  job.id = text_of(member(value, "id"));
  job.spool = text_of(member(value, "spool"));
  job.request_sha256 = text_of(member(value, "request_sha256"));
  job.name = text_of(member(value, "name"));
  job.wire = text_of(member(value, "wire"));
  job.body = text_of(member(value, "body"));
  job.prompt_bytes = count_of(member(value, "prompt_bytes"));
  job.max_output_tokens = count_of(member(value, "max_output_tokens"));
  job.timeouts.connect = ms_of(member(value, "connect_ms"));
  job.timeouts.idle = ms_of(member(value, "idle_ms"));
  job.timeouts.total = ms_of(member(value, "total_ms"));
  job.max_tries = static_cast<int>(count_of(member(value, "max_tries")));
  const Json& scale = member(value, "delay_scale");
  job.delay_scale = scale.is_number() ? scale.get<double>() : 1.0;
  job.secrets = texts_of(member(value, "secrets"));
  job.url = text_of(member(value, "url"));
  job.headers = texts_of(member(value, "headers"));
  job.proxy = text_of(member(value, "proxy"));
  job.ca_file = text_of(member(value, "ca_file"));
  job.ca_dir = text_of(member(value, "ca_dir"));
  job.argv = texts_of(member(value, "argv"));
  job.env = texts_of(member(value, "env"));
  return job;
}

std::string redacted(std::string text, const std::vector<std::string>& secrets) {
  constexpr std::string_view kMark = "[key]";
  for (const std::string& secret : secrets) {
    // Shorter ones are no secrets, and would tear ordinary text apart.
    if (secret.size() < 4) continue;
    for (auto at = text.find(secret); at != std::string::npos;
         at = text.find(secret, at + kMark.size())) {
      text.replace(at, secret.size(), kMark);
    }
  }
  return text;
}

}  // namespace warpwright::llm
