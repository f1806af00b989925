# cmake --install, and `cmake --build build/release --target package` for a .deb. The program has its tasks,
# prompts, device headers and pages inside; beside it there are the manual page, completions and documents.
include(GNUInstallDirs)

# Libraries whose names differ between distributions travel along, so that one package fits Debian 12 and
# Ubuntu 24.04. What both have under one name (libc, libstdc++, curl, SQLite, zlib, OpenSSL, seccomp) does not.
set_target_properties(warpwright PROPERTIES INSTALL_RPATH "$ORIGIN/../lib/warpwright")
install(TARGETS warpwright
        RUNTIME_DEPENDENCIES
          PRE_INCLUDE_REGEXES "^libfmt\\.so" "^libcpp-httplib\\.so" "^libtomlplusplus\\.so"
          PRE_EXCLUDE_REGEXES ".*"
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
        LIBRARY DESTINATION lib/warpwright)

# What the program writes of itself.
if(NOT CMAKE_CROSSCOMPILING)
  set(pages ${CMAKE_BINARY_DIR}/pages)
  set(made "")
  foreach(row "man:warpwright.1:${CMAKE_INSTALL_MANDIR}/man1"
              "completions bash:warpwright:${CMAKE_INSTALL_DATADIR}/bash-completion/completions"
              "completions zsh:_warpwright:${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions"
              "completions fish:warpwright.fish:${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
    string(REPLACE ":" ";" row "${row}")
    list(GET row 0 words)
    list(GET row 1 name)
    list(GET row 2 folder)
    string(REPLACE " " ";" words "${words}")
    add_custom_command(OUTPUT ${pages}/${name} DEPENDS warpwright
                       COMMAND ${CMAKE_COMMAND} -E make_directory ${pages}
                       COMMAND warpwright ${words} > ${pages}/${name})
    install(FILES ${pages}/${name} DESTINATION ${folder})
    list(APPEND made ${pages}/${name})
  endforeach()
  add_custom_target(ww_pages ALL DEPENDS ${made})
endif()

install(FILES README.md CHANGELOG.md SECURITY.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs FILES_MATCHING PATTERN "*.md")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME warpwright)
set(CPACK_PACKAGE_VENDOR "The Warpwright authors")
set(CPACK_PACKAGE_CONTACT "The Warpwright authors <maintainers@warpwright.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "turns a description of a computation into a fast, proven CUDA kernel")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE})
# It runs without them: runs, pages and answers by hand. To judge a kernel it needs a compiler and walls.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS
    "clang-19 | clang-20 | clang-18 | clang-17, bubblewrap, g++, ca-certificates")
include(CPack)
