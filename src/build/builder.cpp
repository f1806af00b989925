// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <random>

#include "base/embedded.h"
#include "base/files.h"
#include "base/sha256.h"
#include "base/text.h"
#include "build/cache.h"
#include "build/compiler.h"
#include "build/diagnostics.h"
#include "build/front_ends.h"
#include "build/libraries.h"
#include "build/resources.h"
#include "build/signature.h"
#include "ptx/prints.h"

namespace warpwright {
std::span<const EmbeddedFile> device_headers();
std::span<const EmbeddedFile> recorder_sources();
}  // namespace warpwright

namespace warpwright::build {

namespace fs = std::filesystem;

namespace {

// Raised when the meaning of a cached result changes.
constexpr std::string_view kCacheVersion = "10";

struct ScalarRow {
  ElementType type;
  std::string_view c_type;
};

constexpr ScalarRow kScalars[] = {
    {ElementType::f32, "float"},      {ElementType::f64, "double"},
    {ElementType::i32, "int"},        {ElementType::u32, "unsigned int"},
    {ElementType::i64, "long long"},  {ElementType::u8, "unsigned char"},
    {ElementType::i8, "signed char"},
};

std::string_view c_type_of(ElementType type) {
  for (const auto& row : kScalars) {
    if (row.type == type) return row.c_type;
  }
  return {};
}

/// The call of `solve`, in a translation unit of its own: nothing of the candidate's text can
/// change it. Each argument comes as one 8-byte word.
Result<std::string> call_source(const std::vector<SolveArgument>& arguments) {
  std::string types;
  std::string values;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto type = arguments[i].pointer ? "void*" : c_type_of(arguments[i].type);
    if (type.empty()) return Error{"solve cannot take half-precision scalars by value"};
    const std::string separator = i == 0 ? "" : ", ";
    types += separator + std::string(type);
    values += separator + "*(" + std::string(type) + "*)(void*)(words + " + std::to_string(i) + ")";
  }
  return "extern void solve(" + (types.empty() ? std::string("void") : types) +
         ");\n"
         "extern void ww_close_doors(void);\n"
         "__attribute__((visibility(\"default\"))) void ww_enter(void) { ww_close_doors(); }\n"
         "__attribute__((visibility(\"default\"))) void ww_call_solve(unsigned long long* words) "
         "{\n"
         "  (void)words;\n  solve(" +
         values + ");\n}\n";
}

/// Files under `from` in the repository, written under `to`.
Status unpack(std::span<const EmbeddedFile> files, std::string_view from, const fs::path& to) {
  for (const auto& file : files) {
    const auto at = file.path.find(from);
    if (at == std::string_view::npos) continue;
    const fs::path path = to / file.path.substr(at + from.size());
    WW_CHECK(make_directories(path.parent_path()));
    ::chmod(path.parent_path().c_str(), 0755);
    WW_CHECK(write_file(path, file.content));
    ::chmod(path.c_str(), 0644);
  }
  return {};
}

std::string digest_of(std::span<const EmbeddedFile> files) {
  std::string all;
  for (const auto& file : files) {
    all += std::string(file.path) + "\n" + std::to_string(file.content.size()) + "\n";
    all += file.content;
  }
  return sha256_hex(all);
}

/// A name like any other, another one for each build.
std::string drawn_file_name() {
  std::random_device entropy;
  std::string name;
  for (int i = 0; i < 8; ++i) name += static_cast<char>('a' + entropy() % 26);
  return name + ".cu";
}

const Compiler& compiler_of(const Toolchain& tools, FrontEnd front_end) {
  return front_end == FrontEnd::clang ? tools.clang : tools.nvcc;
}

std::string key_of(const Builder& builder, const BuildRequest& request, FrontEnd front_end,
                   const std::string& libraries) {
  const Toolchain& tools = builder.tools();
  std::string text;
  const auto add = [&text](std::string_view part) {
    text += std::to_string(part.size()) + ":" + std::string(part) + "\n";
  };
  add(kCacheVersion);
  add(request.source);
  add(request.signature);
  add(name_of(front_end));
  add(compiler_of(tools, front_end).version);
  add(tools.host.version);
  add(tools.ptxas.string());
  add(tools.nvdisasm.string());
  add(builder.digest());
  if (!libraries.empty()) add(libraries);
  if (!request.platform.empty())
    add(request.platform.filename().string() + " " + std::to_string(request.wavefront));
  add(std::to_string(request.target.compute_major * 10 + request.target.compute_minor));
  add(std::to_string(request.optimisation) + (request.fast_math ? "f" : "") +
      (request.fused ? "" : "u") + (request.assemble ? "a" : ""));
  for (const auto& argument : request.arguments) {
    add(argument.stream    ? "s"
        : argument.pointer ? "p"
                           : std::to_string(static_cast<int>(argument.type)));
  }
  return sha256_hex(text);
}

Status compile_recorder(const Builder& builder, FrontEnd front_end, const fs::path& folder) {
  const Toolchain& tools = builder.tools();
  WW_CHECK(unpack(recorder_sources(), "build/recorder/", folder));
  WW_CHECK(unpack(recorder_sources(), "simt/isa/", folder));
  const bool clang = front_end == FrontEnd::clang;
  const std::string include =
      clang ? builder.headers().string() : (tools.toolkit / "include").string();
  std::vector<std::string> compile = {(clang ? tools.clang : tools.host).path.string()};
  if (clang) compile.emplace_back("--driver-mode=g++");
  auto program = compile;
  compile.insert(compile.end(),
                 {"-std=c++17", "-O1", "-fPIC", "-shared", "-fvisibility=hidden", "-I" + include,
                  "all.cpp", "unsupported.cpp", "tensor_maps.cpp", "-o", "libcudart.so"});
  program.insert(program.end(),
                 {"program.cpp", "-o", "record", "-L.", "-l:libcudart.so", "-Wl,-rpath,$ORIGIN"});
  for (const auto& argv : {compile, program}) {
    sandbox::Request request{.argv = argv, .env = minimal_environment(), .cwd = folder};
    request.readable = tools.folders();
    request.readable.push_back(builder.headers());
    request.writable = {folder};
    // Our own, once per cache: on a busy machine it may take its time.
    request.limits.wall = std::chrono::minutes(10);
    WW_TRY(const ProcessExit exit, builder.sandbox().run(request));
    if (!exit.succeeded()) {
      return Error{"cannot compile the recorder with " + argv[0] + " (" + exit.describe() +
                   "): " + shortened(exit.err, 2000)};
    }
  }
  return {};
}

}  // namespace

std::vector<SolveArgument> solve_arguments(const Task& task) {
  std::vector<SolveArgument> result;
  for (const auto& argument : task.arguments) {
    result.push_back({argument.role != ArgumentRole::scalar, argument.type, false});
  }
  if (task.stream) result.push_back({true, ElementType::f32, true});
  return result;
}

int architecture(const DeviceFacts& target, int newest) {
  return std::min(target.compute_major * 10 + target.compute_minor, newest);
}

std::string architecture_name(const DeviceFacts& target, int arch) {
  constexpr int kFirstWithOwnFeatures = 90;
  const bool exact = arch == target.compute_major * 10 + target.compute_minor;
  return std::to_string(arch) + (exact && arch >= kFirstWithOwnFeatures ? "a" : "");
}

Result<fs::path> bench(const Workshop& shop, std::string_view name) {
  const fs::path folder = shop.folder / name;
  WW_CHECK(make_directories(folder));
  WW_CHECK(write_file(folder / kCandidateFile, shop.request.source));
  WW_CHECK(write_file(folder / kSignatureFile,
                      signature_header(shop.request.signature, shop.file_name)));
  return folder;
}

Result<ProcessExit> run_tool(const Workshop& shop, const fs::path& folder,
                             std::vector<std::string> argv) {
  sandbox::Request request;
  request.argv = std::move(argv);
  request.env = minimal_environment();
  request.cwd = folder;
  request.readable = shop.builder.tools().folders();
  request.readable.insert(request.readable.end(), {shop.builder.headers(), shop.recorder});
  if (!shop.precompiled.empty()) request.readable.push_back(shop.precompiled);
  for (const fs::path& library : shop.request.include) request.readable.push_back(library);
  if (!shop.request.platform.empty()) request.readable.push_back(shop.request.platform);
  request.writable = {folder};
  request.limits = shop.request.limits;
  return shop.builder.sandbox().run(request, shop.stop);
}

std::vector<std::string> link_arguments(const Workshop& shop) {
  return {"-shared",
          "-fPIC",
          "-w",
          "-x",
          "c",
          "call.c",
          "-x",
          "none",
          "host.o",
          "-o",
          "host.so",
          "-Wl,-init=ww_enter",
          "-Wl,--no-undefined",
          "-L" + shop.recorder.string(),
          "-l:libcudart.so",
          "-lstdc++"};
}

BuildOutcome failed_build(const ProcessExit& exit, std::string_view tool) {
  constexpr int kCpuLimit = 24;  // SIGXCPU
  BuildOutcome outcome;
  const bool late = exit.timed_out || exit.signal == kCpuLimit ||
                    exit.err.find("CPU time limit exceeded") != std::string::npos;
  outcome.verdict = late ? Verdict::timeout : Verdict::compile_error;
  outcome.diagnostics = parse_diagnostics(exit.err + "\n" + exit.out);
  const bool explained = !outcome.diagnostics.empty() && outcome.diagnostics[0].severity == "error";
  if (late) {
    outcome.reason = std::string(tool) + " did not finish within the time limit";
  } else if (explained) {
    outcome.reason = outcome.diagnostics[0].message;
  } else {
    outcome.reason = std::string(tool) + " failed: " + exit.describe();
    if (exit.signal != 0 || exit.err.find("memory") != std::string::npos) {
      outcome.reason += " (its memory or file limit may have been reached)";
    }
    outcome.diagnostics.insert(outcome.diagnostics.begin(), {"error", 0, 0, outcome.reason});
  }
  return outcome;
}

Status assemble(const Workshop& shop, const fs::path& folder, BuildOutcome& outcome) {
  const auto& tools = shop.builder.tools();
  if (tools.ptxas.empty() || !shop.request.assemble) return {};
  if (outcome.ptx.find("__nv_") != std::string::npos) return {};
  const DeviceFacts& target = shop.request.target;
  const std::string arch = "sm_" + architecture_name(target, architecture(target, 90));
  WW_TRY(const ProcessExit exit, run_tool(shop, folder,
                                          {tools.ptxas.string(), "-v", "-arch=" + arch,
                                           "device.ptx", "-o", "device.cubin"}));
  if (!exit.succeeded()) {
    BuildOutcome failure = failed_build(exit, "ptxas");
    failure.ptx = std::move(outcome.ptx);
    outcome = std::move(failure);
    return {};
  }
  outcome.resources = parse_resources(exit.err + "\n" + exit.out);
  WW_TRY(outcome.cubin, read_product(folder / "device.cubin"));
  return {};
}

namespace {

/// What a kernel prints is of no use to anybody, and the driver has crashed on it while calls
/// overlapped. All that is judged does without: what printf returns would tell one device from
/// another.
Status leave_out_prints(const Workshop& shop, BuildOutcome& outcome) {
  auto silent = ptx::without_prints(outcome.ptx);
  if (!silent) return {};
  outcome.diagnostics.push_back(
      {"note", 0, 0, "what it prints is left out, and takes no time here"});
  outcome.ptx = std::move(*silent);
  if (auto bounds = ptx::without_prints(outcome.bounds_ptx))
    outcome.bounds_ptx = std::move(*bounds);
  if (outcome.cubin.empty()) return {};
  WW_TRY(const fs::path folder, bench(shop, "silent"));
  WW_CHECK(write_file(folder / "device.ptx", outcome.ptx));
  outcome.cubin.clear();  // without ptxas the driver assembles the PTX
  return assemble(shop, folder, outcome);
}

/// Facts of the code that will run. Whatever the tool says or fails to say, the build stands.
Status disassemble(const Workshop& shop, BuildOutcome& outcome) {
  const fs::path& tool = shop.builder.tools().nvdisasm;
  if (tool.empty() || outcome.cubin.empty()) return {};
  WW_TRY(const fs::path folder, bench(shop, "sass"));
  WW_CHECK(write_file(folder / "device.cubin", outcome.cubin));
  WW_TRY(const ProcessExit exit, run_tool(shop, folder, {tool.string(), "-c", "device.cubin"}));
  if (exit.succeeded()) outcome.sass = ptx::sass_census(exit.out);
  return {};
}

}  // namespace

Result<Builder> Builder::create(sandbox::Sandbox sandbox, Toolchain tools, Options options) {
  Builder builder(sandbox, std::move(tools), std::move(options));
  WW_CHECK(make_directories(builder.options_.cache));
  std::error_code code;
  builder.options_.cache = fs::canonical(builder.options_.cache, code);
  if (code) return Error{"cannot use cache folder: " + code.message()};
  const auto headers = device_headers();
  builder.digest_ = sha256_hex(digest_of(headers) + digest_of(recorder_sources()));
  WW_TRY(builder.headers_,
         content_folder(
             builder.options_.cache / ("headers-" + digest_of(headers).substr(0, 16)),
             [&](const fs::path& partial) { return unpack(headers, "build/headers/", partial); }));
  return builder;
}

Result<fs::path> Builder::shared_folder(std::string_view name,
                                        const std::function<Status(const fs::path&)>& fill) const {
  return content_folder(options_.cache / name, fill);
}

Result<fs::path> Builder::recorder(FrontEnd front_end) const {
  const Compiler& compiler = front_end == FrontEnd::clang ? tools_.clang : tools_.host;
  const std::string key =
      sha256_hex(digest_ + compiler.version + std::string(name_of(front_end)) +
                 (front_end == FrontEnd::nvcc ? tools_.nvcc.version : std::string()));
  return shared_folder("recorder-" + key.substr(0, 16), [&](const fs::path& partial) {
    return compile_recorder(*this, front_end, partial);
  });
}

Result<BuildOutcome> Builder::build(const BuildRequest& request, const StopSignal* stop) const {
  const auto started = std::chrono::steady_clock::now();
  WW_TRY(const FrontEnd front_end, tools_.resolve(request.front_end));
  WW_TRY(const std::string libraries, describe_libraries(request.include));
  const fs::path cached = options_.cache / "builds" / key_of(*this, request, front_end, libraries);
  if (options_.use_cache) {
    if (auto outcome = load_outcome(cached)) {
      outcome->libraries = libraries;
      return std::move(*outcome);
    }
  }
  WW_TRY(const fs::path recorder_folder, recorder(front_end));
  WW_TRY(const TemporaryDirectory folder, TemporaryDirectory::create("warpwright-build-"));
  fs::permissions(folder.path(), fs::perms(0755));
  WW_TRY(const std::string call, call_source(request.arguments));
  const Workshop shop{*this,           request, front_end, folder.path(), call, drawn_file_name(),
                      recorder_folder, {},      stop};
  WW_TRY(BuildOutcome outcome,
         front_end == FrontEnd::clang ? build_with_clang(shop) : build_with_nvcc(shop));
  if (stop != nullptr && stop->requested()) return Error{"the build was stopped"};
  outcome.front_end = front_end;
  outcome.libraries = libraries;
  explain_signature(outcome.diagnostics, request.signature, request.source);
  if (outcome.verdict == Verdict::compile_error && !outcome.diagnostics.empty()) {
    outcome.reason = outcome.diagnostics[0].message;
  }
  if (outcome.verdict == Verdict::ok) {
    WW_CHECK(leave_out_prints(shop, outcome));
  }
  if (outcome.verdict == Verdict::ok) {
    WW_TRY(outcome.entries, ptx::entries_of(outcome.ptx));
    outcome.census = ptx::census_of(outcome.ptx, kCandidateFile);
    WW_CHECK(disassemble(shop, outcome));
  }
  outcome.wall_s =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  // A time-out may be the machine's fault; the next attempt deserves its own.
  if (options_.use_cache && outcome.verdict != Verdict::timeout) {
    WW_CHECK(store_outcome(cached, outcome));
  }
  return outcome;
}

}  // namespace warpwright::build
