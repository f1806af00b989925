// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "runtime.h"

namespace ww_flops {

namespace {

bool read_exactly(int fd, void* data, std::size_t size) {
  auto* to = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t got = ::read(fd, to, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    to += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

bool write_exactly(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

void read_facts(std::string_view text) {
  std::istringstream lines{std::string(text)};
  std::string line;
  while (std::getline(lines, line)) {
    const std::size_t space = line.find(' ');
    if (space == std::string::npos) continue;
    const std::string name = line.substr(0, space);
    if (name == "device") {
      state().device_name = line.substr(space + 1);
    } else {
      state().facts[name] = std::atoll(line.c_str() + space + 1);
    }
  }
}

/// A C function of the system, by its path in the folder; not through the C library's own names,
/// which watch for files that are missing (files.cpp).
int open_in(const char* folder, const char* name, int flags) {
  const std::string path = std::string(folder) + "/" + name;
  return ::openat(AT_FDCWD, path.c_str(), flags | O_CLOEXEC);
}

/// Before any of the program's code runs.
__attribute__((constructor)) void connect() {
  const char* folder = std::getenv(kFolderVariable);
  if (folder == nullptr) {
    std::fputs("this program only runs under `warpwright flops`\n", stderr);
    ::_exit(kMissing);
  }
  State& s = state();
  s.ask_fd = open_in(folder, kAskName, O_WRONLY);
  s.answer_fd = open_in(folder, kAnswerName, O_RDONLY);
  const int memory = open_in(folder, kMemoryName, O_RDWR);
  std::string answer;
  if (s.ask_fd < 0 || s.answer_fd < 0 || memory < 0 || ask(Ask::hello, Packer(), &answer) != 0) {
    std::fprintf(stderr, "cannot reach the SIMT machine: error %d\n", errno);
    ::_exit(kMissing);
  }
  Unpacker unpack(answer);
  s.arena_bytes = unpack.u64();
  read_facts(unpack.text());
  void* const wanted = reinterpret_cast<void*>(kArenaBase);
  void* const got = ::mmap(wanted, s.arena_bytes, PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, memory, 0);
  if (got != wanted) ::_exit(kNoRoom);
  ::close(memory);
  ::unsetenv(kFolderVariable);
}

}  // namespace

State& state() {
  static auto* const only = new State;  // lives as long as anything that may call us
  return *only;
}

long long fact(std::string_view name) {
  const auto it = state().facts.find(name);
  return it == state().facts.end() ? 0 : it->second;
}

std::int32_t ask(Ask kind, const Packer& question, std::string* answer) {
  State& s = state();
  const std::lock_guard<std::recursive_mutex> lock(s.busy);
  const AskHead head{static_cast<std::uint32_t>(kind),
                     static_cast<std::uint32_t>(question.bytes.size())};
  Packer all;
  all.raw(&head, sizeof head).raw(question.bytes.data(), question.bytes.size());
  AnswerHead back;
  if (question.bytes.size() > kMostBytes || !write_exactly(s.ask_fd, all.bytes) ||
      !read_exactly(s.answer_fd, &back, sizeof back)) {
    ::_exit(3);
  }
  std::string bytes(back.bytes, '\0');
  if (!read_exactly(s.answer_fd, bytes.data(), bytes.size())) ::_exit(3);
  if (answer != nullptr) *answer = std::move(bytes);
  return back.error;
}

void note_missing(std::string_view what) {
  if (what.size() > 1024) what = what.substr(0, 1024);
  ask(Ask::missing, Packer().text(what));
}

void missing_call(const char* api) {
  note_missing("call " + std::string(api));
  std::fflush(nullptr);
  ::_exit(kMissing);
}

cudaError_t failed(cudaError_t error) {
  if (error != cudaSuccess) state().last_error = error;
  return error;
}

bool is_device(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer) - kArenaBase < state().arena_bytes;
}

cudaError_t perform(std::function<void()> step) {
  const std::lock_guard<std::recursive_mutex> lock(state().busy);
  if (state().capture != nullptr) {
    state().capture->steps.push_back(std::move(step));
  } else {
    step();
  }
  return cudaSuccess;
}

}  // namespace ww_flops

extern "C" [[noreturn]] void ww_missing_call(const char* api) { ww_flops::missing_call(api); }
