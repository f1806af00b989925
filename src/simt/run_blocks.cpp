// SPDX-License-Identifier: Apache-2.0
#include "simt/run_blocks.h"

#include <algorithm>
#include <memory>
#include <thread>
#include <tuple>
#include <utility>

#include "simt/checks/order.h"
#include "simt/native/native.h"

namespace warpwright::simt {
namespace {

constexpr std::uint64_t kMaxResidentBytes = std::uint64_t{8} << 30;
/// Blocks that a schedule other than forward lets run at one time. A GPU holds thousands.
constexpr std::uint64_t kMostInTurns = 4096;
constexpr std::uint64_t kAtOnce = 6;  ///< that a shuffled schedule starts with
/// Rounds in which every block of a sample only waits, before that counts as waiting for ever.
constexpr std::uint32_t kIdleRounds = 64;

/// What a block of a cooperative launch takes on the host, all of them at once: shared memory comes
/// with what the checks know of it, five times its size.
std::uint64_t resident_bytes(const Kernel& k, const Launch& l) {
  const std::uint64_t warps = (l.block.count() + kLanes - 1) / kLanes;
  const std::uint64_t shared = std::uint64_t{k.static_shared_bytes} + l.dynamic_shared_bytes;
  return sizeof(BlockState) + k.constant_bytes + 6 * shared +
         warps * (sizeof(Warp) + k.register_bytes + kLanes * std::uint64_t{k.local_bytes});
}

/// Blocks [first, second) for a thread that has none; none are left when they are past the end.
/// Neighbours touch the same lines of the machine's own tables, and threads that write to one line
/// in turns are slower than one alone: so many at a time, fewer towards the end. Blocks that may
/// wait for earlier ones are taken singly: those run at the same time then.
std::pair<std::size_t, std::size_t> take_blocks(LaunchState& s, std::size_t threads) {
  constexpr std::size_t kMost = 64, kTurns = 4;
  if (s.kernel->may_wait_for_blocks) {
    const std::size_t next = s.next_block.fetch_add(1, std::memory_order_relaxed);
    return {next, next + 1};
  }
  std::size_t next = s.next_block.load(std::memory_order_relaxed), end = next;
  do {
    if (next >= s.block_count) return {next, next};
    end = next + std::clamp<std::size_t>((s.block_count - next) / (kTurns * threads), 1, kMost);
  } while (!s.next_block.compare_exchange_weak(next, end, std::memory_order_relaxed));
  return {next, end};
}

void run_independent(LaunchState& s, Worker& worker) {
  BlockState b;
  std::size_t next = 0, end = 0;
  while (!s.stop.load(std::memory_order_relaxed)) {
    if (next == end) std::tie(next, end) = take_blocks(s, s.threads);
    if (next >= s.block_count) return;
    // Between two blocks is where a worker changes over to compiled code.
    if (const NativeCode* code = s.native.load(std::memory_order_acquire);
        code != nullptr && worker.native == nullptr) {
      prepare_native(worker, *code);
      b = BlockState{};
    }
    start_block(worker, b, s.rank(next));
    run_block(worker, b);
    ++next;
    if (s.tier_up != nullptr) s.tier_up->consider(worker, next);
  }
}

/// Blocks in turns until all have ended, or wait for each other.
void run_together(LaunchState& s, Worker& worker, std::vector<BlockState>& blocks) {
  std::vector<bool> done(blocks.size(), false);
  std::size_t left = blocks.size();
  Turns turns(s.launch->options.schedule);
  while (left > 0 && !s.stop.load(std::memory_order_relaxed)) {
    bool progress = false;
    for (const std::uint32_t i : turns.order(blocks.size())) {
      if (done[i]) continue;
      done[i] = run_block(worker, blocks[i]);
      progress = progress || blocks[i].progressed;
      left -= done[i] ? 1 : 0;
      // A launch that is stopped has not ended: its blocks say nothing of when they would.
      if (s.stop.load(std::memory_order_relaxed)) return;
      if (done[i] && blocks[i].cluster != nullptr) end_in_cluster(blocks[i]);
      // Threads that have exited no longer count.
      if (blocks[i].cluster != nullptr) try_release_cluster(*blocks[i].cluster);
    }
    if (progress || left == 0 || !s.clustered) continue;
    for (BlockState& b : blocks) report_cluster_deadlock(b);
    return;
  }
}

/// The rank in the grid of block `k` of a cluster.
std::uint64_t rank_in_grid(const LaunchState& s, std::uint64_t cluster, std::uint64_t k) {
  const Dim3 grid = s.launch->grid, size = s.cluster;
  const std::uint64_t across = grid.x / size.x, down = grid.y / size.y;
  const std::uint64_t x = cluster % across * size.x + k % size.x;
  const std::uint64_t y = cluster / across % down * size.y + k / size.x % size.y;
  const std::uint64_t z = cluster / across / down * size.z + k / size.x / size.y;
  return (z * grid.y + y) * grid.x + x;
}

/// Starts the blocks of a cluster, the first at `blocks`.
void start_cluster(LaunchState& s, Worker& worker, std::uint64_t number, BlockState* blocks,
                   Cluster& cluster) {
  cluster.blocks.clear();
  cluster.arrivals.clear();
  for (std::uint64_t k = 0; k < s.cluster.count(); ++k) {
    cluster.blocks.push_back(blocks + k);
    start_block(worker, blocks[k], rank_in_grid(s, number, k));
    blocks[k].cluster = &cluster;
  }
}

void run_clusters(LaunchState& s, Worker& worker) {
  const std::uint64_t clusters = s.block_count / s.cluster.count();
  const StartOrder order(s.launch->options.schedule, clusters, clusters);
  std::vector<BlockState> blocks(s.cluster.count());
  Cluster cluster;
  while (!s.stop.load(std::memory_order_relaxed)) {
    const std::size_t next = s.next_block.fetch_add(1, std::memory_order_relaxed);
    if (next >= clusters) return;
    start_cluster(s, worker, s.rank(order(next)), blocks.data(), cluster);
    run_together(s, worker, blocks);
  }
}

/// All blocks at once: grids that synchronise with themselves.
void run_resident(LaunchState& s, Worker& worker) {
  std::vector<BlockState> blocks(s.block_count);
  std::vector<Cluster> clusters(s.clustered ? s.block_count / s.cluster.count() : 0);
  for (std::size_t c = 0; c < clusters.size(); ++c)
    start_cluster(s, worker, s.rank(c), &blocks[c * s.cluster.count()], clusters[c]);
  if (!s.clustered)
    for (std::size_t i = 0; i < blocks.size(); ++i) start_block(worker, blocks[i], s.rank(i));
  run_together(s, worker, blocks);
}

/// Blocks of a schedule of few that may be there where some wait: as many as are ever drawn.
constexpr std::uint64_t kMostFew = 4;

/// How many blocks are to be resident from the start, and at most.
std::pair<std::uint64_t, std::uint64_t> residency(const LaunchState& s) {
  const Schedule& schedule = s.launch->options.schedule;
  const std::uint64_t room = std::min(most_resident(*s.kernel, *s.launch), kMostInTurns);
  if (schedule.kind == Schedule::Kind::few) {
    const auto few = std::min<std::uint64_t>(schedule.resident, room);
    if (s.held_at_once) return {few, room};
    // A few may wait for any number of later ones, whatever number was drawn.
    const std::uint64_t device = s.launch->options.co_resident;
    const std::uint64_t waiting = s.kernel->waits_for_blocks() ? std::min(kMostFew, device) : 0;
    return {few, std::max(few, std::min(waiting, room))};
  }
  if (s.lets_wait) return {1, std::clamp<std::uint64_t>(s.most_waiting, 1, room)};
  return {schedule.kind == Schedule::Kind::shuffled ? std::min(kAtOnce, room) : 1, room};
}

/// Blocks that run in turns on one worker. One that has not ended with its turn may wait for
/// others: then another one starts, as long as there is room.
class Residents {
 public:
  Residents(LaunchState& s, Worker& worker)
      : s_(s),
        worker_(worker),
        turns_(s.launch->options.schedule),
        order_(s.launch->options.schedule, s.block_count, residency(s).second) {
    std::tie(least_, most_) = residency(s);
    wanted_ = least_;
  }

  void run() {
    while (!s_.stop.load(std::memory_order_relaxed)) {
      while (running_.size() < wanted_ && begun_ < s_.block_count) start();
      if (running_.empty()) return;
      take_turns();
    }
  }

 private:
  void start() {
    std::unique_ptr<BlockState> b;
    if (idle_.empty()) {
      b = std::make_unique<BlockState>();
    } else {
      b = std::move(idle_.back());
      idle_.pop_back();
    }
    start_block(worker_, *b, s_.rank(order_(begun_++)));
    s_.next_block.store(begun_, std::memory_order_relaxed);
    running_.push_back(std::move(b));
  }

  void take_turns() {
    bool waits = false, ended = false;
    for (const std::uint32_t k : turns_.order(running_.size())) {
      BlockState& b = *running_[k];
      if (run_block(worker_, b)) {
        idle_.push_back(std::move(running_[k]));
        ended = true;
      } else {
        waits = true;
      }
      if (s_.stop.load(std::memory_order_relaxed)) return;
    }
    std::erase(running_, nullptr);
    // Where blocks only let others run when all of their warps wait, asking them often is a waste.
    const std::uint64_t more = s_.lets_wait ? running_.size() + 1 : 1;
    wanted_ = waits ? std::clamp<std::uint64_t>(running_.size() + more, least_, most_) : least_;
    const bool full = begun_ == s_.block_count || running_.size() >= most_;
    idle_rounds_ = s_.lets_wait && waits && !ended && full ? idle_rounds_ + 1 : 0;
    if (idle_rounds_ >= kIdleRounds && !s_.blocks.empty()) {
      s_.stuck = true;
      s_.stop = true;
    }
  }

  LaunchState& s_;
  Worker& worker_;
  Turns turns_;
  StartOrder order_;
  std::uint64_t least_ = 1, most_ = 1, wanted_ = 1, begun_ = 0;
  std::uint32_t idle_rounds_ = 0;
  std::vector<std::unique_ptr<BlockState>> running_, idle_;
};

void run_in_turns(LaunchState& s, Worker& worker) { Residents(s, worker).run(); }

}  // namespace

std::uint64_t most_resident(const Kernel& k, const Launch& l) {
  return std::max<std::uint64_t>(kMaxResidentBytes / resident_bytes(k, l), 1);
}

void run_all(LaunchState& s, std::vector<Worker>& workers) {
  // Clusters that wait for each other are all there at once, as far as there is room.
  const bool together = s.clustered && s.lets_wait && s.blocks.empty() &&
                        s.block_count <= std::min({most_resident(*s.kernel, *s.launch),
                                                   kMostInTurns, s.most_waiting});
  if (s.cooperative || together) return run_resident(s, workers[0]);
  const auto alone = s.in_turns || s.lets_wait ? run_in_turns : run_independent;
  const auto run = s.clustered ? run_clusters : alone;
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < workers.size(); ++i)
    threads.emplace_back([&s, &workers, i, run] { run(s, workers[i]); });
  run(s, workers[0]);
  for (std::thread& t : threads) t.join();
}

}  // namespace warpwright::simt
