// SPDX-License-Identifier: Apache-2.0
// One call of solve, in a process of its own.
#include "call.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "clocks.h"
#include "doors.h"
#include "recorder.h"
#include "walls.h"

namespace ww_recorder {

namespace {

using CallSolve = void (*)(const std::uint64_t* words);

/// The instruction that faulted, as if it were a call's return address.
const void* faulting_place(void* context) {
  const auto* machine = &static_cast<ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return reinterpret_cast<const void*>(machine->gregs[REG_RIP] + 1);
#elif defined(__aarch64__)
  return reinterpret_cast<const void*>(machine->pc + 1);
#else
  return nullptr;
#endif
}

void on_fault(int number, siginfo_t* info, void* context) {
  const bool device = (number == SIGSEGV || number == SIGBUS) && is_device(info->si_addr);
  const void* place = faulting_place(context);
  if (device) {
    give_up(WireVerdict::host_error, "solve reads or writes device memory from host code", place);
  }
  give_up(WireVerdict::host_error,
          std::string("solve crashed on the host: ") + (number == SIGSEGV   ? "segmentation fault"
                                                        : number == SIGABRT ? "abort"
                                                        : number == SIGFPE
                                                            ? "division by zero or bad arithmetic"
                                                            : "fatal signal"),
          place);
}

void catch_faults() {
  static char stack[1 << 16];
  stack_t alternative{};
  alternative.ss_sp = stack;
  alternative.ss_size = sizeof stack;
  ::sigaltstack(&alternative, nullptr);
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND;
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
    ::sigaction(number, &action, nullptr);
  }
}

/// The two descriptors that the call needs, out of the way of what programs expect to find, and
/// nothing else that is open.
void keep_descriptors(int in, int out) {
  constexpr int kOutOfTheWay = 100;
  const int nowhere = ::open("/dev/null", O_RDWR);
  state().in_fd = ::fcntl(in, F_DUPFD_CLOEXEC, kOutOfTheWay);
  state().out_fd = ::fcntl(out, F_DUPFD_CLOEXEC, kOutOfTheWay);
  for (const int standard : {0, 1, 2}) ::dup2(nowhere, standard);
  const auto close_between = [](int first, int last) {
    if (::syscall(436 /* close_range */, first, last, 0) == 0) return;
    for (int fd = first; fd <= last && fd < 1024; ++fd) ::close(fd);
  };
  close_between(3, kOutOfTheWay - 1);
  close_between(kOutOfTheWay + 2, 1 << 20);
}

bool read_all(void* data, std::size_t size) {
  auto* to = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t got = ::read(state().in_fd, to, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    to += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

/// The call: for each argument whether it is a buffer, and its size or bits. False after the last.
bool read_arguments(std::vector<std::uint64_t>& words) {
  std::uint64_t count = 0;
  if (!read_all(&count, sizeof count)) return false;
  begin_call(count == kAgain);
  if (count == kAgain) return true;
  if (count > 4096) ::_exit(3);
  words.clear();
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint64_t pair[2];
    if (!read_all(pair, sizeof pair)) ::_exit(3);
    if (pair[0] == kStreamWord) {
      pair[1] = reinterpret_cast<std::uintptr_t>(&state().streams.new_caller());
    } else if (pair[0] == kBufferWord) {
      Buffer buffer;
      buffer.kind = WireBuffer::argument;
      buffer.argument = static_cast<std::uint32_t>(i);
      buffer.bytes = pair[1];
      add_buffer(std::move(buffer));
      pair[1] = state().buffers.back().address;
    }
    words.push_back(pair[1]);
  }
  return true;
}

void exit_is_an_error() {
  if (state().called) {
    give_up(WireVerdict::host_error, "solve ended the program instead of returning", nullptr);
  }
  give_up(WireVerdict::host_error, "the host part ended the program when it was loaded", nullptr);
}

/// What earlier functions left on the stack would show in the padding of a kernel's parameters.
__attribute__((noinline)) void clear_stack() {
  volatile char below[1 << 16];
  for (std::size_t i = 0; i < sizeof below; ++i) below[i] = 0;
}

/// The first use of a page costs a fault, and the call's time is measured: what the recorder will
/// need is used once before.
void warm_up() {
  clear_stack();
  Streams streams;
  AddressSpace space(1);
  for (int i = 0; i < 4; ++i) {
    Wire step;
    step.u8(0).u64(space.place(64)).block(std::string(200, ' '));
    streams.queue(streams.default_stream(), step.bytes);
    streams.queue_of_host(i % 2 == 0, step.bytes);
  }
  void* pages = std::malloc(std::size_t{64} << 10);
  std::memset(pages, 0, std::size_t{64} << 10);
  std::free(pages);
}

/// Room to print into is found beforehand: the C library would ask the system what it prints to.
void prepare_to_print() {
  static char out[1 << 12], errors[1 << 12];
  std::setvbuf(stdout, out, _IOFBF, sizeof out);
  std::setvbuf(stderr, errors, _IOLBF, sizeof errors);
}

/// Whether one more call fits what a report may hold.
bool has_room() {
  std::uint64_t bytes = 0;
  for (const Buffer& buffer : state().buffers) bytes += buffer.bytes;
  return state().buffers.size() < kMaxBuffers / 2 && bytes < AddressSpace::kWindowBytes / 8;
}

}  // namespace

void run_call(const char* library_path, int in, int out, std::uint64_t seed) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  keep_descriptors(in, out);
  state().space = std::make_unique<AddressSpace>(seed);
  set_clock(seed);
  state().takes_its_time = (seed & 1) != 0;
  catch_faults();
  watch_doors();
  prepare_to_print();
  std::atexit(exit_is_an_error);
  if (!put_up_walls()) ::_exit(3);
  void* library = ::dlopen(library_path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    give_up(WireVerdict::host_error, std::string("the host part cannot be loaded: ") + ::dlerror(),
            nullptr);
  }
  const auto solve = reinterpret_cast<CallSolve>(::dlsym(library, "ww_call_solve"));
  if (solve == nullptr || !doors_are_closed()) {
    give_up(WireVerdict::host_error, "the host part has no solve, or another way in", nullptr);
  }
  warm_up();
  say(kReady);
  std::vector<std::uint64_t> words;
  while (has_room() && read_arguments(words)) {
    state().called = true;
    clear_stack();
    solve(words.data());
    say(kReturned);
    if (state().streams.capturing()) {
      give_up(WireVerdict::host_error, "solve returned with an open stream capture", nullptr);
    }
    if (const char* wrong = state().streams.objection(state().first_step)) {
      give_up(WireVerdict::host_error, wrong, state().last_launch_caller);
    }
    report_plan();
  }
  ::_exit(0);
}

}  // namespace ww_recorder

/// The C library's asks for the number of its process first.
WW_API void abort(void) noexcept {
  ww_recorder::give_up(ww_recorder::WireVerdict::host_error, "solve crashed on the host: abort",
                       WW_CALLER);
}
