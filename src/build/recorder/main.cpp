// SPDX-License-Identifier: Apache-2.0
// Recording itself.
//
//   record LIBRARY < JOB > REPORTS
//
// Three kinds of processes: the keeper has the job and the clock, and runs none of the candidate's
// code. Two nurseries know the device's facts and nothing of the calls; whenever the keeper asks,
// one becomes one more process that makes calls, most of them a single one. Such a process learns
// the arguments of a call, from the keeper, when the candidate's library has been loaded and the
// call before is done.
//
// JOB is written by the judge:
//   setup BYTES, then so many bytes of lines:
//     fact NAME NUMBER
//     device TEXT
//     kernel NAME MAX_THREADS REGISTERS STATIC_SHARED LOCAL PARAMETER_BYTES {OFFSET SIZE}...
//   run SEED {p BYTES | w HEX | s 0 | /}...  one word per argument of solve: a buffer, a scalar's
//   bits, or the caller's stream;
//                                      behind a / begins the next call of the same process
//
// REPORTS has for each run, in this order:
//   run STATUS READY HOST_NS REST_NS BYTES, then so many bytes (wire.h) and a line's end.
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "call.h"
#include "clocks.h"
#include "recorder.h"

using namespace ww_recorder;

namespace {

constexpr const char* kNursery = "-";

void read_kernel(std::istringstream& line) {
  Kernel kernel;
  line >> kernel.name >> kernel.max_threads >> kernel.registers >> kernel.static_shared >>
      kernel.local_bytes >> kernel.parameter_bytes;
  Kernel::Parameter parameter;
  while (line >> parameter.offset >> parameter.size) kernel.parameters.push_back(parameter);
  state().kernels[kernel.name] = kernel;
}

void read_setup(const std::string& setup) {
  std::istringstream lines(setup);
  std::string text;
  while (std::getline(lines, text)) {
    std::istringstream line(text);
    std::string word;
    line >> word;
    if (word == "fact") {
      std::string name;
      long long value = 0;
      line >> name >> value;
      state().facts[name] = value;
    } else if (word == "device") {
      state().device_name = text.substr(7);
    } else if (word == "kernel") {
      read_kernel(line);
    }
  }
}

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

/// What the keeper asks of the nursery: one more process, with two descriptors, or how the last one
/// ended.
struct Request {
  std::uint64_t seed = 0;
  std::uint32_t ended = 0;
};
struct Answer {
  std::int32_t process = -1;
  std::int32_t status = 0;
};

bool send_request(int socket, const Request& request, const int* descriptors) {
  iovec part{const_cast<Request*>(&request), sizeof request};
  alignas(cmsghdr) char control[CMSG_SPACE(2 * sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (descriptors != nullptr) {
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(2 * sizeof(int));
    std::memcpy(CMSG_DATA(head), descriptors, 2 * sizeof(int));
  }
  return ::sendmsg(socket, &message, 0) == static_cast<ssize_t>(sizeof request);
}

bool take_request(int socket, Request& request, int* descriptors) {
  iovec part{&request, sizeof request};
  alignas(cmsghdr) char control[CMSG_SPACE(2 * sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  if (::recvmsg(socket, &message, MSG_CMSG_CLOEXEC) != static_cast<ssize_t>(sizeof request)) {
    return false;
  }
  const cmsghdr* head = CMSG_FIRSTHDR(&message);
  if (head != nullptr && head->cmsg_type == SCM_RIGHTS) {
    std::memcpy(descriptors, CMSG_DATA(head), 2 * sizeof(int));
  }
  return true;
}

[[noreturn]] void run_nursery(int socket, const std::string& library) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::prctl(PR_SET_NAME, "main");
  forget_clocks();
  for (const int standard : {0, 1, 2}) ::close(standard);
  std::uint64_t bytes = 0;
  std::string setup;
  if (!read_exactly(socket, &bytes, sizeof bytes)) ::_exit(3);
  setup.resize(bytes);
  if (!read_exactly(socket, setup.data(), bytes)) ::_exit(3);
  read_setup(setup);
  Request request;
  int descriptors[2] = {-1, -1};
  pid_t process = -1;
  while (take_request(socket, request, descriptors)) {
    Answer answer;
    if (request.ended != 0) {
      while (::waitpid(process, &answer.status, 0) < 0 && errno == EINTR) {
      }
    } else {
      process = ::fork();
      if (process == 0) run_call(library.c_str(), descriptors[0], descriptors[1], request.seed);
      for (const int fd : descriptors) ::close(fd);
    }
    answer.process = process;
    if (!write_exactly(socket, {reinterpret_cast<const char*>(&answer), sizeof answer})) break;
  }
  ::_exit(0);
}

/// The processor time that a process has used, with all of its threads.
long long cpu_ns(pid_t process) {
  clockid_t clock = 0;
  timespec time{};
  // Not the C function: host code sees another time by that name (clocks.cpp).
  if (::clock_getcpuclockid(process, &clock) != 0) return 0;
  if (::syscall(SYS_clock_gettime, clock, &time) != 0) return 0;
  return static_cast<long long>(time.tv_sec) * 1000000000LL + time.tv_nsec;
}

/// The arguments of each call, as its process reads them.
std::vector<std::string> calls_of(std::istringstream& line) {
  std::vector<Wire> calls(1);
  std::vector<std::uint64_t> counts(1, 0);
  std::string kind, value;
  while (line >> kind) {
    if (kind == "/") {
      calls.emplace_back();
      counts.push_back(0);
      continue;
    }
    if (kind == "=") {
      calls.emplace_back();
      counts.push_back(kAgain);
      continue;
    }
    line >> value;
    const bool buffer = kind == "p";
    calls.back()
        .u64(buffer        ? kBufferWord
             : kind == "s" ? kStreamWord
                           : kScalarWord)
        .u64(std::strtoull(value.c_str(), nullptr, buffer ? 10 : 16));
    ++counts.back();
  }
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    texts.push_back(Wire().u64(counts[i]).raw(calls[i].bytes.data(), calls[i].bytes.size()).bytes);
  }
  return texts;
}

/// What came of one run.
struct Outcome {
  int status = 0;
  bool ready = false;
  long long host_ns = 0;  ///< of the call, up to its return
  long long rest_ns = 0;  ///< and after it, as long as the process lived
  std::string said;
};

/// Finds the ends of plans in what a process says.
class PlanCounter {
 public:
  /// How many plans are complete by now.
  std::size_t plans(std::string_view said) {
    while (at_ < said.size()) {
      const char message = said[at_];
      if (message != kPlan && message != kVerdict) {
        ++at_;
        continue;
      }
      std::uint64_t bytes = 0;
      if (said.size() - at_ < 1 + sizeof bytes) break;
      std::memcpy(&bytes, said.data() + at_ + 1, sizeof bytes);
      if (bytes > said.size() - at_ - 1 - sizeof bytes) break;
      at_ += 1 + sizeof bytes + bytes;
      if (message == kPlan) ++plans_;
    }
    return plans_;
  }

 private:
  std::size_t at_ = 0;
  std::size_t plans_ = 0;
};

/// Hears a call's process out. What it says is kept; when it says that it is ready or has returned,
/// its clock is read. It gets a call when it is done with the one before.
void listen(int from, int& to, pid_t process, const std::vector<std::string>& calls,
            Outcome& outcome) {
  constexpr std::size_t kMostBytes = std::size_t{128} << 20;
  static char piece[1 << 16];
  long long began = 0, returned = 0;
  bool told_return = false;
  std::size_t given = 0;
  PlanCounter counter;
  const auto give_calls = [&](std::size_t wanted) {
    for (; given < wanted && given < calls.size(); ++given) write_exactly(to, calls[given]);
    if (given < calls.size() || to < 0) return;
    ::close(to);
    to = -1;
  };
  while (true) {
    const ssize_t got = ::read(from, piece, sizeof piece);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0 || outcome.said.size() > kMostBytes) break;
    std::string_view text(piece, static_cast<std::size_t>(got));
    if (!outcome.ready && text.front() == kReady) {
      outcome.ready = true;
      text.remove_prefix(1);
      began = cpu_ns(process);
      give_calls(1);
    } else if (outcome.ready && !told_return && text.front() == kReturned) {
      told_return = true;
      returned = cpu_ns(process);
    }
    outcome.said.append(text);
    if (outcome.ready) give_calls(counter.plans(outcome.said) + 1);
  }
  const long long ended = cpu_ns(process);
  if (!outcome.ready) return;
  outcome.host_ns = (told_return ? returned : ended) - began;
  outcome.rest_ns = told_return ? ended - returned : 0;
}

bool run(const int (&nurseries)[2], std::istringstream& line, Outcome& outcome) {
  Request request;
  line >> request.seed;
  // Two recordings of a call have seeds of both kinds.
  const int nursery = nurseries[request.seed & 1];
  const std::vector<std::string> calls = calls_of(line);
  int to_call[2], from_call[2];
  if (::pipe2(to_call, O_CLOEXEC) != 0 || ::pipe2(from_call, O_CLOEXEC) != 0) return false;
  const int given[2] = {to_call[0], from_call[1]};
  Answer answer;
  const bool asked = send_request(nursery, request, given) &&
                     read_exactly(nursery, &answer, sizeof answer) && answer.process > 0;
  for (const int fd : given) ::close(fd);
  if (asked) listen(from_call[0], to_call[1], answer.process, calls, outcome);
  if (to_call[1] >= 0) ::close(to_call[1]);
  ::close(from_call[0]);
  if (!asked || !send_request(nursery, {0, 1}, nullptr)) return false;
  if (!read_exactly(nursery, &answer, sizeof answer)) return false;
  outcome.status = answer.status;
  return true;
}

std::string whole_input() {
  std::string text;
  char piece[1 << 14];
  for (ssize_t got = 0; (got = ::read(0, piece, sizeof piece)) != 0;) {
    if (got < 0 && errno != EINTR) break;
    if (got > 0) text.append(piece, static_cast<std::size_t>(got));
  }
  return text;
}

void report(const Outcome& outcome) {
  char head[160];
  const int size =
      std::snprintf(head, sizeof head, "run %d %d %lld %lld %zu\n", outcome.status,
                    outcome.ready ? 1 : 0, outcome.host_ns, outcome.rest_ns, outcome.said.size());
  write_exactly(1, {head, static_cast<std::size_t>(size)});
  write_exactly(1, outcome.said);
  write_exactly(1, "\n");
}

int keep(const int (&nurseries)[2]) {
  // A call that took so long and failed is not followed by others that do the same.
  constexpr long long kLongNs = 500'000'000;
  ::signal(SIGPIPE, SIG_IGN);
  std::istringstream job(whole_input());
  std::string word, text;
  std::uint64_t bytes = 0;
  if (!(job >> word >> bytes) || word != "setup") return 2;
  job.get();
  std::string setup(bytes, '\0');
  job.read(setup.data(), static_cast<std::streamsize>(bytes));
  Wire head;
  head.u64(bytes).raw(setup.data(), setup.size());
  for (const int nursery : nurseries) {
    if (!write_exactly(nursery, head.bytes)) return 3;
  }
  while (std::getline(job, text)) {
    std::istringstream line(text);
    line >> word;
    if (word != "run") continue;
    Outcome outcome;
    if (!run(nurseries, line, outcome)) return 3;
    report(outcome);
    if (outcome.status != 0 && outcome.host_ns > kLongNs) break;
  }
  return 0;
}

/// The words above the stack (the command line, the environment, the program's name) are gone, for
/// this process and all that come of it.
void forget_words(char** argv) {
  char* begin = argv[0];
  char* end = argv[0];
  for (char** word = argv; *word != nullptr; ++word) end = *word + std::strlen(*word);
  for (char** word = environ; *word != nullptr; ++word) end = *word + std::strlen(*word);
  // Behind them lies the path that was executed.
  auto* path = reinterpret_cast<char*>(::getauxval(AT_EXECFN));
  if (path != nullptr && path > begin) end = path + std::strlen(path);
  ::clearenv();
  std::memset(begin, 0, static_cast<std::size_t>(end - begin));
}

}  // namespace

namespace {

/// A process of its own from its first instruction on, with addresses of its own. It has the socket
/// as its descriptor 3, and nothing of the job.
int start_nursery(char** argv) {
  constexpr int kSocket = 3;
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return -1;
  const pid_t nursery = ::fork();
  if (nursery < 0) return -1;
  if (nursery == 0) {
    const int socket = ::fcntl(ends[1], F_DUPFD_CLOEXEC, 64);
    const int nowhere = ::open("/dev/null", O_RDWR);
    for (const int standard : {0, 1, 2}) ::dup2(nowhere, standard);
    ::dup2(socket, kSocket);
    char* const words[] = {argv[0], argv[1], const_cast<char*>(kNursery), nullptr};
    char* const nothing[] = {nullptr};
    ::execve(argv[0], words, nothing);
    ::_exit(3);
  }
  ::close(ends[1]);
  return ends[0];
}

/// This process and all that come of it take turns on one processor. A clock of a process that runs
/// on another processor lags on some systems: milliseconds of a call were missing. Who reads it
/// here has put that process off its processor.
void share_one_processor() {
  unsigned processor = 0;
  if (::syscall(SYS_getcpu, &processor, nullptr, nullptr) != 0 || processor >= CPU_SETSIZE) return;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(processor, &one);
  ::sched_setaffinity(0, sizeof one, &one);
}

}  // namespace

WW_API int ww_record_main(int argc, char** argv) {
  if (argc < 2 || argc > 3) return 2;
  // Nobody else of the same user looks into our memory or descriptors; calls' processes inherit it.
  ::prctl(PR_SET_DUMPABLE, 0);
  if (argc == 3) {
    const std::string library = argv[1];
    forget_words(argv);
    ::setenv("PATH", "/usr/bin:/bin", 1);
    run_nursery(3, library);
  }
  share_one_processor();
  // Before the job is read: nurseries must never have seen it.
  const int nurseries[] = {start_nursery(argv), start_nursery(argv)};
  if (nurseries[0] < 0 || nurseries[1] < 0) return 3;
  ::_exit(keep(nurseries));
}
