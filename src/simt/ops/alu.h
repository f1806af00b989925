// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "simt/isa/numbers.h"
#include "simt/isa/shape_rule.h"
#include "simt/ops/half.h"
#include "simt/state/warp.h"

// Turns a scalar function into a handler over 32 lanes. Types say where operands live: bool is a
// predicate (one word for all lanes), everything else a slot of 32 values.

namespace warpwright::simt {

/// How an operand is stored and how an immediate for it is read.
struct ArgType {
  std::uint8_t width = 0;  ///< bytes per lane; 0: predicate
  enum class Real : std::uint8_t { none, half, bfloat, single, double_ } real = Real::none;
  bool is_signed = false;  ///< a wider register gets the sign
};

template <class T>
constexpr ArgType arg_type() {
  if constexpr (std::is_same_v<T, bool>) return {0};
  if constexpr (std::is_same_v<T, f32>) return {4, ArgType::Real::single};
  if constexpr (std::is_same_v<T, f64>) return {8, ArgType::Real::double_};
  if constexpr (std::is_same_v<T, Half>) return {2, ArgType::Real::half};
  if constexpr (std::is_same_v<T, BFloat>) return {2, ArgType::Real::bfloat};
  return {sizeof(T), ArgType::Real::none, std::is_signed_v<T>};
}

template <class T>
struct In {
  const T* values;
  In(const Warp& w, Ref r) : values(w.slot<const T>(r)) {}
  T operator[](u32 lane) const { return values[lane]; }
};
template <>
struct In<bool> {
  u32 bits;
  In(const Warp& w, Ref r) : bits(w.predicate(r)) {}
  bool operator[](u32 lane) const { return (bits >> lane & 1) != 0; }
};

inline Ref operand(const Ins* i, std::size_t k) {
  return k == 0 ? i->a : k == 1 ? i->b : k == 2 ? i->c : i->more[k - 3];
}

template <auto F>
struct Alu;

template <class R, class... A, R (*F)(A...)>
struct Alu<F> {
  static constexpr std::size_t kArgs = sizeof...(A);

  static const Ins* run(Warp& w, const Ins* i) {
    apply(w, i);
#ifdef NDEBUG
    // A tail call: arithmetic chains from handler to handler without a round through the loop.
    return i[1].run(w, i + 1);
#else
    return i + 1;
#endif
  }

  static void apply(Warp& w, const Ins* i) { go(w, i, std::make_index_sequence<kArgs>()); }

  template <std::size_t... K>
  static inline void go(Warp& w, const Ins* i, std::index_sequence<K...>) {
    const u32 m = w.lanes(i);
    if constexpr (std::is_same_v<R, bool>) {
      u32 bits = 0;
      [&](const In<A>... in) {
#pragma GCC ivdep
        for (u32 l = 0; l < kLanes; ++l) bits |= F(in[l]...) ? u32{1} << l : 0;
      }(In<A>(w, operand(i, K))...);
      u32* d = w.slot<u32>(i->d);
      *d = (*d & ~m) | (bits & m);
    } else {
      R* d = w.slot<R>(i->d);
      [&](const In<A>... in) {
        if (m == kAllLanes) {
#pragma GCC ivdep
          for (u32 l = 0; l < kLanes; ++l) d[l] = F(in[l]...);
        } else {
#pragma GCC ivdep
          for (u32 l = 0; l < kLanes; ++l) {
            const R r = F(in[l]...);
            d[l] = (m >> l & 1) != 0 ? r : d[l];
          }
        }
      }(In<A>(w, operand(i, K))...);
    }
  }
};

template <class... T, class Body>
void for_types(Body body) {
  (body.template operator()<T>(), ...);
}

/// The PTX name of a type.
template <class T>
constexpr const char* type_name() {
  if constexpr (std::is_same_v<T, s8>) return "s8";
  if constexpr (std::is_same_v<T, u8>) return "u8";
  if constexpr (std::is_same_v<T, s16>) return "s16";
  if constexpr (std::is_same_v<T, u16>) return "u16";
  if constexpr (std::is_same_v<T, s32>) return "s32";
  if constexpr (std::is_same_v<T, u32>) return "u32";
  if constexpr (std::is_same_v<T, s64>) return "s64";
  if constexpr (std::is_same_v<T, u64>) return "u64";
  if constexpr (std::is_same_v<T, f32>) return "f32";
  if constexpr (std::is_same_v<T, f64>) return "f64";
  if constexpr (std::is_same_v<T, Half>) return "f16";
  if constexpr (std::is_same_v<T, BFloat>) return "bf16";
}

/// "cvt.rn.f32.s32" from its parts; empty ones are left out.
std::string opcode(std::initializer_list<const char*> parts);

/// One row of the instruction set: the full opcode and how to execute it.
struct OpRow {
  Handler run = nullptr;
  OpClass op_class = OpClass::integer;
  std::uint16_t flops = 0;
  std::uint8_t args = 0;
  ArgType result;
  ArgType arg[6];
  NativeForm native;
};

/// The arithmetic instruction set by full opcode ("mad.wide.u32").
class OpTable {
 public:
  template <auto F>
  void add(std::string_view name, OpClass op_class, int flops = 0, NativeForm native = {}) {
    add_signature(name, &Alu<F>::run, F, op_class, flops, native);
  }
  /// The same operands as F, another way to execute it.
  template <class R, class... A>
  void add_signature(std::string_view name, Handler run, R (*)(A...), OpClass op_class, int flops,
                     NativeForm native = {}) {
    static constexpr ArgType kTypes[] = {arg_type<R>(), arg_type<A>()...};
    add_row(name, run, kTypes, op_class, flops, native);
  }
  /// How compiled code executes a row that is there.
  void set_native(std::string_view name, NativeForm native);
  /// Another opcode for a row that is there.
  void add_name(std::string_view name, std::string_view of);
  [[nodiscard]] const OpRow* find(const std::string& name) const {
    const auto it = rows_.find(name);
    return it == rows_.end() ? nullptr : &it->second;
  }
  [[nodiscard]] std::size_t size() const { return rows_.size(); }
  [[nodiscard]] const std::unordered_map<std::string, OpRow>& rows() const { return rows_; }

 private:
  /// `types`: the result's, then the operands'. Compiled once, not per row.
  void add_row(std::string_view name, Handler run, std::span<const ArgType> types, OpClass op_class,
               int flops, NativeForm native);

  std::unordered_map<std::string, OpRow> rows_;
};

void add_integer_ops(OpTable& t);
void add_logic_ops(OpTable& t);
void add_float_ops(OpTable& t);
void add_rounded_ops(OpTable& t);
void add_half_ops(OpTable& t);
void add_compare_ops(OpTable& t);
void add_convert_ops(OpTable& t);
void add_fp8_ops(OpTable& t);
void add_integer_convert_ops(OpTable& t);
void add_video_ops(OpTable& t);
void add_special_ops(OpTable& t);
/// "__nv_expf" and the like, by function name.
void add_math_calls(OpTable& t);

/// All of the above, built once.
const OpTable& op_table();

}  // namespace warpwright::simt
