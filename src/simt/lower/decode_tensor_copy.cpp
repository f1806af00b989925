// SPDX-License-Identifier: Apache-2.0
// Decoders of what is addressed by coordinates: tiles of tensors, textures and surfaces.
#include <algorithm>

#include "simt/lower/decoders.h"
#include "simt/ops/mbarrier.h"
#include "simt/ops/texture.h"

namespace warpwright::simt {
namespace {

/// [name, {coordinates}]: the name as an address of its own, and the coordinates.
struct Coordinates {
  Lowering::Address base;
  std::vector<const Operand*> list;
};

Result<Coordinates> coordinates(Lowering& l, const Operand& o) {
  if (o.kind != Operand::Kind::address || o.list.size() != 1) return l.unsupported();
  Operand base = o;
  base.list.clear();
  Coordinates c;
  WW_TRY(c.base, l.address(base));
  if (o.list[0].kind == Operand::Kind::vector)
    for (const Operand& one : o.list[0].list) c.list.push_back(&one);
  else
    c.list.push_back(&o.list[0]);
  return c;
}

/// Whether every modifier from the fifth on is one of those that change nothing here.
bool knows_all(const std::vector<std::string_view>& parts) {
  constexpr std::string_view kKnown[] = {"shared::cluster",
                                         "shared::cta",
                                         "global",
                                         "tile",
                                         "bulk_group",
                                         "L2::cache_hint",
                                         "multicast::cluster",
                                         "mbarrier::complete_tx::bytes"};
  return std::all_of(parts.begin() + 5, parts.end(), [&](std::string_view p) {
    return std::find(std::begin(kKnown), std::end(kKnown), p) != std::end(kKnown);
  });
}

/// An address with its offset added: rare enough for an addition of its own.
Result<Val> whole_address(Lowering& l, const Lowering::Address& a) {
  if (a.offset == 0) return a.base;
  const std::uint8_t width = a.narrow ? 4 : 8;
  Dest d;
  d.val = l.temporary(width);
  const Val offset = l.constant_bits(static_cast<std::uint64_t>(a.offset), width);
  WW_CHECK(l.emit_op(a.narrow ? "add.u32" : "add.u64", d, {a.base, offset}));
  return d.val;
}

}  // namespace

/// cp.async.bulk.tensor.Nd.shared::X.global[.tile].mbarrier::complete_tx::bytes[.multicast::cluster]
/// [to], [map, {c...}], [barrier][, blocks] and
/// cp.async.bulk.tensor.Nd.global.shared::cta[.tile].bulk_group [map, {c...}], [from].
Status decode_copy_tensor(Lowering& l) {
  const auto& parts = l.statement().ins.parts;
  const std::vector<Operand>& ops = l.operands();
  if (parts.size() < 8 || parts[4].size() != 2 || parts[4][1] != 'd' || !knows_all(parts))
    return l.unsupported();
  const auto rank = static_cast<std::uint32_t>(parts[4][0] - '0');
  const bool to_shared = parts[5].starts_with("shared");
  const bool multicast = has(parts, "multicast::cluster");
  const std::size_t wanted =
      (to_shared ? 3u : 2u) + (multicast ? 1u : 0u) + (has(parts, "L2::cache_hint") ? 1u : 0u);
  if (rank < 1 || rank > 5 || ops.size() != wanted || to_shared == has(parts, "bulk_group") ||
      (multicast && !to_shared))
    return l.unsupported();
  WW_TRY(const Coordinates map, coordinates(l, ops[to_shared ? 1 : 0]));
  if (map.list.size() != rank) return l.error("another number of coordinates than dimensions");
  WW_TRY(const Lowering::Address shared, l.address(ops[to_shared ? 0 : 1]));
  std::vector<Val> more;
  for (const Operand* one : map.list) {
    WW_TRY(const Val v, l.value(*one, {4}));
    more.push_back(v);
  }
  Lowering::Address barrier;
  if (to_shared) {
    WW_TRY(barrier, l.address(ops[2]));
    WW_TRY(const Val at, whole_address(l, barrier));
    more.push_back(at);
  }
  if (multicast) {
    WW_TRY(const Val blocks, l.value(ops[3], {2}));
    more.push_back(blocks);
  }
  WW_CHECK(emit_guarded(l, Opcode::copy_tensor, handler_of(Opcode::copy_tensor),
                        to_shared ? OpClass::load_global : OpClass::store_global));
  Lir& lir = l.last();
  lir.a = shared.base;
  lir.b = map.base.base;
  lir.imm = shared.offset;
  lir.aux2 = static_cast<std::uint32_t>(map.base.offset);
  lir.more = std::move(more);
  lir.aux = (to_shared ? kBulkToShared : kBulkFromShared) | (shared.narrow ? kBulkNarrowTo : 0) |
            (map.base.narrow ? kBulkNarrowFrom : 0) | (barrier.narrow ? kBulkNarrowBarrier : 0) |
            (multicast ? kBulkMulticast : 0) | rank << 8;
  lir.info.access = l.new_access();
  return {};
}

/// tex[.level].GEOMETRY.v4.TYPE.COORDINATES {d...}, [texture, {c...}][, level].
Status decode_texture(Lowering& l) {
  const auto& all = l.statement().ins.parts;
  const std::vector<Operand>& ops = l.operands();
  std::vector<std::string_view> parts(all.begin() + 1, all.end());
  // There are no smaller images here, so that the level does not matter.
  const bool level = !parts.empty() && (parts[0] == "level" || parts[0] == "base");
  const std::size_t extra = level && parts[0] == "level" ? 1 : 0;
  if (level) parts.erase(parts.begin());
  if (parts.size() != 4 || parts[1] != "v4" || ops.size() != 2 + extra || ops[0].list.size() != 4)
    return l.unsupported();
  const auto shape = std::find_if(std::begin(kTextureShapes), std::end(kTextureShapes),
                                  [&](const TextureShape& row) { return row.name == parts[0]; });
  const bool whole = parts[3] == "s32";
  if (shape == std::end(kTextureShapes) || (!whole && parts[3] != "f32") ||
      (parts[2] != "f32" && parts[2] != "s32" && parts[2] != "u32"))
    return l.unsupported();
  WW_TRY(const Coordinates at, coordinates(l, ops[1]));
  const std::size_t layers = shape->layered ? 1 : 0;
  if (at.base.narrow || at.base.offset != 0 || at.list.size() < shape->dimensions + layers)
    return l.unsupported();
  ArgType real{4};
  if (!whole) real.real = ArgType::Real::single;
  ArgType result{4};
  if (parts[2] == "f32") result.real = ArgType::Real::single;
  std::vector<Val> more;
  std::vector<Dest> results;
  for (const Operand& o : ops[0].list) {
    Dest d;
    d.val = l.temporary(4);
    if (o.kind != Operand::Kind::sink) {
      WW_TRY(d, l.dest(o, result));
    }
    results.push_back(d);
    more.push_back(d.val);
  }
  for (std::size_t k = 0; k < shape->dimensions + layers; ++k) {
    WW_TRY(const Val v, l.value(*at.list[k], k < layers ? ArgType{4} : real));
    more.push_back(v);
  }
  WW_CHECK(emit_guarded(l, Opcode::texture));
  Lir& lir = l.last();
  lir.a = at.base.base;
  lir.more = std::move(more);
  lir.more_defs = 4;
  lir.aux = static_cast<std::uint32_t>(shape - std::begin(kTextureShapes)) |
            (whole ? kTextureWhole : 0) | (parts[2] == "f32" ? kTextureReal : 0);
  lir.info.access = l.new_access();
  for (const Dest& d : results) WW_CHECK(l.settle(d));
  return {};
}

namespace {

/// ".v4.b32.trap" behind the geometry; what has no vector is one element.
std::optional<SurfaceForm> surface_form(std::vector<std::string_view> parts) {
  constexpr std::pair<std::string_view, std::uint8_t> kTypes[] = {
      {"b8", 1}, {"b16", 2}, {"b32", 4}, {"b64", 8}};
  constexpr std::pair<std::string_view, SurfaceEdge> kEdges[] = {
      {"trap", SurfaceEdge::trap}, {"clamp", SurfaceEdge::clamp}, {"zero", SurfaceEdge::zero}};
  if (parts.size() < 5 || parts[1] != "b") return std::nullopt;
  SurfaceForm form;
  form.stores = parts[0] == "sust";
  const auto* shape = std::find_if(std::begin(kTextureShapes), std::end(kTextureShapes),
                                   [&](const TextureShape& row) { return row.name == parts[2]; });
  if (shape == std::end(kTextureShapes)) return std::nullopt;
  form.row = static_cast<std::uint8_t>(shape - std::begin(kTextureShapes));
  parts.erase(parts.begin(), parts.begin() + 3);
  if (parts[0] == "v2" || parts[0] == "v4") {
    form.count = parts[0] == "v2" ? 2 : 4;
    parts.erase(parts.begin());
  }
  if (parts.size() != 2) return std::nullopt;
  const auto* type = std::find_if(std::begin(kTypes), std::end(kTypes),
                                  [&](const auto& row) { return row.first == parts[0]; });
  const auto* edge = std::find_if(std::begin(kEdges), std::end(kEdges),
                                  [&](const auto& row) { return row.first == parts[1]; });
  if (type == std::end(kTypes) || edge == std::end(kEdges)) return std::nullopt;
  form.bytes = type->second;
  form.width = std::max<std::uint8_t>(form.bytes, 2);
  form.edge = edge->second;
  if (form.bytes * form.count > 16) return std::nullopt;
  return form;
}

}  // namespace

/// suld.b.GEOMETRY[.VECTOR].TYPE.EDGE {d...}, [surface, {c...}]; sust.b... [surface, {c...}],
/// {v...}.
Status decode_surface(Lowering& l) {
  const std::vector<Operand>& ops = l.operands();
  const auto form = surface_form({l.statement().ins.parts.begin(), l.statement().ins.parts.end()});
  if (!form || ops.size() != 2) return l.unsupported();
  const TextureShape& shape = kTextureShapes[form->row];
  WW_TRY(const Coordinates at, coordinates(l, ops[form->stores ? 0 : 1]));
  const std::size_t wanted = shape.dimensions + (shape.layered ? 1 : 0);
  if (at.base.narrow || at.base.offset != 0 || at.list.size() < wanted) return l.unsupported();
  const Operand& data = ops[form->stores ? 1 : 0];
  std::vector<const Operand*> elements;
  if (data.kind == Operand::Kind::vector)
    for (const Operand& one : data.list) elements.push_back(&one);
  else
    elements.push_back(&data);
  if (elements.size() != form->count) return l.error("a vector of the wrong length");
  std::vector<Val> more;
  std::vector<Dest> results;
  for (const Operand* one : elements) {
    if (form->stores) {
      WW_TRY(const Val v, l.value(*one, ArgType{form->width}));
      more.push_back(v);
      continue;
    }
    Dest d;
    d.val = l.temporary(form->width);
    if (one->kind != Operand::Kind::sink) {
      WW_TRY(d, l.dest(*one, ArgType{form->width}));
    }
    results.push_back(d);
    more.push_back(d.val);
  }
  for (std::size_t k = 0; k < wanted; ++k) {
    WW_TRY(const Val v, l.value(*at.list[k], ArgType{4}));
    more.push_back(v);
  }
  WW_CHECK(emit_guarded(l, form->stores ? Opcode::surface_store : Opcode::surface_load));
  Lir& lir = l.last();
  lir.a = at.base.base;
  lir.more = std::move(more);
  lir.more_defs = form->stores ? 0 : form->count;
  lir.imm = form->pack();
  lir.info.access = l.new_access();
  for (const Dest& d : results) WW_CHECK(l.settle(d));
  return {};
}

}  // namespace warpwright::simt
