// SPDX-License-Identifier: Apache-2.0
// Special registers: what a lane, a block or a launch is told about itself.
#include "simt/lower/lowering.h"

namespace warpwright::simt {

Result<Val> Lowering::special(std::string_view name, bool& found) {
  found = true;
  using L = LaneSpecial;
  constexpr std::pair<std::string_view, L> kLane[] = {{"%tid.x", L::tid_x},
                                                      {"%tid.y", L::tid_y},
                                                      {"%tid.z", L::tid_z},
                                                      {"%laneid", L::laneid},
                                                      {"%warpid", L::warpid},
                                                      {"%lanemask_eq", L::lanemask_eq},
                                                      {"%lanemask_le", L::lanemask_le},
                                                      {"%lanemask_lt", L::lanemask_lt},
                                                      {"%lanemask_ge", L::lanemask_ge},
                                                      {"%lanemask_gt", L::lanemask_gt}};
  for (const auto& [text, special] : kLane)
    if (text == name) return lane_special(special);
  using K = Constant::Kind;
  constexpr std::pair<std::string_view, K> kBlock[] = {
      {"%ctaid.x", K::ctaid_x},
      {"%ctaid.y", K::ctaid_y},
      {"%ctaid.z", K::ctaid_z},
      {"%nctaid.x", K::nctaid_x},
      {"%nctaid.y", K::nctaid_y},
      {"%nctaid.z", K::nctaid_z},
      {"%ntid.x", K::ntid_x},
      {"%ntid.y", K::ntid_y},
      {"%ntid.z", K::ntid_z},
      {"%dynamic_smem_size", K::dynamic_shared_bytes},
      {"%total_smem_size", K::total_shared_bytes},
      {"%nwarpid", K::warps_per_block},
      {"%cluster_nctaid.x", K::cluster_x},
      {"%cluster_nctaid.y", K::cluster_y},
      {"%cluster_nctaid.z", K::cluster_z},
      {"%cluster_nctarank", K::cluster_blocks},
      {"%cluster_ctaid.x", K::in_cluster_x},
      {"%cluster_ctaid.y", K::in_cluster_y},
      {"%cluster_ctaid.z", K::in_cluster_z},
      {"%cluster_ctarank", K::in_cluster_rank},
      {"%clusterid.x", K::clusterid_x},
      {"%clusterid.y", K::clusterid_y},
      {"%clusterid.z", K::clusterid_z},
      {"%nclusterid.x", K::nclusterid_x},
      {"%nclusterid.y", K::nclusterid_y},
      {"%nclusterid.z", K::nclusterid_z}};
  for (const auto& [text, kind] : kBlock) {
    if (text != name) continue;
    Constant c;
    c.kind = kind;
    return constant(c);
  }
  // The address of the workspace of a cooperative launch, in two halves; 0 in other launches.
  if (name == "%envreg1" || name == "%envreg2") {
    Constant c;
    c.kind = Constant::Kind::global;
    c.symbol =
        static_cast<std::uint32_t>(program_.ast.variables.size() + (name == "%envreg1" ? 1 : 0));
    return constant(c);
  }
  // One processor runs everything here; a grid has number 0.
  if (name == "WARP_SZ") return constant_bits(32, 4);
  if (name == "%smid" || name == "%gridid") return constant_bits(0, 4);
  if (name == "%nsmid") return constant_bits(1, 4);
  if (name == "%is_explicit_cluster") {
    Constant c;
    c.kind = K::is_cluster;
    c.width = 0;
    return constant(c);
  }
  found = false;
  return kNoVal;
}

}  // namespace warpwright::simt
