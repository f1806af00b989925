// SPDX-License-Identifier: Apache-2.0
#include "fleet/spool.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "core/json_reader.h"
#include "evaluate/mailbox.h"
#include "evaluate/runner_pool.h"

namespace warpwright::fleet {

namespace fs = std::filesystem;
using evaluate::JobDirectory;

namespace {

constexpr const char* kRulesFile = "rules.json";
constexpr const char* kNew = "new";
constexpr const char* kTaken = "taken";
constexpr const char* kDone = "done";
constexpr const char* kAside = "failed";
constexpr const char* kDeaths = "deaths";
constexpr char kBetween = '~';
constexpr double kLongestStale = 24 * 3600.0;

bool present(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

/// Names in a folder, without the hidden ones; none where it is not there.
std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  fs::directory_iterator at(folder, error);
  for (; !error && at != fs::directory_iterator(); at.increment(error)) {
    std::string name = at->path().filename().string();
    if (!name.starts_with('.')) names.push_back(std::move(name));
  }
  return names;
}

/// A file server may say no to a rename that it has made, when it was asked twice.
bool moved(const fs::path& from, const fs::path& to) {
  if (::rename(from.c_str(), to.c_str()) == 0) return true;
  return errno == ENOENT && !present(from) && present(to);
}

/// Another user's folder could hold anything, and one that others may enter can be changed by them.
Status check_owner(const fs::path& folder) {
  struct stat facts {};
  const std::string name = "'" + folder.string() + "'";
  if (::lstat(folder.c_str(), &facts) != 0) {
    return Error{"cannot look at the spool " + name + ": " + std::strerror(errno)};
  }
  if (!S_ISDIR(facts.st_mode)) return Error{"the spool " + name + " is not a folder"};
  if (facts.st_uid != ::geteuid()) {
    return Error{"the spool " + name + " belongs to user " + std::to_string(facts.st_uid) +
                 ", and this process is user " + std::to_string(::geteuid()) +
                 "; use a spool of your own"};
  }
  if ((facts.st_mode & 077) != 0) {
    return Error{"the spool " + name + " may be entered by others; chmod 700 it, or use another"};
  }
  return {};
}

std::optional<Waiting> place_of(const std::string& name) {
  const auto cut = name.find(kBetween);
  if (cut == std::string::npos || cut == 0 || cut + 1 == name.size()) return std::nullopt;
  return Waiting{name.substr(0, cut), name.substr(cut + 1)};
}

/// What an earlier judge left beside the inputs would be in the way of the next.
void strip(const fs::path& job) {
  for (const std::string& name : names_in(job)) {
    if (name == "request.json" || name == "candidate.cu" || name == "rival.cu" || name == kDeaths) {
      continue;
    }
    std::error_code ignored;
    fs::remove_all(job / name, ignored);
  }
}

/// One line for each death; how many there are now. None where that cannot be written.
int note_death(const fs::path& job, std::string_view why) {
  const FileDescriptor file(
      ::open((job / kDeaths).c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  std::string line(why.substr(0, 400));
  std::replace(line.begin(), line.end(), '\n', ' ');
  line += '\n';
  if (!file.valid() || ::write(file.get(), line.data(), line.size()) < 0) return 0;
  const auto text = read_file(job / kDeaths);
  return text.ok() ? static_cast<int>(std::count(text->begin(), text->end(), '\n')) : 0;
}

/// Nobody waits for a job whose queue was forgotten, or that has a result already.
void drop_if_unwanted(const fs::path& taken, const JobDirectory& done) {
  std::error_code ignored;
  if (done.has_result() || !present(done.path().parent_path())) fs::remove_all(taken, ignored);
}

Status make_private(const fs::path& folder) {
  if (::mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST) return {};
  return Error{"cannot make the folder '" + folder.string() + "': " + std::strerror(errno)};
}

/// The first one counts. The draft's name is this thread's alone on all machines: in containers
/// process numbers are the same everywhere.
Status write_rules(const fs::path& folder, const SpoolRules& rules) {
  std::string draft = (folder / ".rules.XXXXXX").string();
  const FileDescriptor file(::mkstemp(draft.data()));
  const std::string text = rules_to_json(rules);
  const bool written = file.valid() && ::write(file.get(), text.data(), text.size()) ==
                                           static_cast<ssize_t>(text.size());
  const bool linked =
      written && ::fsync(file.get()) == 0 &&
      (::link(draft.c_str(), (folder / kRulesFile).c_str()) == 0 || errno == EEXIST);
  const int why = errno;
  if (file.valid()) ::unlink(draft.c_str());
  if (linked) return {};
  return Error{"cannot make the spool '" + folder.string() + "': " + std::strerror(why)};
}

}  // namespace

std::string spool_name(std::string_view text) {
  std::string name;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '.' || c == '_' || c == '-';
    name += plain ? c : '-';
  }
  if (name.empty() || name.front() == '.') name.insert(name.begin(), '_');
  return name.substr(0, 100);
}

std::string job_name(std::string_view gpu_key, const evaluate::JobRequest& request, int repeat) {
  return std::string(gpu_key) + kBetween + spool_name(evaluate::mailbox_job_name(request, repeat));
}

bool suits(std::string_view job, std::string_view gpu_key) {
  const auto wanted = job.substr(0, job.find(kBetween));
  return wanted == kAnyGpu || wanted == gpu_key;
}

std::string rules_to_json(const SpoolRules& rules) {
  return dump_json({{"format", 1}, {"stale_s", rules.stale_s}, {"deaths", rules.deaths}}, 1) + "\n";
}

Result<SpoolRules> rules_from_json(std::string_view text) {
  WW_TRY(const auto document, parse_json(text, kRulesFile));
  JsonReader in(document, kRulesFile);
  SpoolRules rules;
  if (in.integer("format") != 1) in.fail("format", "is not 1: written by another version");
  rules.stale_s = in.number("stale_s");
  if (!(rules.stale_s > 0) || rules.stale_s > kLongestStale) {
    in.fail("stale_s", "is not between 0 and 86400");
  }
  rules.deaths = static_cast<int>(in.integer("deaths", 1, 100));
  WW_CHECK(in.status());
  return rules;
}

Result<Spool> Spool::create(const fs::path& given, const SpoolRules& rules) {
  const fs::path folder = absolute_path(given);
  if (folder.has_parent_path()) WW_CHECK(make_directories(folder.parent_path()));
  WW_CHECK(make_private(folder));
  WW_CHECK(check_owner(folder));
  if (!present(folder / kRulesFile)) {
    const auto others = names_in(folder);
    const auto ours = {kNew, kTaken, kDone, kAside, "pilots", "gone", "log"};
    for (const auto& name : others) {
      if (name == kRulesFile) continue;  // another process makes the same spool right now
      if (std::find(ours.begin(), ours.end(), name) != ours.end()) continue;
      return Error{"'" + folder.string() + "' is no spool and holds other things ('" + name +
                   "'); name a new folder"};
    }
    for (const char* part : ours) WW_CHECK(make_private(folder / part));
    WW_CHECK(write_rules(folder, rules));
  }
  return open(folder);
}

Result<Spool> Spool::open(const fs::path& given) {
  const fs::path folder = absolute_path(given);
  WW_CHECK(check_owner(folder));
  WW_TRY(const std::string text, read_file(folder / kRulesFile, 4096));
  WW_TRY(const SpoolRules rules, rules_from_json(text));
  return Spool(folder, rules);
}

fs::path Spool::new_job(const std::string& queue, const std::string& job) const {
  return folder_ / kNew / queue / job;
}

fs::path Spool::taken_job(const std::string& pilot, const Waiting& waiting) const {
  return folder_ / kTaken / pilot / (waiting.queue + kBetween + waiting.job);
}

JobDirectory Spool::done_job(const std::string& queue, const std::string& job) const {
  return JobDirectory(folder_ / kDone / queue / job);
}

bool Spool::knows(const std::string& queue, const std::string& job) const {
  // A job moves from new over taken to done, and back to new: looked for along its way, so that one
  // that moves on meanwhile is met. One that was sent back meanwhile is met in the second round.
  for (int round = 0; round < 2; ++round) {
    if (present(new_job(queue, job))) return true;
    for (const std::string& pilot : pilots_with_jobs()) {
      if (present(taken_job(pilot, {queue, job}))) return true;
    }
    if (present(done_job(queue, job).path())) return true;
  }
  return false;
}

Status Spool::submit(const std::string& queue, const std::string& job,
                     const evaluate::JobRequest& request) const {
  WW_CHECK(make_private(folder_ / kNew / queue));
  WW_CHECK(make_private(folder_ / kDone / queue));
  if (knows(queue, job)) return {};
  std::string place = (folder_ / kNew / ("." + spool_name(job) + ".XXXXXX")).string();
  if (::mkdtemp(place.data()) == nullptr) {
    return Error{"cannot make a folder in " + folder_.string() + ": " + std::strerror(errno)};
  }
  const fs::path draft(place);
  std::error_code ignored;
  if (const Status written = JobDirectory(draft).write_request(request); !written.ok()) {
    fs::remove_all(draft, ignored);
    return written.error();
  }
  if (moved(draft, new_job(queue, job))) return {};
  const std::string why = std::strerror(errno);
  fs::remove_all(draft, ignored);
  if (knows(queue, job)) return {};  // another process was quicker
  return Error{"cannot leave the job " + new_job(queue, job).string() + ": " + why};
}

std::vector<std::string> Spool::queues() const { return names_in(folder_ / kNew); }

std::vector<std::string> Spool::waiting(const std::string& queue) const {
  return names_in(folder_ / kNew / queue);
}

std::vector<std::string> Spool::done(const std::string& queue) const {
  return names_in(folder_ / kDone / queue);
}

std::size_t Spool::waiting_count() const {
  std::size_t count = 0;
  for (const auto& queue : queues()) count += waiting(queue).size();
  return count;
}

Status Spool::enrol(const std::string& pilot) const {
  return make_private(folder_ / kTaken / pilot);
}

void Spool::leave(const std::string& pilot) const {
  ::rmdir((folder_ / kTaken / pilot).c_str());  // only an empty one goes
}

std::optional<JobDirectory> Spool::take(const std::string& pilot, const Waiting& waiting) const {
  const fs::path place = taken_job(pilot, waiting);
  if (!moved(new_job(waiting.queue, waiting.job), place)) return std::nullopt;
  strip(place);
  return JobDirectory(place);
}

bool Spool::finish(const std::string& pilot, const Waiting& waiting) const {
  const JobDirectory done = done_job(waiting.queue, waiting.job);
  if (moved(taken_job(pilot, waiting), done.path())) return true;
  drop_if_unwanted(taken_job(pilot, waiting), done);
  return false;
}

bool Spool::give_back(const std::string& pilot, const Waiting& waiting,
                      std::string_view death) const {
  const JobDirectory job(taken_job(pilot, waiting));
  if (job.has_result()) return finish(pilot, waiting);
  if (!death.empty() && note_death(job.path(), death) >= rules_.deaths) {
    const auto deaths = read_file(job.path() / kDeaths);
    const auto verdict = evaluate::verdict_without_result(
        std::to_string(rules_.deaths) +
        " pilots ended while they judged it: " + (deaths.ok() ? *deaths : ""));
    // Where that cannot be written the job waits once more.
    if (job.write_result(verdict).ok()) return finish(pilot, waiting);
  }
  if (moved(job.path(), new_job(waiting.queue, waiting.job))) return true;
  drop_if_unwanted(job.path(), done_job(waiting.queue, waiting.job));
  return false;
}

std::vector<std::string> Spool::pilots_with_jobs() const { return names_in(folder_ / kTaken); }

std::vector<Waiting> Spool::taken(const std::string& pilot) const {
  std::vector<Waiting> jobs;
  for (const auto& name : names_in(folder_ / kTaken / pilot)) {
    if (const auto place = place_of(name)) jobs.push_back(*place);
  }
  return jobs;
}

void Spool::release(const std::string& pilot, std::string_view death) const {
  for (const Waiting& waiting : taken(pilot)) give_back(pilot, waiting, death);
  leave(pilot);
}

void Spool::put_aside(const std::string& queue, const std::string& job) const {
  for (int i = 1;; ++i) {
    const fs::path place = folder_ / kAside / (queue + kBetween + job + "." + std::to_string(i));
    if (present(place)) continue;
    static_cast<void>(moved(done_job(queue, job).path(), place));
    return;
  }
}

void Spool::forget(const std::string& queue) const {
  std::error_code ignored;
  // Away first, so that no pilot takes from a folder that is being emptied.
  const fs::path grave = folder_ / kNew / ("." + queue + ".old");
  if (moved(folder_ / kNew / queue, grave)) fs::remove_all(grave, ignored);
  fs::remove_all(folder_ / kDone / queue, ignored);
}

int Spool::tidy(double older_than_s) const {
  int removed = 0;
  const auto now = fs::file_time_type::clock::now();
  const auto old = [&](const fs::path& path) {
    std::error_code error;
    const auto written = fs::last_write_time(path, error);
    return !error && std::chrono::duration<double>(now - written).count() > older_than_s;
  };
  const auto sweep = [&](const fs::path& folder) {
    for (const auto& name : names_in(folder)) {
      std::error_code ignored;
      if (old(folder / name) && fs::remove_all(folder / name, ignored) > 0) ++removed;
    }
  };
  for (const auto& queue : names_in(folder_ / kDone)) {
    sweep(folder_ / kDone / queue);
    if (!present(folder_ / kNew / queue)) ::rmdir((folder_ / kDone / queue).c_str());
  }
  sweep(folder_ / kAside);
  sweep(gone_pilots());
  sweep(logs());
  return removed;
}

}  // namespace warpwright::fleet
