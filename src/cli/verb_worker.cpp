// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>

#include "cli/exit_codes.h"
#include "cli/verbs.h"
#include "core/evaluation_json.h"
#include "evaluate/worker.h"

namespace warpwright::cli {

void add_worker(CLI::App& verb, Action& action) {
  const auto folder = std::make_shared<std::string>();
  verb.add_option("jobdir", *folder, "folder with request.json and candidate.cu (docs/formats.md)")
      ->required();
  verb.callback([folder, &action] {
    action = [folder]() -> int {
      StopSignal stop;
      const InterruptGuard interrupts(stop);
      const auto result = evaluate::work(evaluate::JobDirectory(*folder), stop);
      if (!result.ok()) return fail(result.error());
      if (result->verdict == Verdict::harness_error) return fail(Error{result->reason});
      std::printf("%s\n", std::string(name_of(result->verdict)).c_str());
      if (result->verdict == Verdict::timeout) {
        // A kernel that still runs on a GPU would hold up a normal exit. The result is on disk.
        std::fflush(nullptr);
        std::_Exit(kBad);
      }
      return result->valid() ? kOk : kBad;
    };
  });
}

}  // namespace warpwright::cli
