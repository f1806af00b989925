# The report page: zlib packs its texts, cpp-httplib serves it, the distribution's Chart.js and
# highlight.js travel inside the program. Without the two scripts pages have tables and plain
# sources instead.
find_package(ZLIB REQUIRED)
# Through pkg-config: the header must be compiled with the macros that its library was built with.
find_package(PkgConfig REQUIRED)
pkg_check_modules(HTTPLIB IMPORTED_TARGET cpp-httplib)
if(NOT HTTPLIB_FOUND)
  message(FATAL_ERROR "cpp-httplib is missing, it serves the live page; install it with its pkg-config file "
                      "(Debian, Ubuntu: apt-get install libcpp-httplib-dev)")
endif()

ww_folder(report GROUP rest LINK ww_core ww_store ZLIB::ZLIB PkgConfig::HTTPLIB)

file(GLOB page_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/web/*.js ${CMAKE_SOURCE_DIR}/web/*.css
     ${CMAKE_SOURCE_DIR}/web/*.html)
ww_embed(ww_report web_files ${page_files})

set(script_folders /usr/share/javascript /usr/share/nodejs /usr/local/share/javascript
    /usr/lib/nodejs /usr/local/lib/node_modules)
find_file(WARPWRIGHT_CHART_JS NAMES chart.js/chart.min.js chart.js/dist/chart.min.js
          PATHS ${script_folders} NO_DEFAULT_PATH)
find_file(WARPWRIGHT_HIGHLIGHT_JS NAMES highlight.js/lib/highlight.js PATHS ${script_folders}
          NO_DEFAULT_PATH)
find_file(WARPWRIGHT_HIGHLIGHT_CPP_JS NAMES highlight.js/lib/languages/cpp.js PATHS ${script_folders}
          NO_DEFAULT_PATH)
set(page_libraries "")
foreach(script WARPWRIGHT_CHART_JS WARPWRIGHT_HIGHLIGHT_JS WARPWRIGHT_HIGHLIGHT_CPP_JS)
  if(${script})
    list(APPEND page_libraries ${${script}})
  else()
    message(WARNING "${script} was not found: pages will do without it. Debian and Ubuntu have it in "
                    "libjs-chart.js and node-highlight.js; other places can be given with -D${script}=FILE")
  endif()
endforeach()
ww_embed(ww_report web_libraries ${page_libraries})
