// SPDX-License-Identifier: Apache-2.0
#include "fleet/card.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

#include "base/clock.h"
#include "core/json_reader.h"

namespace warpwright::fleet {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kCardBytes = 4096;
constexpr std::string_view kSuffix = ".json";
// Beats that may be missed before a pilot counts as dead.
constexpr double kBeatsPerStale = 6;
constexpr double kLongestBeatSeconds = 5;
// What changed is written sooner than that, for people who look.
constexpr std::chrono::duration<double> kNewsSeconds{0.5};

fs::path card_file(const fs::path& folder, const std::string& name) {
  return folder / (name + std::string(kSuffix));
}

std::map<std::string, PilotCard> cards_in(const fs::path& folder) {
  std::map<std::string, PilotCard> cards;
  std::error_code error;
  fs::directory_iterator at(folder, error);
  for (; !error && at != fs::directory_iterator(); at.increment(error)) {
    const auto text = read_file(at->path(), 2 * kCardBytes);
    if (!text.ok()) continue;
    auto card = card_from_json(*text);
    const std::string name = at->path().stem().string();
    if (card.ok() && card->name == name) cards[name] = std::move(*card);
  }
  return cards;
}

}  // namespace

std::string card_to_json(const PilotCard& card) {
  return dump_json({{"format", 1},
                    {"name", card.name},
                    {"host", card.host},
                    {"gpu", card.gpu},
                    {"batch", card.batch},
                    {"devices", card.devices},
                    {"pid", card.pid},
                    {"beat", card.beat},
                    {"started_ms", card.started_ms},
                    {"seen_ms", card.seen_ms},
                    {"judged", card.judged},
                    {"failed", card.failed},
                    {"busy_s", card.busy_s},
                    {"holding", card.holding},
                    {"state", card.state}});
}

Result<PilotCard> card_from_json(std::string_view text) {
  WW_TRY(const auto document, parse_json(text, "card"));
  JsonReader in(document, "card");
  PilotCard card;
  if (in.integer("format") != 1) in.fail("format", "is not 1: written by another version");
  card.name = in.text("name");
  card.host = in.text("host");
  card.gpu = in.text("gpu");
  card.batch = in.text("batch");
  card.devices = in.text("devices");
  card.pid = in.integer("pid");
  card.beat = in.integer("beat");
  card.started_ms = in.integer("started_ms", 0);
  card.seen_ms = in.integer("seen_ms", 0);
  card.judged = in.integer("judged", 0);
  card.failed = in.integer("failed", 0);
  card.busy_s = in.number("busy_s");
  card.holding = in.small_integer("holding");
  card.state = in.text("state");
  WW_CHECK(in.status());
  return card;
}

std::string gpu_key(std::string_view gpu) {
  std::string key = spool_name(gpu);
  std::transform(key.begin(), key.end(), key.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return key;
}

std::map<std::string, PilotCard> pilots_of(const Spool& spool) { return cards_in(spool.pilots()); }

std::map<std::string, PilotCard> former_pilots(const Spool& spool) {
  return cards_in(spool.gone_pilots());
}

Heartbeat::Heartbeat(const Spool& spool, PilotCard card, StopSignal& lost)
    : spool_(spool), lost_(lost), card_(std::move(card)) {}

Result<std::unique_ptr<Heartbeat>> Heartbeat::start(const Spool& spool, PilotCard card,
                                                    StopSignal& lost) {
  std::unique_ptr<Heartbeat> heart(new Heartbeat(spool, std::move(card), lost));
  const fs::path file = card_file(spool.pilots(), heart->card_.name);
  const FileDescriptor made(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!made.valid()) {
    return Error{"cannot write the pilot's card '" + file.string() + "': " + std::strerror(errno)};
  }
  WW_CHECK(heart->write());
  heart->thread_ = std::jthread(
      [heart = heart.get()](const std::stop_token& over) { heart->keep_writing(over); });
  return heart;
}

/// In place and never longer: room on a full disk is not asked for again, and a card that somebody
/// took away does not come back.
Status Heartbeat::write() {
  std::string text;
  fs::path file;
  {
    const std::lock_guard lock(mutex_);
    ++card_.beat;
    news_ = false;
    card_.seen_ms = SystemClock().unix_ms();
    text = card_to_json(card_);
    file = card_file(spool_.pilots(), card_.name);
  }
  text.resize(std::max(text.size(), kCardBytes - 1), ' ');
  text += '\n';
  const FileDescriptor card(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
  if (!card.valid() && errno == ENOENT) {
    return Error{"the pilot's card was taken away: its jobs went to others"};
  }
  // Anything else, such as a server that does not answer, may pass.
  if (card.valid()) static_cast<void>(::pwrite(card.get(), text.data(), text.size(), 0));
  return {};
}

void Heartbeat::keep_writing(const std::stop_token& over) {
  const std::chrono::duration<double> every(
      std::min(kLongestBeatSeconds, spool_.rules().stale_s / kBeatsPerStale));
  const auto glance = std::min<std::chrono::duration<double>>(every, kNewsSeconds);
  std::mutex sleeping;
  std::condition_variable_any wake;
  std::unique_lock hold(sleeping);
  auto written = std::chrono::steady_clock::now();
  while (!over.stop_requested()) {
    wake.wait_for(hold, over, glance, [] { return false; });
    if (over.stop_requested()) return;
    {
      const std::lock_guard lock(mutex_);
      if (!news_ && std::chrono::steady_clock::now() - written < every) continue;
    }
    if (!write().ok()) {
      lost_.request(StopReason::fault);
      return;
    }
    written = std::chrono::steady_clock::now();
  }
}

Heartbeat::~Heartbeat() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
  if (lost_.reason() == StopReason::fault) return;
  update([](PilotCard& card) { card.state = "ended"; });
  static_cast<void>(write());
  ::rename(card_file(spool_.pilots(), card_.name).c_str(),
           card_file(spool_.gone_pilots(), card_.name).c_str());
}

std::vector<std::string> Reaper::look() {
  std::vector<std::string> dead;
  const auto now = std::chrono::steady_clock::now();
  const auto alive = pilots_of(spool_);
  for (const auto& [name, card] : alive) {
    Seen& seen = seen_[name];
    if (seen.since.time_since_epoch().count() == 0 || seen.beat != card.beat) {
      seen = {card.beat, now};
    }
    if (std::chrono::duration<double>(now - seen.since).count() < spool_.rules().stale_s) continue;
    // Whoever moves the card is the one who declares it: from now on the pilot has no jobs.
    if (::rename(card_file(spool_.pilots(), name).c_str(),
                 card_file(spool_.gone_pilots(), name).c_str()) == 0) {
      dead.push_back(name);
    }
    seen_.erase(name);
  }
  std::erase_if(seen_, [&](const auto& entry) { return !alive.contains(entry.first); });
  // Also of pilots whose finder died halfway. A card that is being written may look like none: only
  // one that is really away counts.
  for (const std::string& name : spool_.pilots_with_jobs()) {
    std::error_code error;
    if (fs::exists(card_file(spool_.pilots(), name), error) || error) continue;
    spool_.release(name, "pilot " + name + " ended");
  }
  return dead;
}

}  // namespace warpwright::fleet
