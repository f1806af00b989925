// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "base/files.h"
#include "simt/estimate.h"
#include "simt/launcher.h"
#include "support/places.h"

namespace warpwright::simt {
namespace {

std::string kernels_ptx() { return read_file(source_path("/tests/simt/kernels.ptx")).value(); }

TEST(MemoryTest, describes_addresses_by_allocation) {
  Memory m;
  const Address a = m.allocate(100, "first").value();
  const Address b = m.allocate(10, "second").value();
  EXPECT_EQ(a % 256, 0u);
  EXPECT_EQ(b % 256, 0u);
  EXPECT_GE(b, a + 100 + 256);
  EXPECT_EQ(m.describe(a + 4, 4), "byte 4 of 'first' (100 bytes)");
  EXPECT_EQ(m.describe(a + 98, 4), "2 bytes across the end of 'first' (100 bytes)");
  EXPECT_EQ(m.describe(a + 112, 4), "12 bytes past the end of 'first' (100 bytes)");
  EXPECT_EQ(m.describe(b - 8, 4), "8 bytes before 'second' (10 bytes)");
  EXPECT_EQ(m.describe(8, 4), "a null pointer plus 8");
}

TEST(MemoryTest, refuses_what_is_not_there) {
  Memory m(1000);
  const Address a = m.allocate(100, "a").value();
  std::vector<std::byte> bytes(101);
  EXPECT_FALSE(m.copy_in(a, bytes).ok());
  EXPECT_FALSE(m.copy_out(bytes, a).ok());
  EXPECT_FALSE(m.allocate(901, "too much").ok());
  EXPECT_FALSE(m.free(a + 1).ok());
  EXPECT_TRUE(m.free(a).ok());
  EXPECT_FALSE(m.free(a).ok());
  EXPECT_FALSE(m.set(a, std::byte{1}, 1).ok());
  EXPECT_TRUE(m.allocate(1000, "all").ok());
}

TEST(MachineTest, compares_packed_halves) {
  // Bit 0: the low halves, bit 1: the high ones.
  Launcher l(R"(
.version 8.3
.target sm_80
.address_size 64
.entry packed(.param .u64 in, .param .u64 out) {
  .reg .b64 %rd<3>;
  .reg .b32 %r<6>;
  .reg .pred %p<3>;
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [out];
  ld.global.b32 %r1, [%rd1];
  ld.global.b32 %r2, [%rd1+4];
  setp.gt.f16x2 %p1|%p2, %r1, %r2;
  selp.b32 %r3, 1, 0, %p1;
  selp.b32 %r4, 2, 0, %p2;
  or.b32 %r5, %r3, %r4;
  st.global.b32 [%rd2], %r5;
  ret;
}
)");
  // 2 and 1 against 1 and 1; 1 and 1 against 0 and -0; NaN and 1 against 0 and 2.
  const std::vector<std::vector<std::uint32_t>> pairs = {
      {0x3c004000, 0x3c003c00}, {0x3c003c00, 0x80000000}, {0x3c007e00, 0x40000000}};
  const std::uint32_t expected[] = {1, 3, 0};
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const Address in = l.put(pairs[i], "in"), out = l.empty(4, "out");
    l.run("packed", {1}, {1}, Params().add(in).add(out));
    EXPECT_EQ(l.get<std::uint32_t>(out, 1)[0], expected[i]) << i;
  }
}

TEST(MachineTest, keeps_cooperative_launches_within_the_hosts_memory) {
  Launcher l(R"(
.version 8.3
.target sm_80
.address_size 64
.entry local_memory() { .local .align 8 .b8 depot[262144]; ret; }
.entry shared_memory() { .shared .align 8 .b8 tile[131072]; ret; }
.entry nothing() { ret; }
)");
  const auto why = [&](std::string_view kernel, Dim3 grid, Dim3 block) {
    LaunchOptions options;
    options.cooperative = true;
    const auto r = l.machine().launch(l.module(), {kernel, grid, block, 0, {}, options});
    return r.ok() ? std::string("ok") : r.error().message;
  };
  constexpr std::string_view kTooMany = "too many blocks for a cooperative launch";
  EXPECT_NE(why("local_memory", {64}, {1024}).find(kTooMany), std::string::npos);
  EXPECT_NE(why("shared_memory", {1 << 16}, {32}).find(kTooMany), std::string::npos);
  EXPECT_NE(why("nothing", {1u << 30, 1 << 15, 1 << 15}, {32}).find(kTooMany), std::string::npos);
  EXPECT_EQ(why("nothing", {4}, {32}), "ok");
}

TEST(MachineTest, variables_are_as_aligned_as_they_ask_for) {
  Launcher l(R"(
.version 8.0
.target sm_90
.address_size 64
.global .align 4 .b32 little;
.global .align 512 .b8 slots[512];
.global .align 4096 .b8 page[64];
.visible .entry addresses(.param .u64 out) {
  .reg .b64 %rd<4>;
  ld.param.u64 %rd0, [out];
  mov.u64 %rd1, slots;
  mov.u64 %rd2, page;
  st.global.u64 [%rd0], %rd1;
  st.global.u64 [%rd0+8], %rd2;
  ret;
}
)");
  const Address out = l.put(std::vector<std::uint64_t>(2), "out");
  ASSERT_TRUE(l.run("addresses", {1}, {1}, Params().add(out)).clean());
  const auto found = l.get<std::uint64_t>(out, 2);
  EXPECT_EQ(found[0] % 512, 0u);
  EXPECT_EQ(found[1] % 4096, 0u);
  EXPECT_NE(found[0], found[1]);
}

/// A static word, then dynamic memory that has to begin at a multiple of 128.
constexpr std::string_view kAlignedDynamic = R"(
.version 8.0
.target sm_90
.address_size 64
.extern .shared .align 128 .b8 dynamic[];
.visible .entry last_word(.param .u64 out, .param .u32 bytes) {
  .shared .align 8 .b64 word;
  .reg .b32 %r<5>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd0, [out];
  ld.param.u32 %r0, [bytes];
  mov.u32 %r1, dynamic;
  add.u32 %r2, %r1, %r0;
  mov.u32 %r3, 7;
  st.shared.u32 [word], %r3;
  st.shared.u32 [%r2+-4], %r3;
  ld.shared.u32 %r4, [%r2+-4];
  st.global.u32 [%rd0], %r4;
  ret;
}
)";

TEST(MachineTest, dynamic_shared_memory_is_whole_behind_a_static_variable) {
  Launcher l(kAlignedDynamic);
  const Address out = l.put(std::vector<std::uint32_t>(1), "out");
  const LaunchReport whole =
      l.run("last_word", {1}, {1}, Params().add(out).add(256u), {.checks = Checks::full}, 256);
  EXPECT_TRUE(whole.clean()) << whole.faults.at(0).describe();
  EXPECT_EQ(l.get<std::uint32_t>(out, 1)[0], 7u);
  const LaunchReport past =
      l.run("last_word", {1}, {1}, Params().add(out).add(260u), {.checks = Checks::full}, 256);
  ASSERT_FALSE(past.clean());
  EXPECT_EQ(past.faults[0].kind, FaultKind::out_of_bounds);
}

/// A register of 32 bits holds a place minus 264, modulo 2^32; the access adds 264.
TEST(MachineTest, sums_of_shared_addresses_have_32_bits) {
  Launcher l(R"(
.version 8.0
.target sm_90
.address_size 64
.visible .entry wraps(.param .u64 out) {
  .shared .align 4 .b8 room[128];
  .reg .b32 %r<6>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd0, [out];
  mov.u32 %r0, %tid.x;
  shl.b32 %r1, %r0, 2;
  mov.u32 %r2, room;
  add.u32 %r3, %r2, %r1;
  sub.u32 %r4, %r3, 264;
  st.shared.u32 [%r4+264], %r0;
  ld.shared.u32 %r5, [%r4+264];
  cvt.u64.u32 %rd1, %r1;
  add.u64 %rd2, %rd0, %rd1;
  st.global.u32 [%rd2], %r5;
  ret;
}
)");
  const Address out = l.put(std::vector<std::uint32_t>(32, 99), "out");
  for (const Engine engine : {Engine::interpreted, Engine::compiled}) {
    LaunchOptions options{.checks = Checks::full};
    options.engine = engine;
    const LaunchReport r = l.run("wraps", {1}, {32}, Params().add(out), options);
    EXPECT_TRUE(r.clean()) << r.faults.at(0).describe();
    EXPECT_EQ(l.get<std::uint32_t>(out, 32)[31], 31u);
  }
}

TEST(MachineTest, a_warp_that_waits_for_a_copy_that_failed_ends_soon) {
  Launcher l(R"(
.version 8.0
.target sm_90
.address_size 64
.visible .entry waits(.param .u64 in) {
  .shared .align 8 .b64 bar;
  .shared .align 16 .b8 room[64];
  .reg .pred %p<1>;
  .reg .b32 %r<4>;
  .reg .b64 %rd<1>;
  ld.param.u64 %rd0, [in];
  mov.u32 %r0, bar;
  mov.u32 %r1, room;
  mov.u32 %r2, 1024;
  mbarrier.init.shared::cta.b64 [%r0], 1;
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r0], %r2;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd0], %r2, [%r0];
again:
  mbarrier.try_wait.parity.shared::cta.b64 %p0, [%r0], 0;
  @!%p0 bra again;
  ret;
}
)");
  const Address in = l.put(std::vector<std::uint32_t>(256), "in");
  LaunchOptions options;
  options.max_warp_instructions = 1'000'000'000;
  const LaunchReport r = l.run("waits", {1}, {1}, Params().add(in), options);
  ASSERT_FALSE(r.clean());
  for (const Fault& f : r.faults) EXPECT_EQ(f.kind, FaultKind::out_of_bounds) << f.describe();
}

// No warp of it runs for long, so that none is ever asked in the middle.
TEST(MachineTest, many_short_warps_are_too_much_work_where_the_limit_is_exact) {
  Launcher l(R"(
.version 8.3
.target sm_80
.address_size 64
.visible .entry short_one() {
  .reg .b32 %r<2>;
  mov.u32 %r0, %tid.x;
  add.u32 %r1, %r0, 1;
  ret;
}
)");
  LaunchOptions options;
  const LaunchReport whole = l.run("short_one", {20'000}, {128}, {}, options);
  options.max_warp_instructions = whole.work / 4;
  EXPECT_TRUE(l.run("short_one", {20'000}, {128}, {}, options).clean());
  options.exact_work = true;
  const LaunchReport late = l.run("short_one", {20'000}, {128}, {}, options);
  ASSERT_EQ(late.faults.size(), 1u);
  EXPECT_EQ(late.faults[0].kind, FaultKind::timeout);
  EXPECT_LT(late.work, whole.work / 3);
  options.max_warp_instructions = whole.work;
  EXPECT_TRUE(l.run("short_one", {20'000}, {128}, {}, options).clean());
}

// Two blocks of a cluster read each other's memory and wait for each other before they end. Stopped
// in between, they have not ended.
TEST(MachineTest, a_cluster_that_is_stopped_is_a_time_out_alone) {
  const std::string text = R"(
.version 8.3
.target sm_90
.address_size 64
.visible .entry neighbours(.param .u32 times) .reqnctapercluster 2, 1, 1 {
  .shared .align 4 .b32 own;
  .reg .pred %p<1>;
  .reg .b32 %r<8>;
  ld.param.u32 %r0, [times];
  mov.u32 %r1, own;
  mov.u32 %r2, %cluster_ctarank;
  st.shared.u32 [%r1], %r2;
  xor.b32 %r3, %r2, 1;
  mapa.shared::cluster.u32 %r4, %r1, %r3;
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
again:
  ld.shared::cluster.u32 %r5, [%r4];
  sub.u32 %r0, %r0, 1;
  setp.ne.u32 %p0, %r0, 0;
  @%p0 bra again;
  BARRIER
  ret;
}
)";
  const auto faults = [&](const std::string& last, std::uint64_t limit) {
    std::string whole = text;
    whole.replace(whole.find("BARRIER"), 7, last);
    Launcher l(whole);
    LaunchOptions options{.exact_work = true};
    options.max_warp_instructions = limit;
    std::set<FaultKind> kinds;
    for (const Fault& f :
         l.run("neighbours", {2}, {1}, Params().add(std::uint32_t{100'000}), options).faults)
      kinds.insert(f.kind);
    return kinds;
  };
  const std::string both = "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;";
  EXPECT_EQ(faults(both, 1 << 30), std::set<FaultKind>{});
  EXPECT_EQ(faults("", 1 << 30), std::set<FaultKind>{FaultKind::use_after_free});
  EXPECT_EQ(faults(both, 100'000), std::set<FaultKind>{FaultKind::timeout});
  EXPECT_EQ(faults("", 100'000), std::set<FaultKind>{FaultKind::timeout});
}

TEST(MachineTest, refuses_launches_that_cannot_be_made) {
  Launcher l(kernels_ptx());
  Machine& m = l.machine();
  const auto why = [&](Launch launch) {
    const auto r = m.launch(l.module(), launch);
    return r.ok() ? std::string("ok") : r.error().message;
  };
  const std::vector<std::byte> params(24);
  EXPECT_NE(why({"nothing", {1}, {1}, 0, params, {}}).find("no kernel 'nothing'"),
            std::string::npos);
  EXPECT_NE(why({"copy", {1}, {2048}, 0, params, {}}).find("at most 1024"), std::string::npos);
  EXPECT_NE(why({"copy", {1}, {32}, 0, {}, {}}).find("0 bytes of parameters"), std::string::npos);
  EXPECT_NE(why({"copy", {1}, {32}, 300 << 10, params, {}}).find("shared memory"),
            std::string::npos);
  EXPECT_NE(why({"copy", {0}, {32}, 0, params, {}}).find("size zero"), std::string::npos);
}

TEST(MachineTest, tells_the_layout_of_parameters) {
  Launcher l(kernels_ptx());
  for (const KernelFacts& k : l.module().kernels()) {
    if (k.name != "histogram") continue;
    ASSERT_EQ(k.params.size(), 3u);
    EXPECT_EQ(k.params[1].offset, 8u);
    EXPECT_EQ(k.params[2].size_bytes, 4u);
    EXPECT_EQ(k.static_shared_bytes, 256u);
    EXPECT_EQ(k.param_bytes, 20u);
    return;
  }
  FAIL() << "no kernel histogram";
}

TEST(MachineTest, counts_are_exact) {
  Launcher l(kernels_ptx());
  const int n = 1000;
  const Address in = l.put(std::vector<float>(n, 1.0f), "in"),
                out = l.put(std::vector<float>(n), "out");
  const LaunchReport r = l.run("copy", {4}, {256}, Params().add(in).add(out).add(n));
  ASSERT_TRUE(r.clean());
  const auto& loads = r.counts.by_class[static_cast<std::size_t>(OpClass::load_global)];
  EXPECT_EQ(loads.warps, 32u);  // 1000 lanes: 31 full warps and one of 8
  EXPECT_EQ(loads.lanes, 1000u);
  EXPECT_EQ(r.counts.global_load_sectors, 125u);
  EXPECT_EQ(r.counts.global_store_bytes, 4000u);
  EXPECT_EQ(r.touched_bytes, 8000u);
  EXPECT_EQ(r.touched_of_grid, 8000u);
  EXPECT_EQ(r.counts.divergent_branches, 1u);
  ASSERT_FALSE(r.traffic.empty());
  EXPECT_NE(r.traffic[0].line, 0u);
  EXPECT_EQ(r.traffic[0].file, "kernels.cu");
}

TEST(MachineTest, bank_conflicts_and_wasted_sectors_are_seen) {
  Launcher l(kernels_ptx());
  const int n = 64;
  std::vector<float> values(n * n);
  std::iota(values.begin(), values.end(), 0.0f);
  const Address in = l.put(values, "in"), out = l.put(values, "out");
  const Params p = Params().add(in).add(out).add(n);
  const LaunchReport naive = l.run("transpose_naive", {2, 2}, {32, 32}, p);
  const LaunchReport tiled = l.run("transpose_tiled", {2, 2}, {32, 32}, p);
  const LaunchReport padded = l.run("transpose_padded", {2, 2}, {32, 32}, p);
  ASSERT_TRUE(naive.clean() && tiled.clean() && padded.clean());
  EXPECT_EQ(naive.counts.global_store_sectors, 32 * naive.counts.global_store_requests);
  EXPECT_EQ(tiled.counts.global_store_sectors, 4 * tiled.counts.global_store_requests);
  EXPECT_EQ(tiled.counts.shared_wavefronts, 33 * tiled.counts.shared_ideal_wavefronts / 2);
  EXPECT_EQ(padded.counts.shared_wavefronts, padded.counts.shared_ideal_wavefronts);
  const std::vector<float> got = l.get<float>(out, n * n);
  for (int i = 0; i < n * n; ++i)
    ASSERT_EQ(got[static_cast<std::size_t>(i)],
              values[static_cast<std::size_t>(i % n * n + i / n)]);
}

TEST(MachineTest, threads_share_the_blocks) {
  Launcher l(kernels_ptx());
  const int n = 1 << 14;
  std::vector<std::uint32_t> values(n);
  for (int i = 0; i < n; ++i)
    values[static_cast<std::size_t>(i)] = static_cast<std::uint32_t>(i * 7) % 64;
  const Address in = l.put(values, "in"), bins = l.put(std::vector<std::uint32_t>(64), "bins");
  LaunchOptions options;
  options.threads = 2;
  const LaunchReport r =
      l.run("histogram", {64}, {256}, Params().add(in).add(bins).add(n), options);
  ASSERT_TRUE(r.clean()) << r.faults[0].describe();
  EXPECT_EQ(l.get<std::uint32_t>(bins, 64), std::vector<std::uint32_t>(64, n / 64));
}

TEST(MachineTest, runs_only_the_blocks_asked_for) {
  Launcher l(kernels_ptx());
  const int n = 1024;
  const Address in = l.put(std::vector<float>(n, 1.0f), "in"),
                out = l.put(std::vector<float>(n), "out");
  LaunchOptions options;
  options.only_blocks = {1, 3};
  const LaunchReport r = l.run("copy", {4}, {256}, Params().add(in).add(out).add(n), options);
  EXPECT_EQ(r.blocks_run, 2u);
  EXPECT_EQ(r.blocks_total, 4u);
  const std::vector<float> got = l.get<float>(out, n);
  EXPECT_EQ(got[0], 0);
  EXPECT_EQ(got[256], 1);
  EXPECT_EQ(got[1023], 1);
  EXPECT_TRUE(estimate(r, {}).sampled);
  EXPECT_EQ(r.touched_bytes, 4096u);
  EXPECT_EQ(r.touched_of_grid, 8192u);
}

// Blocks that were not run would touch the same 64 bins: no more than there are.
TEST(MachineTest, a_grid_touches_no_more_than_buffers_hold) {
  Launcher l(kernels_ptx());
  const int n = 1 << 14;
  const Address in = l.put(std::vector<std::uint32_t>(n), "in");
  const Address bins = l.put(std::vector<std::uint32_t>(64), "bins");
  LaunchOptions options;
  options.only_blocks = {0};
  const LaunchReport r =
      l.run("histogram", {64}, {256}, Params().add(in).add(bins).add(n), options);
  ASSERT_TRUE(r.clean()) << r.faults[0].describe();
  ASSERT_EQ(r.blocks_run, 1u);
  EXPECT_GT(64 * r.touched_bytes, r.touched_of_grid);
  EXPECT_LE(r.touched_of_grid, 4u * n + 2 * 4 * 64);
}

class EstimateTest : public testing::Test {
 protected:
  double us(std::string_view kernel, Dim3 grid, Dim3 block, const Params& p) {
    LaunchOptions options;
    options.checks = Checks::fast;
    const LaunchReport r = l_.run(kernel, grid, block, p, options);
    EXPECT_TRUE(r.clean());
    return estimate(r, {}).us;
  }
  Launcher l_{kernels_ptx()};
};

TEST_F(EstimateTest, a_tiled_transpose_beats_a_naive_one) {
  const int n = 1024;
  const Address in = l_.put(std::vector<float>(n * n), "in"),
                out = l_.put(std::vector<float>(n * n), "out");
  const Params p = Params().add(in).add(out).add(n);
  const double naive = us("transpose_naive", {32, 32}, {32, 32}, p);
  const double padded = us("transpose_padded", {32, 32}, {32, 32}, p);
  EXPECT_GT(naive, 1.3 * padded);
}

TEST_F(EstimateTest, copies_by_one_and_by_four_are_close) {
  const int n = 1 << 20;
  const Address in = l_.put(std::vector<float>(n), "in"),
                out = l_.put(std::vector<float>(n), "out");
  const double one = us("copy", {4096}, {256}, Params().add(in).add(out).add(n));
  const double four = us("copy4", {1024}, {256}, Params().add(in).add(out).add(n / 4));
  EXPECT_LT(four, one * 1.02);
  EXPECT_GT(four, one * 0.5);
}

TEST_F(EstimateTest, one_atomic_per_element_is_far_slower_than_a_tree) {
  const int n = 1 << 20;
  const Address in = l_.put(std::vector<float>(n), "in"),
                out = l_.put(std::vector<float>(4), "out");
  const double atomics = us("sum_atomics", {4096}, {256}, Params().add(in).add(out).add(n));
  const double tree = us("sum_tree", {256}, {256}, Params().add(in).add(out).add(n));
  EXPECT_GT(atomics, 10 * tree);
}

TEST_F(EstimateTest, updates_of_one_place_are_counted_alike_by_any_number_of_threads) {
  const int blocks = 48, n = blocks * 256;
  const Address in = l_.put(std::vector<std::uint32_t>(n, 3), "in"),
                bins = l_.put(std::vector<std::uint32_t>(64), "bins");
  for (const unsigned threads : {1u, 3u}) {
    LaunchOptions options;
    options.threads = threads;
    const Counts c =
        l_.run("histogram", {blocks}, {256}, Params().add(in).add(bins).add(n), options).counts;
    // Eight bins of four bytes are 32 bytes; one request of a block updates all of them.
    EXPECT_EQ(c.atomic_hottest, 1u * blocks) << threads;
    EXPECT_EQ(c.atomic_hottest_switches, 0u) << threads;
  }
}

TEST_F(EstimateTest, updates_of_one_address_are_cheaper_than_of_neighbours) {
  LaunchReport r;
  r.block = {256};
  r.grid = {4096};
  r.blocks_total = r.blocks_run = 4096;
  r.counts.atomic_lanes = r.counts.atomic_hottest = 1 << 20;
  const Estimate same = estimate(r, {});
  r.counts.atomic_hottest_switches = 1 << 20;
  const Estimate changing = estimate(r, {});
  EXPECT_EQ(same.bottleneck, "atomic");
  EXPECT_GT(changing.us, 3 * same.us);
}

TEST_F(EstimateTest, local_memory_that_fits_the_l1_costs_no_traffic_behind_it) {
  LaunchReport r;
  r.block = {256};
  r.grid = {1320};
  r.blocks_total = r.blocks_run = 1320;
  r.registers = 32;
  r.counts.local_sectors = 1 << 26;
  r.local_bytes = 64;
  const Estimate fits = estimate(r, {});
  EXPECT_EQ(fits.bottleneck, "l1");
  r.local_bytes = 4096;
  EXPECT_GT(estimate(r, {}).us, 2 * fits.us);
}

TEST_F(EstimateTest, blocks_of_one_thread_are_bound_by_their_number) {
  LaunchReport r;
  r.block = {1};
  r.grid = {1u << 28};
  r.blocks_total = 1u << 28;
  r.blocks_run = 64;
  const Estimate e = estimate(r, {});
  EXPECT_EQ(e.bottleneck, "blocks");
  EXPECT_GT(e.us, 100e3);
}

TEST_F(EstimateTest, occupancy_follows_shared_memory_and_registers) {
  LaunchReport r;
  r.block = {256};
  r.grid = {1000};
  r.blocks_total = r.blocks_run = 1000;
  r.registers = 32;
  EXPECT_DOUBLE_EQ(estimate(r, {}).occupancy, 1.0);
  r.registers = 128;
  EXPECT_DOUBLE_EQ(estimate(r, {}).occupancy, 0.25);
  r.registers = 32;
  r.shared_bytes = 100 << 10;
  EXPECT_EQ(estimate(r, {}).blocks_per_sm, 2u);
}

}  // namespace
}  // namespace warpwright::simt
