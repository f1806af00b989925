// SPDX-License-Identifier: Apache-2.0
#include "port/hip_headers.h"

#include <sys/stat.h>

#include <algorithm>
#include <set>

#include "base/embedded.h"
#include "base/files.h"
#include "port/lexer.h"
#include "port/names.h"
#include "port/source_text.h"
#include "port/translate.h"

namespace warpwright {
std::span<const EmbeddedFile> port_machine_headers();
}  // namespace warpwright

namespace warpwright::port {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kForwarded[] = {
    "hip_runtime.h",   "hip_runtime_api.h",        "hip_fp16.h",
    "hip_complex.h",   "hip_vector_types.h",       "hip_common.h",
    "driver_types.h",  "device_functions.h",       "math_functions.h",
    "texture_types.h", "surface_types.h",          "channel_descriptor.h",
    "library_types.h", "hip_texture_types.h",      "hip_ext.h",
    "hip_profile.h",   "hip_cooperative_groups.h",
};

/// Compatibility headers with functions that CUDA's own headers define too.
constexpr std::string_view kDeviceFunctions[] = {
    "warpwright_hip_device.h", "warpwright_hip_minmax.h", "warpwright_hip_rounding.h",
    "warpwright_hip_video.h"};

/// Functions of the device that a compatibility header defines, but for its own (ww_...).
std::set<std::string> device_functions_in(std::string_view text) {
  std::set<std::string> names;
  const SourceText source(text);
  for (std::size_t i = 0; i + 1 < source.size(); ++i) {
    if (!source.is(i, "WW_DEVICE") && !source.is(i, "WW_BOTH")) continue;
    std::size_t k = i + 1;
    while (k + 1 < source.size() && !source.is(k + 1, "(")) ++k;
    if (k + 1 < source.size() && source.word(k) && !source.at(k).starts_with("ww_"))
      names.emplace(source.at(k));
  }
  return names;
}

Status write_readable(const fs::path& path, std::string_view content) {
  WW_CHECK(write_file(path, content));
  ::chmod(path.c_str(), 0644);
  return {};
}

}  // namespace

std::string hip_names_header() {
  std::string text = "// Made from the table of names of the translator.\n#pragma once\n";
  for (const auto& [hip, cuda] : hip_names_in_cuda()) text += "#define " + hip + " " + cuda + "\n";
  text += "#if defined(__CUDACC__) && !defined(WW_ON_NVIDIA)\n";
  for (const CompatibilityFile& file : compatibility_files(Direction::to_hip)) {
    if (std::ranges::find(kDeviceFunctions, file.name) == std::ranges::end(kDeviceFunctions))
      continue;
    for (const std::string& name : device_functions_in(file.content))
      text += "#define " + name + " ww_compat" + name + "\n";
  }
  return text + "#endif\n";
}

Status write_hip_headers(const fs::path& folder) {
  WW_CHECK(make_directories(folder / "hip"));
  ::chmod(folder.c_str(), 0755);
  ::chmod((folder / "hip").c_str(), 0755);
  for (const EmbeddedFile& file : port_machine_headers())
    WW_CHECK(write_readable(folder / fs::path(file.path).filename(), file.content));
  WW_CHECK(write_readable(folder / "ww_hip_names.h", hip_names_header()));
  for (const std::string_view name : kForwarded) {
    std::string text = "#pragma once\n#include \"../ww_hip_machine.h\"\n";
    if (name == "hip_complex.h") text += "#include <cuComplex.h>\n";
    WW_CHECK(write_readable(folder / "hip" / name, text));
  }
  return {};
}

std::string hip_headers_text() {
  std::string all = hip_names_header();
  for (const EmbeddedFile& file : port_machine_headers()) all += file.content;
  return all;
}

}  // namespace warpwright::port
