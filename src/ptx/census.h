// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpwright::ptx {

/// Something that device code does and that a rule may be about.
struct CensusRow {
  std::string kind;     ///< a name of census_kinds()
  int count = 0;        ///< instructions of that kind
  int line = 0;         ///< of the first one, in the candidate; 0 = not known
  std::string example;  ///< the first one, without blanks: "cvt.rn.f16.f32"

  bool operator==(const CensusRow&) const = default;
};

/// Which part of the judge a kind concerns.
enum class CensusTopic { precision, cache, clock, place, heap, state };

struct CensusKind {
  std::string_view name;
  CensusTopic topic;
  std::string_view what;  ///< in words
};
const std::vector<CensusKind>& census_kinds();
const CensusKind* census_kind(std::string_view name);

/// Counts over the whole module, in the order of census_kinds(); kinds that do not occur are left
/// out. Total: any text gives a census. `source_file` is the name under which the candidate was
/// compiled.
std::vector<CensusRow> census_of(std::string_view ptx, std::string_view source_file);

/// The same from a listing of machine code (nvdisasm or cuobjdump -sass): precision kinds only.
/// The compiler writes constants with half-precision instructions on zero registers; those are not
/// counted.
std::vector<CensusRow> sass_census(std::string_view listing);

/// "3 conversions to FP16 (cvt.rn.f16.f32), 8 tensor-core products of TF32 (...)"
std::string describe(const std::vector<CensusRow>& rows);

}  // namespace warpwright::ptx
