// SPDX-License-Identifier: Apache-2.0
#include "port/names.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>

namespace warpwright::port {

namespace {

struct NamePair {
  std::string_view cuda;
  std::string_view hip;
};

struct NameAdvice {
  std::string_view name;
  std::string_view advice;
};

struct HeaderPair {
  std::string_view cuda;
  std::string_view hip;
};

struct LibraryRow {
  std::string_view cuda, hip;              ///< prefixes of functions and types
  std::string_view cuda_macro, hip_macro;  ///< prefixes of constants
  std::string_view cuda_header, hip_header;
  std::string_view name;
};

struct LibraryFolder {
  std::string_view cuda, hip;   ///< prefixes of headers
  std::string_view hip_header;  ///< one header for all; empty = the same name below `hip`
  std::string_view name;
};

#include "port/irregular_names.inc"
#include "port/known_names.inc"

template <std::size_t count>
bool listed(const std::string_view (&names)[count], std::string_view name) {
  return std::binary_search(std::begin(names), std::end(names), name);
}

bool is_name(std::string_view text) {
  return !text.empty() && (text[0] < '0' || text[0] > '9') && text != "nullptr";
}

constexpr std::string_view kAttribute = "cudaDevAttr";
constexpr std::string_view kHipAttribute = "hipDeviceAttribute";

/// Whether a name of HIP is one of CUDA's runtime but for its beginning.
bool is_regular(std::string_view hip) {
  if (hip.starts_with(kHipAttribute) &&
      listed(kCudaNames, std::string(kAttribute) + std::string(hip.substr(kHipAttribute.size()))))
    return true;
  return hip.starts_with("hip") && listed(kCudaNames, "cuda" + std::string(hip.substr(3)));
}

/// The irregular pairs by name. Where several rows have one key, the first counts.
using PairIndex = std::unordered_map<std::string_view, std::string_view>;

const PairIndex& irregular(Direction direction) {
  const auto make = [](bool from_cuda) {
    PairIndex index;
    for (const NamePair& row : kIrregular) {
      const std::string_view key = from_cuda ? row.cuda : row.hip;
      // On the way back the runtime's own name comes before one of the driver's.
      if (is_name(key) && (from_cuda || !is_regular(key)))
        index.emplace(key, from_cuda ? row.hip : row.cuda);
    }
    return index;
  };
  static const PairIndex from_cuda = make(true);
  static const PairIndex from_hip = make(false);
  return direction == Direction::to_hip ? from_cuda : from_hip;
}

constexpr std::string_view kPlainAdvice =
    "HIP has no such name: write the step with calls that it has, or leave it out";
constexpr std::string_view kPlainCudaAdvice =
    "CUDA has no such name: write the step with calls that it has, or leave it out";

NameChange mapped(std::string to) { return {NameFate::mapped, std::move(to), {}}; }
NameChange unmapped(std::string_view advice) { return {NameFate::unmapped, {}, advice}; }

std::string_view advice_for(std::string_view name) {
  for (const NameAdvice& row : kNoCounterpart)
    if (row.name == name) return row.advice;
  return kPlainAdvice;
}

bool upper_at(std::string_view name, std::size_t at) {
  return name.size() > at && ((name[at] >= 'A' && name[at] <= 'Z') || name[at] == '_');
}

/// cublasX and CUBLAS_X of any library; the longer prefixes come first in the table.
NameChange change_library_name(std::string_view name, Direction direction) {
  const bool to_hip = direction == Direction::to_hip;
  for (const LibraryRow& row : kLibraries) {
    const std::string_view small = to_hip ? row.cuda : row.hip;
    const std::string_view large = to_hip ? row.cuda_macro : row.hip_macro;
    if (row.cuda == row.hip) continue;
    if (name.starts_with(small) && upper_at(name, small.size()))
      return {NameFate::library,
              std::string(to_hip ? row.hip : row.cuda) + std::string(name.substr(small.size())),
              row.name};
    if (name.starts_with(large) && name.size() > large.size() && name[large.size()] == '_')
      return {NameFate::library,
              std::string(to_hip ? row.hip_macro : row.cuda_macro) +
                  std::string(name.substr(large.size())),
              row.name};
  }
  return {};
}

/// cuCmul and its like: a complex function has the same name after its prefix.
bool complex_function(std::string_view rest) {
  constexpr std::string_view kFunctions[] = {"Cabs",
                                             "Cabsf",
                                             "Cadd",
                                             "Caddf",
                                             "Cdiv",
                                             "Cdivf",
                                             "Cfma",
                                             "Cfmaf",
                                             "Cimag",
                                             "Cimagf",
                                             "Cmul",
                                             "Cmulf",
                                             "Conj",
                                             "Conjf",
                                             "Creal",
                                             "Crealf",
                                             "Csub",
                                             "Csubf",
                                             "ComplexDoubleToFloat",
                                             "ComplexFloatToDouble"};
  return std::find(std::begin(kFunctions), std::end(kFunctions), rest) != std::end(kFunctions);
}

NameChange change_to_hip(std::string_view name) {
  if (name.starts_with(kAttribute)) {
    const std::string to = std::string(kHipAttribute) + std::string(name.substr(kAttribute.size()));
    return listed(kHipNames, to) ? mapped(to) : unmapped(advice_for(name));
  }
  if (name.starts_with("cuda") && upper_at(name, 4)) {
    const std::string to = "hip" + std::string(name.substr(4));
    if (!advice_for(name).empty() && advice_for(name) != kPlainAdvice)
      return unmapped(advice_for(name));
    if (listed(kHipNames, to)) return mapped(to);
    return listed(kCudaNames, name) ? unmapped(kPlainAdvice) : NameChange{};
  }
  if (name.starts_with("cu") && upper_at(name, 2)) {
    const std::string_view rest = name.substr(2);
    if (complex_function(rest)) return mapped("hip" + std::string(rest));
    if (!listed(kDriverNames, name)) return change_library_name(name, Direction::to_hip);
    const std::string to = "hip" + std::string(rest);
    return listed(kHipNames, to) ? mapped(to) : unmapped(kPlainAdvice);
  }
  return change_library_name(name, Direction::to_hip);
}

NameChange change_to_cuda(std::string_view name) {
  if (name.starts_with(kHipAttribute) && listed(kHipNames, name)) {
    const std::string to = std::string(kAttribute) + std::string(name.substr(kHipAttribute.size()));
    return listed(kCudaNames, to) ? mapped(to) : unmapped(kPlainCudaAdvice);
  }
  if (name.starts_with("hip") && upper_at(name, 3)) {
    const std::string_view rest = name.substr(3);
    if (complex_function(rest)) return mapped("cu" + std::string(rest));
    if (!listed(kHipNames, name)) return {};
    if (const std::string to = "cuda" + std::string(rest); listed(kCudaNames, to))
      return mapped(to);
    if (const std::string to = "cu" + std::string(rest); listed(kDriverNames, to))
      return mapped(to);
    return unmapped(kPlainCudaAdvice);
  }
  return change_library_name(name, Direction::to_cuda);
}

}  // namespace

NameChange change_name(std::string_view name, Direction direction) {
  const PairIndex& pairs = irregular(direction);
  if (const auto found = pairs.find(name); found != pairs.end())
    return mapped(std::string(found->second));
  return direction == Direction::to_hip ? change_to_hip(name) : change_to_cuda(name);
}

std::vector<std::pair<std::string, std::string>> hip_names_in_cuda() {
  std::vector<std::pair<std::string, std::string>> pairs;
  const auto add = [&pairs](std::string_view name) {
    NameChange change = change_name(name, Direction::to_cuda);
    if (change.fate == NameFate::mapped && is_name(change.to) && change.to != name)
      pairs.emplace_back(name, std::move(change.to));
  };
  for (const std::string_view name : kHipNames) add(name);
  for (const NamePair& row : kIrregular)
    if (row.hip.starts_with("hip") || row.hip.starts_with("HIP_") ||
        row.hip.starts_with("make_hip"))
      add(row.hip);
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

NameChange change_header(std::string_view header, Direction direction) {
  const bool to_hip = direction == Direction::to_hip;
  for (const HeaderPair& row : kHeaders)
    if ((to_hip ? row.cuda : row.hip) == header)
      return mapped(std::string(to_hip ? row.hip : row.cuda));
  for (const LibraryRow& row : kLibraries)
    if ((to_hip ? row.cuda_header : row.hip_header) == header)
      return {NameFate::library, std::string(to_hip ? row.hip_header : row.cuda_header), row.name};
  for (const LibraryFolder& row : kLibraryFolders) {
    const std::string_view from = to_hip ? row.cuda : row.hip;
    if (from.empty() || !header.starts_with(from)) continue;
    if (!to_hip && header == row.hip_header) return {NameFate::library, "cub/cub.cuh", row.name};
    if (to_hip && !row.hip_header.empty())
      return {NameFate::library, std::string(row.hip_header), row.name};
    return {NameFate::library, std::string(header), row.name};
  }
  return {};
}

}  // namespace warpwright::port
