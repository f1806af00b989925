// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "base/files.h"
#include "base/swept_folder.h"
#include "base/text.h"
#include "cli/exit_codes.h"
#include "cli/options.h"
#include "cli/session.h"
#include "cli/task_named.h"
#include "cli/verbs.h"
#include "core/json_reader.h"
#include "suite/load.h"
#include "tune/tuning.h"

namespace warpwright::cli {

namespace {

using nlohmann::json;
using tune::Space;
using tune::Tried;
using tune::Tuning;

struct TuneFlags {
  std::string task, file, out, table;
  std::size_t budget = 64;
  std::uint64_t seed = 1;
  bool all = false, json = false, quiet = false;
  std::shared_ptr<SettingFlags> settings;
};

json values_json(const Space& space, const tune::Point& point) {
  json values = json::object();
  for (std::size_t i = 0; i < point.size(); ++i) {
    const auto& parameter = space.parameters()[i];
    values[parameter.name] = parameter.values[point[i]];
  }
  return values;
}

json tried_json(const Space& space, const Tried& tried) {
  json object = {{"values", values_json(space, tried.point)},
                 {"verdict", name_of(tried.evaluation.verdict)}};
  if (!tried.evaluation.valid()) object["reason"] = tried.evaluation.reason;
  if (const auto us = score_us(tried.evaluation); us && tried.evaluation.valid()) {
    object["score_us"] = *us;
  }
  object["sizes"] = json::array();
  for (const Measurement& m : tried.evaluation.measurements) {
    object["sizes"].push_back({{"size", m.size},
                               {"us", call_us(m)},
                               {"low_us", m.low_us},
                               {"high_us", m.high_us},
                               {"floor_us", m.floor_us}});
  }
  return object;
}

double us_at(const Tried& tried, const std::string& size) {
  for (const Measurement& m : tried.evaluation.measurements) {
    if (m.size == size) return call_us(m);
  }
  return 0;
}

json space_json(const Space& space) {
  json parameters = json::array();
  for (const auto& p : space.parameters()) {
    parameters.push_back({{"name", p.name}, {"values", p.values}, {"given", p.values[p.given]}});
  }
  return {{"parameters", parameters},
          {"constraints", space.constraints()},
          {"points", space.points().size()}};
}

json tuning_json(const TuneFlags& flags, const Space& space, const Tuning& tuning) {
  json document = {{"format", 1},
                   {"task", flags.task},
                   {"file", flags.file},
                   {"out", flags.out},
                   {"device", tuning.given().evaluation.device},
                   {"times", tuning.estimated ? "estimated" : "measured"},
                   {"space", space_json(space)},
                   {"budget", flags.budget},
                   {"evaluations", tuning.evaluations},
                   {"changed", tuning.changed},
                   {"speedup", gain_of(tuning)},
                   {"given", tried_json(space, tuning.given())},
                   {"best", tried_json(space, tuning.best)},
                   {"per_size", json::array()},
                   {"tried", json::array()}};
  for (const Measurement& m : tuning.best.evaluation.measurements) {
    const Tried* best = tuning.best_at(m.size);
    if (best == nullptr) continue;
    document["per_size"].push_back({{"size", m.size},
                                    {"values", values_json(space, best->point)},
                                    {"us", us_at(*best, m.size)},
                                    {"best_us", call_us(m)},
                                    {"given_us", us_at(tuning.given(), m.size)}});
  }
  for (const Tried& tried : tuning.tried) document["tried"].push_back(tried_json(space, tried));
  if (const auto& comparison = tuning.comparison) {
    document["comparison"] = {{"order", name_of(comparison->order)},
                              {"ratio", comparison->ratio.value},
                              {"low", comparison->ratio.low},
                              {"high", comparison->ratio.high}};
  }
  return document;
}

/// One line per configuration, for programs that look at the whole space.
std::string table_text(const Space& space, const Tuning& tuning) {
  std::string text;
  for (const auto& parameter : space.parameters()) text += parameter.name + "\t";
  text += "verdict\tscore_us\n";
  for (const Tried& tried : tuning.tried) {
    for (std::size_t i = 0; i < tried.point.size(); ++i) {
      text += space.parameters()[i].values[tried.point[i]] + "\t";
    }
    const auto us = tried.evaluation.valid() ? score_us(tried.evaluation) : std::nullopt;
    text += fmt::format("{}\t{}\n", name_of(tried.evaluation.verdict),
                        us ? fmt::format("{:.4f}", *us) : "");
  }
  return text;
}

void print_tuning(const TuneFlags& flags, const Space& space, const Tuning& tuning) {
  const char* times = tuning.estimated ? "estimates of the SIMT machine, not measured" : "measured";
  std::printf("%zu configurations, %zu judged, %zu judgements on %s (times are %s)\n",
              space.points().size(), tuning.tried.size(), tuning.evaluations,
              tuning.given().evaluation.device.c_str(), times);
  const auto line = [&](const char* name, const Tried& tried) {
    const auto us = score_us(tried.evaluation);
    std::printf("%-6s %s: %s\n", name, space.text_of(tried.point).c_str(),
                tried.evaluation.valid() && us
                    ? fmt::format("{:.3f} us", *us).c_str()
                    : std::string(name_of(tried.evaluation.verdict)).c_str());
  };
  line("given", tuning.given());
  line("best", tuning.best);
  if (!tuning.changed) {
    std::printf("Nothing was shown to be faster than the file as given.\n");
  } else if (tuning.given().evaluation.valid()) {
    std::printf("%.3f times as fast as given", gain_of(tuning));
    if (tuning.comparison) {
      std::printf(" (95 %%: %.3f to %.3f, timed in turns)", 1 / tuning.comparison->ratio.high,
                  1 / tuning.comparison->ratio.low);
    }
    std::printf("\n");
  }
  for (const Measurement& m : tuning.best.evaluation.measurements) {
    const Tried* own = tuning.best_at(m.size);
    if (own == nullptr) continue;
    std::printf("  %-24s given %10.3f  best %10.3f  own best %10.3f  %s\n", m.size.c_str(),
                us_at(tuning.given(), m.size), call_us(m), us_at(*own, m.size),
                space.text_of(own->point).c_str());
  }
  std::printf("Written: %s\n", flags.out.c_str());
}

std::string beside(const std::string& file) {
  std::filesystem::path path(file);
  return path.replace_extension(".tuned.cu").string();
}

Result<int> tune_file(TuneFlags flags) {
  WW_TRY(const Settings settings, settings_from(*flags.settings));
  WW_TRY(const Task task, task_named(flags.task));
  WW_TRY(const std::string source, read_file(flags.file, std::size_t{1} << 20));
  auto space = Space::parse(source);
  if (!space.ok()) return Error{flags.file + ": " + space.error().message};
  if (space->parameters().empty()) {
    return Error{flags.file +
                 " declares nothing to tune; write, for example, '// tune: TILE = 16, 32, 64' "
                 "beside the definition of TILE (docs/search.md)"};
  }
  if (flags.out.empty()) flags.out = beside(flags.file);
  WW_TRY(const SweptFolder jobs, SweptFolder::create("warpwright-tune-"));
  WW_TRY(auto pattern, job_pattern(settings, task));
  pattern.cache = jobs.path() / "cache";
  WW_TRY(const auto evaluator,
         make_evaluator(settings, {.jobs = jobs.path() / "jobs", .pattern = pattern}));
  StopSignal stop;
  const InterruptGuard interrupts(stop);
  tune::TuningOptions options{.budget = flags.budget, .seed = flags.seed, .all = flags.all};
  std::size_t count = 0;
  if (!flags.json && !flags.quiet) {
    options.on_tried = [&](const Tried& tried) {
      const auto us = score_us(tried.evaluation);
      std::fprintf(stderr, "%4zu  %-40s %s\n", ++count, space->text_of(tried.point).c_str(),
                   tried.evaluation.valid() && us
                       ? fmt::format("{:.3f} us", *us).c_str()
                       : std::string(name_of(tried.evaluation.verdict)).c_str());
    };
  }
  WW_TRY(const Tuning tuning, tune::tune(*space, *evaluator, options, stop));
  if (!flags.table.empty()) WW_CHECK(write_file(flags.table, table_text(*space, tuning)));
  const bool valid = tuning.best.evaluation.valid();
  if (valid) WW_CHECK(write_file(flags.out, space->filled(tuning.best.point)));
  if (!valid) flags.out.clear();
  if (flags.json) {
    std::printf("%s\n", dump_json(tuning_json(flags, *space, tuning), 1).c_str());
  } else if (valid) {
    print_tuning(flags, *space, tuning);
  } else {
    std::printf("No configuration is valid. The file as given: %s: %s\n",
                std::string(name_of(tuning.given().evaluation.verdict)).c_str(),
                tuning.given().evaluation.reason.c_str());
  }
  return static_cast<int>(valid ? kOk : kBad);
}

}  // namespace

void add_tune(CLI::App& verb, Action& action) {
  const auto flags = std::make_shared<TuneFlags>();
  verb.add_option("task", flags->task, "a built-in task's name or a task folder")->required();
  verb.add_option("file", flags->file, "a kernel with '// tune: NAME = VALUE, VALUE' comments")
      ->required();
  verb.add_option("--budget", flags->budget, "most judgements [64]")->check(CLI::Range(1, 1000000));
  verb.add_option("-o,--out", flags->out, "where the best one is written [FILE.tuned.cu]");
  verb.add_option("--seed", flags->seed, "of what is drawn [1]");
  verb.add_flag("--all", flags->all, "judge every configuration once");
  verb.add_option("--table", flags->table, "write each configuration and its time (TSV)");
  verb.add_flag("--json", flags->json, "the whole result as JSON (docs/search.md)");
  verb.add_flag("-q,--quiet", flags->quiet, "no line per configuration");
  flags->settings = add_setting_flags(verb, {"judge.", "torch."});
  verb.callback([flags, &action] {
    action = [flags] {
      const auto code = tune_file(*flags);
      return code.ok() ? *code : fail(code.error());
    };
  });
}

}  // namespace warpwright::cli
