// SPDX-License-Identifier: Apache-2.0
// make_zoo_jobs FOLDER [DEVICE [FRONT_END]]: a job directory per member of tests/cheats,
// tests/honest and tests/redteam, each with the verdicts it may get in expect.txt. DEVICE is that
// of the judging machine, default cuda. bench/check_zoo compares what came out.
#include <algorithm>
#include <cstdio>
#include <string>

#include "base/files.h"
#include "evaluate/job.h"
#include "suite/load.h"
#include "support/places.h"
#include "support/zoo.h"

namespace {

using namespace warpwright;

Status write_all(const std::filesystem::path& folder, const std::string& device,
                 const std::string& front_end) {
  std::vector<std::string> folders = zoo_folders();
  for (const std::string& folder_of_attacks : red_team_folders()) {
    folders.push_back(folder_of_attacks);
  }
  WW_TRY(const auto members, load_zoo(std::filesystem::path(source_path()) / "tests", folders));
  for (const ZooMember& member : members) {
    if (device == "simt" ? member.needs_gpu : member.only_simt) continue;
    // These need headers of the toolkit.
    if (member.name.ends_with("_nvcc") && device == "simt" && front_end != "nvcc") continue;
    evaluate::JobRequest request;
    request.id = member.name;
    WW_TRY(request.task, suite::load_embedded_task(member.task));
    request.source = member.source;
    WW_TRY(request.rule_set, chosen<RuleSet>(member.rules, "the rule set"));
    WW_TRY(request.device, chosen<DeviceName>(device, "the device"));
    WW_TRY(request.front_end, chosen<FrontEndChoice>(front_end, "the front end"));
    request.limit_s = 120;
    // Verdicts, not times: large sizes take long.
    WW_TRY(request.sizes, sizes_of(member, request.task));
    const std::string& second = request.task.sizes[1].label;
    const bool is_new =
        std::find(request.sizes.begin(), request.sizes.end(), second) == request.sizes.end();
    if (device != "simt" && member.task != "matmul" && is_new) request.sizes.push_back(second);
    const evaluate::JobDirectory job(folder / member.name);
    WW_CHECK(job.write_request(request));
    WW_CHECK(write_file(job.path() / "expect.txt", member.expected_text() + "\n"));
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 4) {
    std::fprintf(stderr, "usage: make_zoo_jobs FOLDER [DEVICE [FRONT_END]]\n");
    return 2;
  }
  const Status written =
      write_all(argv[1], argc > 2 ? argv[2] : "cuda", argc > 3 ? argv[3] : "auto");
  if (written.ok()) return 0;
  std::fprintf(stderr, "make_zoo_jobs: %s\n", written.error().message.c_str());
  return 1;
}
