// SPDX-License-Identifier: Apache-2.0
#include "reorder/arena.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/clock.h"
#include "core/task.h"

namespace warpwright::reorder {

namespace {

constexpr double kRunLimitSeconds = 5;
constexpr int kQuickRuns = 5;
constexpr double kHopeless = 1.05;
constexpr std::uint64_t kDisturbedEvery = 4, kPausedEvery = 64, kRunsOfASet = 64;
constexpr double kLeastBusyUs = 200, kMostBusyUs = 20'000;

const Disturbance& alone() { return disturbances()[0]; }
const Disturbance& cold() { return disturbances()[1]; }

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Error own_results_differ(const Disturbance& disturbance) {
  return Error{"the kernel's own results differ between two runs (" +
               std::string(disturbance.name) + "): no schedule of it can be checked"};
}

std::span<const std::byte> bytes_of_text(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

}  // namespace

Result<std::unique_ptr<Arena>> Arena::open(device::Device& device, Workload workload,
                                           std::string cubin, std::string ptx,
                                           Surroundings surroundings) {
  std::unique_ptr<Arena> arena(
      new Arena(device, std::move(workload), std::move(ptx), std::move(surroundings)));
  if (!arena->surroundings_.inputs) arena->surroundings_.inputs = inputs_by_type(arena->workload_);
  WW_CHECK(arena->prepare(cubin));
  return arena;
}

Status Arena::prepare(const std::string& cubin) {
  original_cubin_ = cubin;
  WW_TRY(const auto loaded, device_.load({.ptx = ptx_, .cubin = cubin, .cubin_only = true}));
  if (loaded.fault) return Error{"the kernel as it was built: " + loaded.fault->message};
  module_ = loaded.module;
  places_.resize(workload_.cases.size());
  for (std::size_t c = 0; c < workload_.cases.size(); ++c)
    WW_CHECK(prepare_place(places_[c], workload_.cases[c]));
  for (Place& place : places_)
    for (const std::uint64_t set : {0, 1}) WW_CHECK(repeats_itself(place, set));
  return {};
}

Status Arena::prepare_place(Place& place, const WorkCase& item) {
  place.item = &item;
  for (const WorkBuffer& buffer : item.buffers) {
    device::Binding binding;
    if (buffer.count > 0) {
      const std::uint64_t bytes = buffer.count * bytes_of(buffer.type);
      WW_TRY(binding.buffer, device_.allocate(bytes, "argument"));
      if (buffer.role == WorkBuffer::Role::out) binding.before = device::Binding::Before::poison;
      if (buffer.role == WorkBuffer::Role::inout) {
        binding.before = device::Binding::Before::restore;
        WW_TRY(binding.pristine, device_.allocate(bytes, "pristine"));
      }
    }
    place.bindings.push_back(binding);
  }
  WW_TRY(place.original, device_.prepare(module_, item.plan, place.bindings));
  return {};
}

Status Arena::repeats_itself(Place& place, std::uint64_t set) {
  WW_TRY(const auto* first, expected(place, set));
  for (const Disturbance& disturbance : disturbances()) {
    WW_TRY(const auto again, digests_of(place, *place.original, disturbance));
    if (!again) return Error{"the kernel as it was built: " + fault_};
    if (*again != *first) return own_results_differ(disturbance);
  }
  return {};
}

Result<Arena::Candidate> Arena::load(const std::string& cubin, std::size_t cases) {
  Candidate candidate;
  WW_TRY(const auto loaded, device_.load({.ptx = ptx_, .cubin = cubin, .cubin_only = true}));
  if (loaded.fault) return Error{"the driver refuses a schedule: " + loaded.fault->message};
  candidate.module = loaded.module;
  for (std::size_t c = 0; c < cases; ++c) {
    Place& place = places_[c];
    WW_TRY(auto replay, device_.prepare_beside(*place.original, candidate.module, place.item->plan,
                                               place.bindings));
    candidate.replays.push_back(std::move(replay));
  }
  return candidate;
}

void Arena::drop(Candidate& candidate) {
  candidate.replays.clear();
  device_.unload(candidate.module);
}

Status Arena::fill(Place& place, std::uint64_t set) {
  if (place.filled == set) return {};
  for (std::size_t i = 0; i < place.item->buffers.size(); ++i) {
    const WorkBuffer& buffer = place.item->buffers[i];
    if (buffer.count == 0 || buffer.role == WorkBuffer::Role::out) continue;
    const auto& binding = place.bindings[i];
    const auto item = static_cast<std::size_t>(&place - places_.data());
    WW_TRY(const std::string bytes, surroundings_.inputs(item, i, set));
    WW_CHECK(device_.upload(binding.pristine >= 0 ? binding.pristine : binding.buffer,
                            bytes_of_text(bytes)));
  }
  place.filled = set;
  return {};
}

bool Arena::possible(const Disturbance& disturbance) const {
  return !disturbance.busy || surroundings_.other_work != nullptr;
}

Status Arena::disturb(const Place& place, const Disturbance& disturbance) {
  if (disturbance.pause_ms > 0)
    std::this_thread::sleep_for(std::chrono::milliseconds(disturbance.pause_ms));
  if (!disturbance.busy || surroundings_.other_work == nullptr) return {};
  // Longer than the kernel, which gets less of the GPU meanwhile.
  return surroundings_.other_work->begin(*disturbance.busy,
                                         std::clamp(4 * place.us, kLeastBusyUs, kMostBusyUs));
}

Result<std::optional<std::vector<std::uint64_t>>> Arena::digests_of(
    Place& place, device::Replay& replay, const Disturbance& disturbance,
    const std::vector<std::uint64_t>* trusted) {
  using Digests = std::vector<std::uint64_t>;
  WW_CHECK(disturb(place, disturbance));
  WW_TRY(
      const auto report,
      replay.run({.poison_seed = ++runs_, .timed = disturbance.cold, .limit_s = kRunLimitSeconds}));
  if (!report.faults.empty()) {
    fault_ = report.faults.front().message;
    return std::optional<Digests>();
  }
  if (disturbance.cold && !disturbance.busy) place.us = report.elapsed_us;
  Digests digests;
  // Inputs, too: a schedule that writes elsewhere is another one.
  for (std::size_t i = 0; i < place.bindings.size(); ++i) {
    if (place.bindings[i].buffer < 0) continue;
    if (trusted != nullptr && place.item->buffers[i].role == WorkBuffer::Role::in) {
      digests.push_back((*trusted)[digests.size()]);
      continue;
    }
    WW_TRY(const std::uint64_t digest, device_.digest(place.bindings[i].buffer, key_));
    digests.push_back(digest);
  }
  return std::optional<Digests>(std::move(digests));
}

Result<const std::vector<std::uint64_t>*> Arena::expected(Place& place, std::uint64_t set) {
  WW_CHECK(fill(place, set));
  const auto known = place.digests.find(set);
  if (known != place.digests.end()) return &known->second;
  WW_TRY(auto digests, digests_of(place, *place.original, alone()));
  if (!digests) return Error{"the kernel as it was built: " + fault_};
  return &place.digests.emplace(set, std::move(*digests)).first->second;
}

std::uint64_t Arena::outputs_of(const Place& place) const {
  std::uint64_t outputs = 0;
  for (const WorkBuffer& buffer : place.item->buffers)
    if (buffer.role != WorkBuffer::Role::in) outputs += buffer.count;
  return outputs;
}

Result<Behaviour> Arena::compare_at(Candidate& candidate, std::size_t at, std::uint64_t set,
                                    const Disturbance& disturbance, bool inputs_too) {
  Place& place = places_[at];
  WW_TRY(const auto* wanted, expected(place, set));
  WW_TRY(const auto got,
         digests_of(place, *candidate.replays[at], disturbance, inputs_too ? nullptr : wanted));
  if (!got) return Behaviour{Behaviour::Kind::fault, fault_};
  if (*got == *wanted) return Behaviour{.outputs = outputs_of(place)};
  WW_TRY(const auto again, digests_of(place, *place.original, disturbance));
  if (!again) return Error{"the kernel as it was built: " + fault_};
  if (*again != *wanted) return own_results_differ(disturbance);
  return Behaviour{Behaviour::Kind::different,
                   "case " + std::to_string(at) + ", input set " + std::to_string(set) + ", " +
                       std::string(disturbance.name),
                   outputs_of(place)};
}

Result<Behaviour> Arena::compare(Candidate& candidate, std::uint64_t set,
                                 const Disturbance& disturbance) {
  Behaviour all;
  for (std::size_t c = 0; c < places_.size() && all.kind == Behaviour::Kind::same; ++c) {
    const std::uint64_t before = all.outputs;
    WW_TRY(all, compare_at(candidate, c, set, disturbance));
    all.outputs += before;
  }
  return all;
}

Result<Behaviour> Arena::check(const std::string& cubin, std::uint64_t first, std::uint64_t count) {
  WW_TRY(Candidate candidate, load(cubin, places_.size()));
  Behaviour behaviour;
  for (std::uint64_t set = first; set < first + count && behaviour.kind == Behaviour::Kind::same;
       ++set) {
    const std::uint64_t before = behaviour.outputs;
    WW_TRY(behaviour, compare(candidate, set, set % 2 == 1 ? cold() : alone()));
    behaviour.outputs += before;
  }
  if (behaviour.kind != Behaviour::Kind::fault) drop(candidate);
  return behaviour;
}

Result<Behaviour> Arena::check_many(const std::string& cubin, std::uint64_t outputs,
                                    double limit_s) {
  WW_TRY(Candidate candidate, load(cubin, 1));
  const auto start = std::chrono::steady_clock::now();
  const auto all = disturbances();
  Behaviour behaviour;
  for (std::uint64_t run = 0; behaviour.kind == Behaviour::Kind::same &&
                              behaviour.outputs < outputs && seconds_since(start) < limit_s;
       ++run) {
    const std::uint64_t turn = run / kDisturbedEvery;
    const bool disturbed = run % kDisturbedEvery == 0;
    const Disturbance* met = disturbed ? &all[turn % all.size()] : &alone();
    // Pauses are long; where one is due most runs have a plain one.
    if (!possible(*met) || (met->pause_ms > 0 && turn / all.size() % kPausedEvery != 0))
      met = &alone();
    const std::uint64_t before = behaviour.outputs;
    // Sets change now and then: uploads are slow, and the digest of the original is kept. Of runs
    // that nothing disturbs inputs are not compared: 256 sets and every fourth run have shown that
    // they stay.
    WW_TRY(behaviour, compare_at(candidate, 0, run / kRunsOfASet % 16, *met, disturbed));
    behaviour.outputs += before;
  }
  if (behaviour.kind != Behaviour::Kind::fault) drop(candidate);
  return behaviour;
}

Result<std::optional<double>> Arena::timed_run(device::Replay& replay) {
  WW_TRY(const auto report,
         replay.run({.poison_seed = ++runs_, .timed = true, .limit_s = kRunLimitSeconds}));
  if (report.faults.empty()) return std::optional<double>(report.elapsed_us);
  fault_ = report.faults.front().message;
  return std::optional<double>();
}

Result<std::optional<double>> Arena::ratio_of(Candidate& candidate) {
  std::vector<double> own, original;
  for (int i = 0; i < kQuickRuns; ++i) {
    WW_TRY(const auto mine, timed_run(*candidate.replays.front()));
    if (!mine) return std::optional<double>();
    WW_TRY(const auto theirs, timed_run(*places_.front().original));
    if (!theirs) return std::optional<double>();
    own.push_back(*mine);
    original.push_back(*theirs);
    // What is far slower after two runs will not be faster after five.
    if (i == 1 && own[0] > kHopeless * original[0] && own[1] > kHopeless * original[1]) break;
  }
  return std::optional<double>(profile::median(own) / profile::median(original));
}

Result<std::optional<double>> Arena::trial(const std::string& cubin, std::uint64_t set) {
  WW_TRY(Candidate candidate, load(cubin, places_.size()));
  WW_TRY(const Behaviour behaviour, compare(candidate, set, cold()));
  std::optional<double> ratio;
  if (behaviour.kind == Behaviour::Kind::same) {
    WW_TRY(ratio, ratio_of(candidate));
  }
  if (fault_.empty()) drop(candidate);
  return ratio;
}

Result<double> Arena::original_us() {
  WW_CHECK(fill(places_.front(), 0));
  std::vector<double> times;
  for (int i = 0; i < 4 * kQuickRuns; ++i) {
    WW_TRY(const auto us, timed_run(*places_.front().original));
    if (!us) return Error{"the kernel as it was built: " + fault_};
    times.push_back(*us);
  }
  return profile::median(times);
}

Result<profile::PairedTiming> Arena::paired(const std::string& cubin, double limit_s,
                                            const std::string& rival) {
  // Where code lies shows in short times: both are compared at several places.
  constexpr std::size_t kPlaces = 8;
  WW_CHECK(fill(places_.front(), 0));
  std::vector<Candidate> candidates, originals;
  for (std::size_t i = 0; i < kPlaces; ++i) {
    WW_TRY(auto one, load(cubin, 1));
    candidates.push_back(std::move(one));
    WW_TRY(auto other, load(rival.empty() ? original_cubin_ : rival, 1));
    originals.push_back(std::move(other));
  }
  const auto timed = [&](Candidate& which) -> Result<double> {
    WW_TRY(const auto us, timed_run(*which.replays.front()));
    if (!us) return Error{"a fault while it was timed: " + fault_};
    return *us;
  };
  profile::PairTimingOptions options;
  options.stop = {.min_quads = 48, .max_quads = 600, .max_s = limit_s, .half_width = 0.001};
  options.pairs.confidence = 0.95;
  options.pairs.places = kPlaces;
  auto timing = profile::gather_paired(
      [&](std::uint64_t quad) { return timed(candidates[quad % kPlaces]); },
      [&](std::uint64_t quad) { return timed(originals[quad % kPlaces]); }, options, SystemClock());
  if (!fault_.empty()) return Error{"a fault while it was timed: " + fault_};
  for (auto& each : candidates) drop(each);
  for (auto& each : originals) drop(each);
  return timing;
}

}  // namespace warpwright::reorder
