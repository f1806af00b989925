// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

#include "simt/native/text.h"

namespace warpwright::simt {

/// Writes the function of one kernel.
class NativeWriter {
 public:
  NativeWriter(const Kernel& kernel, const NativeVariant& variant)
      : k_(kernel),
        variant_(variant),
        shapes_(kernel, {variant.whole_rows, variant.checks == Checks::full}) {}
  Result<NativeText> run();

 private:
  struct Group {
    std::uint32_t leader = 0;
    std::int64_t low = 0, high = 0;
    std::vector<std::uint32_t> members;
  };

  // Blocks and ways between them.
  void block(std::uint32_t b);
  void entry(std::uint32_t id);
  void edge(std::uint32_t to);
  void branch(std::uint32_t id);
  [[nodiscard]] bool is_entry_block(std::uint32_t b) const;

  // Single instructions.
  void step(std::uint32_t id);
  void operation(std::uint32_t id);
  void call(std::uint32_t id);
  void leave(std::uint32_t id, bool returns);
  void suspend(std::uint32_t id);
  void exchange(std::uint32_t id);
  void resume(std::uint32_t id);
  bool affine_operation(std::uint32_t id, const OpRow& op, const ValueFacts& result);
  bool compare_affine(std::uint32_t id, const OpRow& op);
  void give_up(std::uint32_t id, const std::string& unless);

  // Memory accesses; native_writer_memory.cpp.
  void access(std::uint32_t id);
  void slow_access(std::uint32_t id, const AccessForm& a);
  void load(std::uint32_t id, const AccessForm& a, const std::string& from, bool uniform);
  void store(std::uint32_t id, const AccessForm& a, const std::string& to);
  void shared_access(std::uint32_t id, const AccessForm& a, bool uniform);
  /// `surely`: the addresses are neighbours; only bounds can fail.
  void global_access(std::uint32_t id, const AccessForm& a, bool uniform, bool surely);
  void find_groups(std::uint32_t b);
  [[nodiscard]] bool covers(const Group& g, std::uint32_t bytes, std::uint32_t span) const;
  [[nodiscard]] std::string first_address(std::uint32_t id) const;
  [[nodiscard]] std::string inside(std::uint32_t id, std::string_view at, std::uint64_t span) const;

  // Values.
  [[nodiscard]] std::string scalar(Ref ref) const;
  [[nodiscard]] std::string stride(Ref ref) const;
  [[nodiscard]] std::string vector(Ref ref, std::uint8_t width) const;
  [[nodiscard]] std::string type_of(std::uint8_t width) const;
  [[nodiscard]] std::string place(std::uint32_t slot) const;
  void settle(Ref ref);  ///< makes a NaN canonical
  void spill(std::uint32_t slot);
  void spill_live(std::uint32_t id, bool before);
  void reload(std::uint32_t slot, bool as_vector);
  [[nodiscard]] ValueFacts facts(Ref ref) const { return shapes_.facts_of(state_, ref); }

  template <class... A>
  void line(fmt::format_string<A...> format, A&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<A>(args)...);
    out_ += '\n';
  }

  const Kernel& k_;
  NativeVariant variant_;
  KernelShapes shapes_;
  NativeText text_;
  std::string out_;
  SlotState state_;
  std::vector<bool> raw_;                  ///< by slot: a NaN of it is not canonical yet
  std::map<std::uint32_t, Group> groups_;  ///< by leader
  std::map<std::uint32_t, std::uint32_t> group_of_;
};

}  // namespace warpwright::simt
