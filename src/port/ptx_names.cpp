// SPDX-License-Identifier: Apache-2.0
#include "port/ptx_names.h"

#include <cctype>

namespace warpwright::port {

std::string cpp_name(std::string_view prefix, std::string_view ptx_name) {
  std::string name(prefix);
  for (const char c : ptx_name)
    if (c != '%' && c != '$') name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
}

std::string register_name(std::string_view ptx_name) {
  std::string name(ptx_name.starts_with('%') ? "v_" : "own_");
  for (const char c : ptx_name)
    if (c != '%') name += c;  // compilers of C++ take '$' as a letter, too
  return name;
}

void PtxNames::add_register(const ptx::Variable& declared) {
  auto& table = declared.count > 0 ? families_ : single_;
  table[std::string(declared.name)] = std::string(declared.type);
}

std::string PtxNames::own_type(std::string_view name) const {
  const auto found = single_.find(name);
  return found == single_.end() ? std::string() : found->second;
}

void PtxNames::add_variable(std::string_view name, ptx::Space space, std::string cpp) {
  places_[std::string(name)] = {space, std::move(cpp)};
}

std::string PtxNames::register_type(std::string_view name) const {
  if (const auto found = single_.find(name); found != single_.end()) return found->second;
  std::size_t end = name.size();
  while (end > 0 && std::isdigit(static_cast<unsigned char>(name[end - 1])) != 0) --end;
  if (end == name.size()) return {};
  const auto found = families_.find(name.substr(0, end));
  return found == families_.end() ? std::string() : found->second;
}

const PtxNames::Place* PtxNames::variable(std::string_view name) const {
  const auto found = places_.find(name);
  return found == places_.end() ? nullptr : &found->second;
}

}  // namespace warpwright::port
