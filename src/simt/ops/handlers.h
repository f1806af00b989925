// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "simt/state/program.h"

// Handlers of everything that is not plain arithmetic, by what the decoder knows of them.

namespace warpwright::simt {

/// The handler of the opcode's row; null where its form decides.
Handler handler_of(Opcode opcode);
/// The cost class of its row.
OpClass class_of(Opcode opcode);

// Control flow. Operands: target = taken block, aux = next block, aux2 = immediate post-dominator.
const Ins* run_branch(Warp& w, const Ins* i);
const Ins* run_jump(Warp& w, const Ins* i);
const Ins* run_exit(Warp& w, const Ins* i);          ///< unguarded
const Ins* run_guarded_exit(Warp& w, const Ins* i);  ///< aux = next block
const Ins* run_branch_table(Warp& w, const Ins* i);  ///< a = index, target = jump table
/// Calls: target = rows of {function, entry block, return block}, aux = block behind the call;
/// indirect ones have the function's address in a.
const Ins* run_call(Warp& w, const Ins* i);
const Ins* run_indirect_call(Warp& w, const Ins* i);
const Ins* run_return(Warp& w, const Ins* i);  ///< aux = its own block
/// a = stack pointer, more = registers, imm = how many of 8, 4, 2 and 0 bytes, 16 bits each.
const Ins* run_frame_save(Warp& w, const Ins* i);
const Ins* run_frame_restore(Warp& w, const Ins* i);
const Ins* run_trap(Warp& w, const Ins* i);
const Ins* run_nop(Warp& w, const Ins* i);
const Ins* run_yield(Warp& w, const Ins* i);
const Ins* run_await_launch(Warp& w, const Ins* i);
const Ins* run_fence(Warp& w, const Ins* i);  ///< aux = 1: visible to other blocks
const Ins* run_clock32(Warp& w, const Ins* i);
const Ins* run_clock_high(Warp& w, const Ins* i);  ///< the upper 32 bits
const Ins* run_clock64(Warp& w, const Ins* i);
/// Counts the lanes that a guard turned off, before a guarded instruction.
const Ins* run_tally(Warp& w, const Ins* i);
/// At the head of a loop that only asks whether others are done (target = its number), and behind
/// it: turns after the first are counted as waiting.
const Ins* run_wait_turn(Warp& w, const Ins* i);
const Ins* run_wait_over(Warp& w, const Ins* i);

// Barriers. a = number, b = thread count (0: all), aux = BarrierForm.
enum class BarrierForm : std::uint32_t {
  sync = 0,
  arrive = 1,
  red_popc = 2,
  red_and = 3,
  red_or = 4
};
const Ins* run_barrier(Warp& w, const Ins* i);
const Ins* run_barrier_result(Warp& w, const Ins* i);

// Warp-wide exchange; the member mask is operand c.
const Ins* run_warp_sync(Warp& w, const Ins* i);
/// a = value, b = lane, more = {clamp, predicate out or none}; aux = mode (up, down, bfly, idx).
const Ins* run_shuffle(Warp& w, const Ins* i);
/// The lane that lane l reads in a shuffle, and whether it is in range.
std::uint32_t source_lane(std::uint32_t mode, std::uint32_t l, std::uint32_t b, std::uint32_t c,
                          bool& in_range);
/// a = predicate; aux = all, any, uni, ballot.
const Ins* run_vote(Warp& w, const Ins* i);
/// d = one lane of the mask, more[0] = whether it is this one.
const Ins* run_elect(Warp& w, const Ins* i);
const Ins* run_active_mask(Warp& w, const Ins* i);
Handler match_handler(bool all, std::uint32_t width);
/// `form` tells those apart that differ in more than the names of their types.
Handler redux_handler(std::string_view op, std::string_view type, std::uint32_t& form);

// Wavefronts of 32 or 64 lanes: the lanes that are active at the call take part, as on devices
// whose lanes share one counter. Two warps make a wavefront of 64. more = arguments, d = result.
const Ins* run_wave_ballot(Warp& w, const Ins* i);  ///< predicate, width -> 64 bits
const Ins* run_wave_pick(Warp& w, const Ins* i);    ///< value, lane, width -> that lane's, or 0

// Memory. a = address, imm = offset, d or more = data; target = row of AccessStats.
/// By InsInfo::form; null where PTX has no such instruction.
Handler load_handler(const AccessForm& form);
Handler store_handler(const AccessForm& form);
/// op "add", type "f32"; null where PTX has no such instruction.
Handler atomic_handler(std::string_view op, std::string_view type, Space space);

// Asynchronous copies: a = shared address, b = global address, c = bytes to read, imm = copy size,
// aux = bit 0 / 1: shared / global address is narrow, aux2 = offset of the global address.
const Ins* run_copy_async(Warp& w, const Ins* i);
const Ins* run_copy_commit(Warp& w, const Ins* i);
const Ins* run_copy_wait(Warp& w, const Ins* i);  ///< imm = groups that may stay open
/// a = mbarrier; aux = bit 0: narrow address, bit 1: the arrival adds to those expected.
const Ins* run_copy_arrive(Warp& w, const Ins* i);

// tex: a = texture object, more = four results, then coordinates; aux = TextureForm fields.
const Ins* run_texture(Warp& w, const Ins* i);
/// suld and sust: a = surface object, more = data, then coordinates; imm = SurfaceForm.
const Ins* run_surface(Warp& w, const Ins* i);

// Clusters. Waiting needs an arrival before it; aux = kBarrierAligned or 0.
const Ins* run_cluster_arrive(Warp& w, const Ins* i);
const Ins* run_cluster_wait(Warp& w, const Ins* i);
/// d = address a as seen from everywhere in the cluster, in block b; aux: 4 or 8 bytes wide.
const Ins* run_mapa(Warp& w, const Ins* i);
const Ins* run_cluster_rank(Warp& w, const Ins* i);

// Shadow words of registers that may be read before they are written: more = read, then written;
// aux = how many are read, aux2 = written, imm = guard's word or -1.
const Ins* run_shadow_report(Warp& w, const Ins* i);
const Ins* run_shadow_write(Warp& w, const Ins* i);   ///< results become defined
const Ins* run_shadow_spread(Warp& w, const Ins* i);  ///< results as undefined as the operands
const Ins* run_shadow_select(Warp& w, const Ins* i);  ///< c = the predicate

/// vprintf, __assertfail and the like: arguments in `more`, result in d.
struct RuntimeFunction {
  std::string_view name;
  Handler run = nullptr;
  std::span<const std::uint8_t> args;  ///< bytes of each
  std::uint8_t result = 0;             ///< bytes; 0: none
};
/// Null for unknown names.
const RuntimeFunction* runtime_function(std::string_view name);

}  // namespace warpwright::simt
