# One static library per folder of src/, one test program per folder of tests/.

# ww_existing(OUT targets...): those of our folders' libraries that exist, and everything else.
function(ww_existing out)
  set(found "")
  foreach(item IN LISTS ARGN)
    if(NOT item MATCHES "^ww_" OR TARGET ${item})
      list(APPEND found ${item})
    endif()
  endforeach()
  set(${out} ${found} PARENT_SCOPE)
endfunction()

# In the sanitizer build several files are compiled as one: headers and their templates are half of the
# time. Names in anonymous namespaces must differ within a folder then; the release build compiles each
# file alone, and so finds what lacks an include.
function(ww_compile_together target)
  if(WARPWRIGHT_SANITIZE)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 6)
  endif()
endfunction()

# ww_folder(NAME [HOT] [APART] [LINK targets...] [EXCLUDE files...] [ROOMS folders...]): library ww_NAME from
# src/NAME/*.cpp and from the *.cpp of the named sub-folders.
# HOT: optimised in the sanitizer build too, but for COLD files (patterns), which run once per kernel and
# take long to optimise. APART: every file is compiled alone.
function(ww_folder name)
  cmake_parse_arguments(ARG "HOT;APART" "" "LINK;EXCLUDE;COLD;ROOMS" ${ARGN})
  list(TRANSFORM ARG_ROOMS PREPEND ${CMAKE_SOURCE_DIR}/src/${name}/)
  list(TRANSFORM ARG_ROOMS APPEND /*.cpp)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.cpp ${ARG_ROOMS})
  foreach(file IN LISTS ARG_EXCLUDE)
    list(REMOVE_ITEM sources ${CMAKE_SOURCE_DIR}/src/${name}/${file})
  endforeach()
  if(NOT sources)
    return()
  endif()
  add_library(ww_${name} STATIC ${sources})
  target_include_directories(ww_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src)
  if(NOT ARG_APART)
    ww_compile_together(ww_${name})
  endif()
  if(ARG_HOT AND WARPWRIGHT_SANITIZE)
    target_compile_options(ww_${name} PRIVATE -O1)
    foreach(pattern IN LISTS ARG_COLD)
      file(GLOB cold CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/${pattern})
      set_source_files_properties(${cold} PROPERTIES COMPILE_OPTIONS -O0)
    endforeach()
  endif()
  ww_existing(links ${ARG_LINK})
  target_link_libraries(ww_${name} PUBLIC ${links})
endfunction()

# ww_test(NAME [EACH_CASE] [APART] [LINK targets...] [SOURCES more...] [LABELS labels...]): program test_NAME
# from tests/NAME/*_test.cpp. EACH_CASE runs every case in a process of its own.
function(ww_test name)
  cmake_parse_arguments(ARG "EACH_CASE;APART" "" "LINK;SOURCES;LABELS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/${name}/*_test.cpp)
  if(NOT sources)
    return()
  endif()
  add_executable(test_${name} ${sources} ${ARG_SOURCES})
  target_include_directories(test_${name} PRIVATE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/tests)
  if(NOT ARG_APART)
    ww_compile_together(test_${name})
  endif()
  # Test code runs once: what counts is how fast it compiles. Undefined behaviour is looked for in what
  # it tests.
  target_compile_options(test_${name} PRIVATE $<$<CONFIG:Debug>:-O0>)
  if(WARPWRIGHT_SANITIZE)
    target_compile_options(test_${name} PRIVATE -fno-sanitize=undefined)
  endif()
  target_compile_definitions(test_${name} PRIVATE
    WARPWRIGHT_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  ww_existing(links ${ARG_LINK})
  target_link_libraries(test_${name} PRIVATE ${links} GTest::gmock GTest::gtest_main)
  if(ARG_EACH_CASE)
    gtest_discover_tests(test_${name} TEST_PREFIX ${name}. DISCOVERY_MODE PRE_TEST
      PROPERTIES TIMEOUT 600 LABELS "${ARG_LABELS}" SKIP_REGULAR_EXPRESSION "SKIPPED")
    return()
  endif()
  # One CTest entry per program: starting a sanitized process per case costs more than the cases.
  add_test(NAME ${name} COMMAND test_${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT 600 LABELS "${ARG_LABELS}")
endfunction()
