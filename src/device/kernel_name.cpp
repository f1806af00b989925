// SPDX-License-Identifier: Apache-2.0
#include "device/kernel_name.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace warpwright::device {

std::string kernel_name(const std::string& mangled) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> plain(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), std::free);
  if (status != 0 || plain == nullptr) return mangled;
  std::string name = plain.get();
  // Templates are shown with their arguments; parameter lists are noise.
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '<') ++depth;
    if (name[i] == '>') --depth;
    if (name[i] == '(' && depth == 0) {
      name.resize(i);
      break;
    }
  }
  const std::size_t blank = name.rfind(' ');
  return depth == 0 && blank != std::string::npos && name.find('<') > blank ? name.substr(blank + 1)
                                                                            : name;
}

}  // namespace warpwright::device
