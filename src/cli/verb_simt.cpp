// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "cli/exit_codes.h"
#include "cli/verbs.h"
#include "core/json_reader.h"
#include "device/simt_report_json.h"
#include "simt/standalone.h"

namespace warpwright::cli {

namespace {

using Json = nlohmann::json;

struct SimtFlags {
  std::string file;
  std::vector<std::pair<std::string, std::string>> options;  ///< as given, in order
  std::vector<std::string> dumps;                            ///< [NAME=]FILE
  bool list = false, json = false;
};

Json list_json(const simt::Module& module) {
  Json kernels = Json::array();
  for (const simt::KernelFacts& k : module.kernels()) {
    Json params = Json::array();
    for (const simt::ParamFacts& p : k.params)
      params.push_back({{"bytes", p.size_bytes}, {"offset", p.offset}, {"align", p.align}});
    kernels.push_back({{"name", k.name},
                       {"params", params},
                       {"instructions", k.instructions},
                       {"registers", k.registers},
                       {"static_shared_bytes", k.static_shared_bytes},
                       {"local_bytes", k.local_bytes},
                       {"max_threads", k.max_threads}});
  }
  Json refused = Json::array();
  for (const auto& [name, why] : module.refused())
    refused.push_back({{"name", name}, {"reason", why}});
  return {{"format", 1}, {"target", module.target()}, {"kernels", kernels}, {"refused", refused}};
}

Result<Json> result_json(const simt::StandaloneResult& result, const simt::StandaloneRun& run) {
  Json document = {{"format", 1}, {"kernel", result.kernel}, {"buffers", Json::object()}};
  document["launch"] = Json::parse(device::launch_report_json(result.report));
  for (const simt::PrintRequest& request : run.prints) {
    WW_TRY(const std::string text, simt::printed_buffer(result, request));
    document["buffers"][request.name] = text.substr(text.find('=') + 2);
  }
  return document;
}

/// NAME=FILE, or FILE for the last buffer.
Status dump(const simt::StandaloneResult& result, const std::string& wanted) {
  const std::size_t equals = wanted.find('=');
  const std::string name = equals == std::string::npos ? "" : wanted.substr(0, equals);
  const std::string path = equals == std::string::npos ? wanted : wanted.substr(equals + 1);
  const simt::StandaloneBuffer* found = nullptr;
  for (const auto& buffer : result.buffers)
    if (name.empty() || buffer.name == name) found = &buffer;
  if (found == nullptr) return Error{"--dump: there is no buffer \"" + name + "\""};
  return write_file(path,
                    {reinterpret_cast<const char*>(found->bytes.data()), found->bytes.size()});
}

Result<int> run_file(const SimtFlags& flags) {
  WW_TRY(const std::string ptx, read_file(flags.file, std::size_t{64} << 20));
  const auto module = simt::load(ptx);
  if (!module.ok()) return Error{flags.file + ": " + module.error().message};
  if (flags.list) {
    std::fputs(flags.json ? (dump_json(list_json(*module), 2) + "\n").c_str()
                          : simt::describe_kernels(*module).c_str(),
               stdout);
    return static_cast<int>(kOk);
  }
  simt::StandaloneRun run;
  for (const auto& [name, value] : flags.options) WW_CHECK(simt::set_option(run, name, value));
  WW_TRY(const auto result, simt::run_standalone(*module, run));
  for (const std::string& wanted : flags.dumps) WW_CHECK(dump(result, wanted));
  std::string text;
  if (flags.json) {
    WW_TRY(const Json document, result_json(result, run));
    text = dump_json(document, 2) + "\n";
  } else {
    WW_TRY(text, simt::standalone_text(result, run));
  }
  std::fputs(text.c_str(), stdout);
  return static_cast<int>(result.report.clean() ? kOk : kBad);
}

struct OptionHelp {
  const char* name;
  const char* help;
};

constexpr OptionHelp kOptions[] = {
    {"kernel", "name in the PTX or in the source [the only one]"},
    {"grid", "X,Y,Z [1]"},
    {"block", "X,Y,Z [1]"},
    {"shared", "bytes of dynamic shared memory [0]"},
    {"arg",
     "an argument, in order: f32:1.5, i32:7, [NAME=]buf:f32:1024:iota (or zero, iota,FIRST,STEP, "
     "fill,V, random,SEED, none, freed, V,V,...), [NAME=]buf:f32:@FILE, hex:BYTES"},
    {"print", "NAME[:COUNT] or NAME:FIRST:COUNT: a buffer's elements after the launch"},
    {"checks", "full, fast or off [full]"},
    {"engine", "auto, interpreted or compiled: the results are the same [auto]"},
    {"schedule",
     "forward, backward, shuffled[:SEED] or few[:RESIDENT[:SEED]]: who runs when [forward]"},
    {"threads", "host threads [1: the same result every time]"},
    {"budget", "warp instructions after which it is a hang"},
    {"seconds", "wall time after which it is a hang"},
};

}  // namespace

void add_simt(CLI::App& verb, Action& action) {
  const auto flags = std::make_shared<SimtFlags>();
  verb.add_option("file", flags->file, "a PTX file")->required();
  for (const OptionHelp& row : kOptions) {
    const auto take = [flags,
                       name = std::string(row.name)](const std::vector<std::string>& values) {
      for (const std::string& value : values) flags->options.emplace_back(name, value);
    };
    verb.add_option_function<std::vector<std::string>>(std::string("--") + row.name, take, row.help)
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  }
  verb.add_flag_callback(
      "--cooperative", [flags] { flags->options.emplace_back("cooperative", ""); },
      "all blocks resident at once");
  verb.add_option("--dump", flags->dumps, "[NAME=]FILE: a buffer's bytes after the launch")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  verb.add_flag("--list", flags->list, "only list the file's kernels");
  verb.add_flag("--json", flags->json, "reports and counts as JSON (docs/formats.md)");
  verb.callback([flags, &action] {
    action = [flags] {
      const auto code = run_file(*flags);
      return code.ok() ? *code : fail(code.error());
    };
  });
}

}  // namespace warpwright::cli
