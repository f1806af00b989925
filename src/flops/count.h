// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "flops/cost.h"
#include "flops/dataflow.h"
#include "ptx/ast.h"
#include "simt/state/report.h"

namespace warpwright::flop {

/// How sure a count is.
enum class Confidence : std::uint8_t {
  exact,    ///< every block was run
  sampled,  ///< some blocks were run; low and high say how sure it is
  bounded,  ///< cut short, or it may depend on data that an incomplete launch should have made
};
std::string_view name_of(Confidence confidence);

/// What was counted of an opcode or a source line.
struct PartCount {
  std::string name;  ///< "fma.rn.f32", "heat.cu:118"
  std::uint64_t lanes = 0;
  Flops flops;
  double bytes = 0;
  std::string implicit;
};

/// One launch of the program.
struct LaunchCount {
  std::string kernel;        ///< its name in the source, without templates' arguments
  std::string signature;     ///< with them and with its parameters
  std::uint64_t launch = 0;  ///< 0 = the first of that instance
  simt::Dim3 grid, block;
  Flops flops;
  double bytes = 0;  ///< asked for, of global memory
  Confidence confidence = Confidence::exact;
  double low = 0, high = 0;         ///< of all FLOPs together
  std::vector<PartCount> opcodes;   ///< those with FLOPs, most first
  std::vector<PartCount> lines;     ///< of the source: those with FLOPs or bytes, most FLOPs first
  std::vector<PartCount> implicit;  ///< by what they are: "division", "sine"
  bool cut_short = false;           ///< a block did not end within the budget
  bool diverges = false;            ///< lanes of a warp went different ways
  KernelTraits traits;
};

/// What the PTX of a module says of its instructions, by line.
class CostTable {
 public:
  /// Of PTX with or without lines of a source.
  explicit CostTable(std::string_view ptx);

  struct Row {
    std::string_view opcode;  ///< of the text, or the function that is called
    OpCost cost;
    std::uint32_t bytes = 0;
  };
  [[nodiscard]] const Row* row(std::uint32_t ptx_line) const;
  [[nodiscard]] const std::unordered_map<std::uint32_t, Row>& rows() const { return rows_; }

 private:
  std::unordered_map<std::uint32_t, Row> rows_;
};

/// Sums of a launch, or of some of its blocks.
struct Tally {
  Flops flops;
  double bytes = 0;
  std::uint64_t warps = 0;                          ///< instructions
  std::unordered_map<std::uint32_t, double> lanes;  ///< by line of PTX, where it costs something
  std::uint64_t divergent = 0;                      ///< branches with lanes going both ways

  void add(const Tally& other, double times);
};
/// Of a report on PTX without lines of a source (without_lines), in which each instruction is a
/// line.
Tally tally_of(const simt::LaunchReport& report, const CostTable& table);

/// Where instructions of a text come from: "heat.cu:118" by line of PTX.
using Places = std::unordered_map<std::uint32_t, std::string>;
Places places_in(const ptx::Ast& ast);

/// A tally by opcode, by line of the source and by what is implicit.
void split(const Tally& tally, const CostTable& table, const Places& places, LaunchCount& count);

/// The text with every `.loc` made a comment; all else is where it was.
std::string without_lines(std::string_view ptx);

/// "void scale<float>(float*, int)" of a mangled name; the name itself where it is none.
std::string signature_of(const std::string& mangled);
/// "scale" of such a signature.
std::string plain_name(std::string_view signature);

}  // namespace warpwright::flop
