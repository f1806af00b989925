// SPDX-License-Identifier: Apache-2.0
// Files that the program looks for and that are not there: whoever counts is told which. The C
// library's functions are called by their next definition.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <string>

#include "runtime.h"

namespace {

/// A system's own files are nobody's input.
bool is_systems(const char* path) {
  for (const char* prefix : {"/proc/", "/sys/", "/dev/", "/etc/", "/usr/", "/lib"}) {
    if (::strncmp(path, prefix, ::strlen(prefix)) == 0) return true;
  }
  return false;
}

void watch(const char* path, bool found, bool reads) {
  const int error = errno;
  if (!found && reads && path != nullptr && (error == ENOENT || error == EACCES) &&
      !is_systems(path)) {
    ww_flops::note_missing("file " + std::string(path));
  }
  errno = error;
}

using Open = int (*)(const char*, int, ...);
using FileOpen = FILE* (*)(const char*, const char*);

int open_next(const char* name, const char* path, int flags, unsigned mode) {
  const auto next = reinterpret_cast<Open>(::dlsym(RTLD_NEXT, name));
  if (next == nullptr) {
    errno = ENOSYS;
    return -1;
  }
  const int fd = next(path, flags, mode);
  watch(path, fd >= 0, (flags & O_CREAT) == 0);
  return fd;
}

FILE* fopen_next(const char* name, const char* path, const char* mode) {
  const auto next = reinterpret_cast<FileOpen>(::dlsym(RTLD_NEXT, name));
  if (next == nullptr) {
    errno = ENOSYS;
    return nullptr;
  }
  FILE* file = next(path, mode);
  watch(path, file != nullptr, mode != nullptr && mode[0] == 'r');
  return file;
}

}  // namespace

#undef open
#undef open64
#undef fopen
#undef fopen64
extern "C" {
__attribute__((visibility("default"))) int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const unsigned mode = (flags & O_CREAT) != 0 ? va_arg(rest, unsigned) : 0;
  va_end(rest);
  return open_next("open", path, flags, mode);
}
__attribute__((visibility("default"))) int open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const unsigned mode = (flags & O_CREAT) != 0 ? va_arg(rest, unsigned) : 0;
  va_end(rest);
  return open_next("open64", path, flags, mode);
}
__attribute__((visibility("default"))) FILE* fopen(const char* path, const char* mode) {
  return fopen_next("fopen", path, mode);
}
__attribute__((visibility("default"))) FILE* fopen64(const char* path, const char* mode) {
  return fopen_next("fopen64", path, mode);
}
}
