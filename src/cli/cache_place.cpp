// SPDX-License-Identifier: Apache-2.0
#include "cli/cache_place.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "base/files.h"

namespace warpwright::cli {

namespace fs = std::filesystem;

namespace {

fs::path wanted_place() {
  if (::geteuid() == 0) return "/var/cache/warpwright";
  const char* xdg = std::getenv("XDG_CACHE_HOME");
  if (xdg != nullptr && fs::path(xdg).is_absolute()) return fs::path(xdg) / "warpwright";
  const char* home = std::getenv("HOME");
  return home != nullptr && *home != '\0' ? fs::path(home) / ".cache" / "warpwright" : fs::path();
}

}  // namespace

Result<fs::path> cache_place() {
  const fs::path place = wanted_place();
  if (place.empty()) return Error{"there is no HOME to keep built things in; use --cache FOLDER"};
  WW_CHECK(make_directories(place.parent_path()));
  const bool root = ::geteuid() == 0;
  const mode_t rights = root ? 0755 : 0700;
  const bool made = ::mkdir(place.c_str(), rights) == 0;
  struct stat facts {};
  if (::lstat(place.c_str(), &facts) != 0 || !S_ISDIR(facts.st_mode))
    return Error{"cannot make the folder '" + place.string() + "'; use --cache FOLDER"};
  if (facts.st_uid != ::geteuid())
    return Error{"the folder '" + place.string() + "' is somebody else's; use --cache FOLDER"};
  if (made || (facts.st_mode & 0777) != rights) ::chmod(place.c_str(), rights);
  if ((facts.st_mode & 022) != 0)
    return Error{"others could write into '" + place.string() +
                 "' until now; remove it, or use --cache FOLDER"};
  return place;
}

}  // namespace warpwright::cli
