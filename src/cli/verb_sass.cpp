// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>

#include "base/files.h"
#include "base/process.h"
#include "cli/exit_codes.h"
#include "cli/sass_files.h"
#include "cli/sass_improve.h"
#include "cli/sass_task_inputs.h"
#include "cli/verbs.h"
#include "reorder/narrow.h"
#include "sass/check.h"
#include "sass/report.h"
#include "sass/schedule.h"
#include "sass/scoreboards.h"
#include "sass/tool.h"
#ifndef WARPWRIGHT_WORKER_ONLY
#include "cli/options.h"
#include "cli/sass_candidate.h"
#endif

namespace warpwright::cli {

namespace {

struct SassFlags {
  std::string file, candidate, archive, against, table, output, function, listing, task, ptx;
  std::string device = "cuda";
  std::vector<std::string> files;
  reorder::TuneOptions tune;
  int count = 200;
  int narrow = 40;
  bool json = false, only_make = false, tuned = false, no_variants = false, clocks = false;
};

constexpr int kMostNarrowed = 2;  ///< schedules that are narrowed down, of one kernel
constexpr int kMostWrong = 10;    ///< then a kernel's series ends

Result<sass::Program> program_of(const SassFlags& flags, const std::string& file) {
  return sass_program(file, flags.listing);
}

Result<sass::LatencyTable> table_for(const SassFlags& flags, int architecture) {
  return sass_table(flags.table, architecture);
}

/// What `show` lists: a file, or a candidate of an archived run.
Result<sass::Program> shown_program(const SassFlags& flags) {
  if (flags.candidate.empty() && !flags.tuned) {
    WW_TRY(const bool there, path_exists(flags.file));
    if (there) return program_of(flags, flags.file);
    return Error{"there is no file '" + flags.file +
                 "'; of a run name a candidate, too: warpwright sass show RUN best"};
  }
#ifdef WARPWRIGHT_WORKER_ONLY
  return Error{"runs are in an archive, which needs the whole program; name a cubin"};
#else
  if (!flags.listing.empty()) return Error{"--listing goes with a cubin, not with a run"};
  WW_TRY(const auto tool, sass::Disassembler::open());
  StopSignal stop;
  const InterruptGuard interrupts(stop);
  WW_TRY(std::string cubin,
         candidate_cubin({flags.archive, flags.file, flags.candidate, flags.tuned}, stop));
  return tool.read(std::move(cubin), &stop);
#endif
}

Result<int> show(const SassFlags& flags) {
  WW_TRY(const auto program, shown_program(flags));
  WW_TRY(const auto table, table_for(flags, program.cubin().architecture()));
  std::vector<const sass::Function*> functions;
  for (const sass::Function& function : program.functions())
    if (flags.function.empty() || function.name == flags.function) functions.push_back(&function);
  if (functions.empty()) return Error{"the cubin has no function " + flags.function};
  std::fputs((flags.json ? sass::show_json(program, functions, table)
                         : sass::show_text(program, functions, table))
                 .c_str(),
             stdout);
  return kOk;
}

Result<int> check(const SassFlags& flags) {
  std::vector<sass::Hazard> hazards;
  std::size_t instructions = 0;
  if (flags.against.empty()) {
    WW_TRY(const auto program, program_of(flags, flags.file));
    WW_TRY(const auto table, table_for(flags, program.cubin().architecture()));
    for (const auto& function : program.functions()) instructions += function.code.size();
    hazards = sass::check(program, table);
  } else {
    WW_TRY(const auto original, program_of(flags, flags.against));
    WW_TRY(const auto table, table_for(flags, original.cubin().architecture()));
    WW_TRY(std::string bytes, read_file(flags.file));
    WW_TRY(const auto changed, sass::Cubin::parse(std::move(bytes)));
    for (const auto& function : original.functions()) instructions += function.code.size();
    hazards = sass::check_against(original, changed, table);
  }
  std::fputs((flags.json ? sass::hazards_json(hazards, instructions)
                         : sass::hazards_text(hazards, instructions))
                 .c_str(),
             stdout);
  return hazards.empty() ? kOk : kBad;
}

Result<int> learn(const SassFlags& flags) {
  WW_TRY(const auto tool, sass::Disassembler::open());
  std::map<int, sass::LatencyTable> tables;
  for (const std::string& file : flags.files) {
    const auto program = tool.read_file(file);
    if (!program.ok()) {
      std::fprintf(stderr, "%s: %s\n", file.c_str(), program.error().message.c_str());
      continue;
    }
    sass::learn(*program, tables[program->cubin().architecture()]);
  }
  if (tables.size() != 1)
    return Error{tables.empty() ? "none of the files could be read"
                                : "the files are for several architectures; name those of one"};
  auto& table = tables.begin()->second;
  table.prune();
  if (flags.output.empty()) {
    std::fputs(table.text().c_str(), stdout);
  } else {
    WW_CHECK(write_file(flags.output, table.text()));
    std::fprintf(stderr, "%zu rows for sm_%d\n", table.size(), table.architecture());
  }
  return kOk;
}

/// Counts of a series of random schedules.
struct RandomCounts {
  int same = 0, different = 0, faults = 0, unmade = 0, narrowed = 0;
  double moved = 0;  ///< instructions that are not where they were, in all schedules
  std::uint64_t outputs = 0;
};

std::size_t moved_in(const sass::Function& scheduled) {
  std::size_t moved = 0;
  for (std::size_t i = 0; i < scheduled.code.size(); ++i)
    moved += scheduled.code[i].offset == i * sass::kWordBytes ? 0 : 1;
  return moved;
}

Status narrow_down(const SassFlags& flags, const sass::Program& program, const sass::Kernel& kernel,
                   const sass::Schedule& wrong, reorder::Canary& canary) {
  const auto goes_wrong = [&](const sass::Function& scheduled) -> Result<bool> {
    WW_TRY(const auto behaviour, canary.check(program.bytes_with(scheduled), 0, 4));
    return behaviour.kind != reorder::Behaviour::Kind::same;
  };
  WW_TRY(const auto narrowed, reorder::narrow(kernel, wrong, flags.narrow, goes_wrong));
  std::fputs(reorder::narrowed_text(kernel, narrowed).c_str(), stdout);
  return {};
}

void print_counts(const SassFlags& flags, const sass::Kernel& kernel, const RandomCounts& counts) {
  const std::size_t size = kernel.function().code.size();
  const int made = std::max(flags.count - counts.unmade, 1);
  if (flags.json) {
    std::printf(
        "{\"kernel\": \"%s\", \"instructions\": %zu, \"regions\": %zu, \"schedules\": %d, "
        "\"moved_share\": %.3f, \"same\": %d, \"different\": %d, \"faults\": %d, \"not_made\": "
        "%d, \"outputs_compared\": %llu}\n",
        kernel.function().name.c_str(), size, kernel.regions().size(), flags.count,
        counts.moved / made / static_cast<double>(size), counts.same, counts.different,
        counts.faults, counts.unmade, static_cast<unsigned long long>(counts.outputs));
    return;
  }
  std::printf(
      "%s: %zu instructions, %zu regions; %d schedules and the identity: %d the same, %d "
      "different, %d faults, %d not made; %.0f %% of instructions moved; %llu outputs compared\n",
      kernel.function().name.c_str(), size, kernel.regions().size(), flags.count, counts.same,
      counts.different, counts.faults, counts.unmade,
      100 * counts.moved / made / static_cast<double>(size),
      static_cast<unsigned long long>(counts.outputs));
}

/// Makes random legal schedules, and inputs, without running anything.
Result<int> make_random(const SassFlags& flags, const SassInputs& inputs,
                        const sass::Program& program, const sass::Kernel& plain,
                        const sass::Kernel& finer) {
  WW_CHECK(try_inputs(inputs.workload));
  sass::Random drawn(flags.tune.seed);
  RandomCounts counts;
  for (int i = 0; i < flags.count; ++i) {
    const sass::Kernel& kernel = i % 2 == 0 ? finer : plain;
    const auto scheduled = kernel.apply(sass::random_schedule(kernel, drawn));
    counts.unmade += scheduled ? 0 : 1;
    if (!scheduled) continue;
    counts.moved += static_cast<double>(moved_in(*scheduled));
    if (flags.output.empty()) continue;
    WW_CHECK(make_directories(flags.output));
    WW_CHECK(write_file(flags.output + fmt::format("/schedule-{}.cubin", i),
                        program.bytes_with(*scheduled)));
  }
  print_counts(flags, plain, counts);
  return kOk;
}

/// Random legal schedules, each compared bit by bit with the kernel as it was built.
Result<int> random(const SassFlags& flags) {
  WW_TRY(const SassInputs inputs,
         sass_inputs(flags.task, flags.file, flags.output.empty() ? "schedules" : flags.output));
  WW_TRY(const auto program, program_of(flags, inputs.cubin));
  WW_TRY(const auto* function,
         reorder::function_named(program, flags.function.empty() ? inputs.kernel : flags.function));
  WW_TRY(auto table, table_for(flags, program.cubin().architecture()));
  // Every second order is one of the function with finer scoreboards, where it has any.
  const sass::Function finer_function = sass::with_finer_scoreboards(*function);
  const sass::Kernel plain(*function, table);
  const sass::Kernel finer(finer_function, std::move(table));
  if (flags.only_make) return make_random(flags, inputs, program, plain, finer);
  WW_TRY(auto canary, sass_canary(inputs, false));
  sass::Random drawn(flags.tune.seed);
  RandomCounts counts;
  for (int i = -1; i < flags.count; ++i) {
    const sass::Kernel& kernel = i % 2 == 0 ? finer : plain;
    const sass::Schedule schedule =
        i < 0 ? kernel.original() : sass::random_schedule(kernel, drawn);
    const auto scheduled = kernel.apply(schedule);
    counts.unmade += scheduled ? 0 : 1;
    if (!scheduled) continue;
    counts.moved += static_cast<double>(moved_in(*scheduled));
    const std::string cubin = program.bytes_with(*scheduled);
    // Sets change slowly: uploads take longer than runs.
    WW_TRY(const auto behaviour,
           canary.check(cubin, static_cast<std::uint64_t>((i + 1) / 25), i % 25 == 24 ? 4 : 2));
    counts.outputs += behaviour.outputs;
    using Kind = reorder::Behaviour::Kind;
    counts.same += behaviour.kind == Kind::same ? 1 : 0;
    counts.different += behaviour.kind == Kind::different ? 1 : 0;
    counts.faults += behaviour.kind == Kind::fault ? 1 : 0;
    if (behaviour.kind == Kind::same) continue;
    std::printf("schedule %d: %s\n", i, behaviour.why.c_str());
    if (!flags.output.empty())
      WW_CHECK(
          write_file(flags.output + fmt::format("/wrong-{}-{}.cubin", function->name, i), cubin));
    if (i >= 0 && flags.narrow > 0 && counts.narrowed++ < kMostNarrowed)
      WW_CHECK(narrow_down(flags, program, kernel, schedule, canary));
    std::fflush(stdout);
    if (counts.different + counts.faults >= kMostWrong) {
      std::printf("%d schedules went wrong; the rest is not run\n", kMostWrong);
      break;
    }
  }
  print_counts(flags, plain, counts);
  return counts.different + counts.faults == 0 ? kOk : kBad;
}

Result<int> tune(const SassFlags& flags) {
  const std::string folder = flags.output.empty() ? "tuned" : flags.output;
  SassTuning tuning{.function = flags.function,
                    .listing = flags.listing,
                    .table = flags.table,
                    .variants = !flags.no_variants,
                    .set_clocks = flags.clocks,
                    .options = flags.tune};
  WW_TRY(tuning.inputs, sass_inputs(flags.task, flags.file, folder));
  if (!flags.ptx.empty()) {
    WW_TRY(tuning.inputs.ptx, read_file(flags.ptx));
  }
  StopSignal stop;
  const InterruptGuard interrupts(stop);
  WW_TRY(const SassTuned tuned, tune_sass(tuning, stop));
  const reorder::Improvement& improvement = tuned.improvement;
  WW_CHECK(
      export_tuned(folder, tuning.inputs, improvement.cubin, tuned.report, tuned.architecture));
  if (flags.json) {
    std::fputs(tuned.report.c_str(), stdout);
    return kOk;
  }
  for (const reorder::VariantOutcome& each : improvement.variants)
    if (each.ratio)
      std::printf("  ptxas %s: %.3f of the time%s\n", each.flags.c_str(),
                  each.proof ? each.proof->figures.ratio : *each.ratio,
                  each.accepted() ? ", taken" : "");
  std::printf("%s: %s; %d schedules tried; see %s\n", improvement.kernel.c_str(),
              improvement.sentence().c_str(), improvement.schedule.search.tried, folder.c_str());
  return kOk;
}

using Run = Result<int> (*)(const SassFlags&);

void sets_action(CLI::App& verb, const std::shared_ptr<SassFlags>& flags, Action& action, Run run) {
  verb.callback([flags, &action, run] {
    action = [flags, run] {
      const auto code = run(*flags);
      return code.ok() ? *code : fail(code.error());
    };
  });
}

void add_common(CLI::App& verb, SassFlags& flags) {
  verb.add_option("--table", flags.table, "latencies, as `learn` writes them [the shipped ones]");
  verb.add_option("--listing", flags.listing,
                  "nvdisasm -c -plr -hex of the cubin, where nvdisasm is elsewhere");
}

void add_readers(CLI::App& sass, const std::shared_ptr<SassFlags>& flags, Action& action) {
  CLI::App* verb = sass.add_subcommand("show",
                                       "listing with stalls, scoreboards, live registers "
                                       "and issue cycles");
  verb->add_option("file", flags->file, "a cubin, or a run: its id, its beginning, or last")
      ->required();
  verb->add_option("candidate", flags->candidate,
                   "of the run: a trial, or best; built as the judge does");
  verb->add_flag("--tuned", flags->tuned, "the run's tuned machine code ([search] sass)");
  verb->add_option("--function", flags->function, "only this one");
#ifndef WARPWRIGHT_WORKER_ONLY
  add_archive_option(*verb, flags->archive);
#endif
  verb->add_flag("--json", flags->json, "as JSON (docs/sass.md)");
  add_common(*verb, *flags);
  verb->footer(
      "Examples:\n  warpwright sass show kernel.cubin --function gemm\n"
      "  warpwright sass show last best");
  sets_action(*verb, flags, action, show);

  verb = sass.add_subcommand("check", "hazards of a cubin; exit code 1 where there are any");
  verb->add_option("file", flags->file, "a cubin")->required();
  verb->add_option("--against", flags->against,
                   "the cubin as it was built: checks all orders, too");
  verb->add_flag("--json", flags->json, "as JSON (docs/sass.md)");
  add_common(*verb, *flags);
  verb->footer("Example:\n  warpwright sass check tuned.cubin --against kernel.cubin");
  sets_action(*verb, flags, action, check);

  verb = sass.add_subcommand("learn", "latencies of an architecture from cubins of ptxas");
  verb->add_option("files", flags->files, "cubins of one architecture")->required();
  verb->add_option("-o,--output", flags->output, "file to write [standard output]");
  verb->footer("Example:\n  warpwright sass learn build/*.cubin -o sm_90.txt");
  sets_action(*verb, flags, action, learn);
}

void add_runners(CLI::App& sass, const std::shared_ptr<SassFlags>& flags, Action& action) {
  CLI::App* verb = sass.add_subcommand("tune", "search a faster schedule, on a GPU");
  verb->add_option("task", flags->task, "a task, or a workload file (docs/sass.md)")->required();
  verb->add_option("file", flags->file, "a kernel's source, or its cubin")->required();
  verb->add_option("-o,--output", flags->output,
                   "folder for the tuned cubin and its proof [tuned]");
  verb->add_option("--function", flags->function, "the kernel to tune [the launched one]");
  verb->add_option("--strategy", flags->tune.strategy, "anneal or policy");
  verb->add_option("--seconds", flags->tune.search_s, "of searching");
  verb->add_option("--seed", flags->tune.seed, "of the search");
  verb->add_option("--ptx", flags->ptx,
                   "what the cubin was assembled from: other ptxas flags are tried first");
  verb->add_option("--variant-seconds", flags->tune.variants_s, "for those flags at most");
  verb->add_flag("--no-variants", flags->no_variants, "leave ptxas's flags as they are");
  verb->add_flag("--clocks", flags->clocks,
                 "compare at other clock rates, too, where the driver permits to set them");
  verb->add_option("--outputs", flags->tune.proof.outputs,
                   "to compare before a schedule is accepted");
  verb->add_option("--proof-seconds", flags->tune.proof.proof_s, "for that at most");
  verb->add_flag("--json", flags->json, "the report as JSON");
  add_common(*verb, *flags);
  verb->footer("Example:\n  warpwright sass tune gemm_f16 mine.cu -o tuned --seconds 120");
  sets_action(*verb, flags, action, tune);

  verb = sass.add_subcommand("random", "run random legal schedules and compare, on a GPU");
  verb->add_option("task", flags->task, "a task, or a workload file (docs/sass.md)")->required();
  verb->add_option("file", flags->file, "a kernel's source, or its cubin")->required();
  verb->add_option("--count", flags->count, "how many");
  verb->add_option("--seed", flags->tune.seed, "of the schedules");
  verb->add_option("--function", flags->function, "the kernel [the largest]");
  verb->add_option("-o,--output", flags->output,
                   "folder for what was built, and for schedules that went wrong");
  verb->add_option("--narrow", flags->narrow,
                   "runs to find which pair a wrong schedule must not change, 0 for none");
  verb->add_flag("--only-make", flags->only_make,
                 "make and check them without a GPU; the folder gets them all");
  verb->add_flag("--json", flags->json, "the counts as JSON");
  add_common(*verb, *flags);
  verb->footer("Example:\n  warpwright sass random hgemm.json hgemm.cubin --count 200");
  sets_action(*verb, flags, action, random);

  verb = sass.add_subcommand("canary", "the process that runs schedules (used by tune)");
  verb->group("");
  verb->add_option("workload", flags->task)->required();
  verb->add_option("file", flags->file)->required();
  verb->add_flag("--clocks", flags->clocks);
  verb->add_option("--device", flags->device);
  verb->callback([flags, &action] {
    action = [flags] {
      const auto device = chosen<DeviceName>(flags->device, "--device");
      if (!device.ok()) return fail(device.error());
      return reorder::serve_arena({flags->task, flags->file, task_inputs, flags->clocks, *device},
                                  STDIN_FILENO, STDOUT_FILENO);
    };
  });
}

}  // namespace

void add_sass(CLI::App& verb, Action& action) {
  const auto flags = std::make_shared<SassFlags>();
  verb.require_subcommand(1);
  add_readers(verb, flags, action);
  add_runners(verb, flags, action);
}

}  // namespace warpwright::cli
