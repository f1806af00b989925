// SPDX-License-Identifier: Apache-2.0
#include "simt/native/compiler.h"

#include <dlfcn.h>

#include <utility>

#include "base/files.h"
#include "base/process.h"

namespace warpwright::simt {
namespace {

Result<std::string> find_clang() {
  for (const char* name : {"clang-19", "clang-20", "clang-18", "clang"})
    if (const auto path = find_program(name); path.ok()) return path->string();
  return Error{"the compiled mode needs clang, and there is none in PATH"};
}

}  // namespace

NativeLibrary::NativeLibrary(NativeLibrary&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)) {}

NativeLibrary& NativeLibrary::operator=(NativeLibrary&& other) noexcept {
  std::swap(handle_, other.handle_);
  return *this;
}

NativeLibrary::~NativeLibrary() {
  if (handle_ != nullptr) dlclose(handle_);
}

void* NativeLibrary::symbol(const char* name) const { return dlsym(handle_, name); }

Result<NativeLibrary> compile_native(const std::string& source) {
  static const Result<std::string> clang = find_clang();
  if (!clang.ok()) return clang.error();
  WW_TRY(const TemporaryDirectory folder, TemporaryDirectory::create("warpwright-simt-"));
  const std::string from = folder.path() / "kernel.c", to = folder.path() / "kernel.so";
  WW_CHECK(write_file(from, source));
  Command command;
  // Exactness: no contraction, IEEE arithmetic as written, integers that wrap.
  command.argv = {*clang,
                  "-x",
                  "c",
                  "-std=gnu11",
                  "-O2",
                  "-march=native",
                  "-w",
                  "-ffp-contract=off",
                  "-fwrapv",
                  "-fno-math-errno",
                  "-fno-strict-aliasing",
                  "-fPIC",
                  "-shared",
                  "-nostdlib",
                  "-o",
                  to,
                  from};
#ifdef __aarch64__
  // Nothing is linked to the library that could hold them.
  command.argv.insert(command.argv.begin() + 1, "-mno-outline-atomics");
#endif
  command.env = minimal_environment();
  command.env.push_back("TMPDIR=" + folder.path().string());
  command.cwd = folder.path();
  command.limits.wall = std::chrono::seconds(30);
  command.limits.cpu_s = 30;
  command.limits.address_space_bytes = std::uint64_t{4} << 30;
  WW_TRY(const ProcessExit exit, run_process(command));
  if (!exit.succeeded())
    return Error{"clang could not compile a kernel: " + exit.describe() + "\n" +
                 exit.err.substr(0, 2000)};
  void* handle = dlopen(to.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return Error{std::string("cannot load a compiled kernel: ") + dlerror()};
  return NativeLibrary(handle);
}

}  // namespace warpwright::simt
