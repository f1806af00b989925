# ww_embed(TARGET HEADER_NAME NAMESPACE_FUNCTION files...): text files as constants in the program.
# Generates HEADER_NAME declaring `std::span<const EmbeddedFile> FUNCTION()` (base/embedded.h).
function(ww_embed target function)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${target}_${function}.cpp)
  set(list_file ${CMAKE_CURRENT_BINARY_DIR}/${target}_${function}.list)
  string(REPLACE ";" "\n" lines "${ARGN}")
  file(CONFIGURE OUTPUT ${list_file} CONTENT "${lines}\n" @ONLY)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DFUNCTION=${function} -DLIST=${list_file} -DROOT=${CMAKE_SOURCE_DIR}
            -DOUTPUT=${output} -P ${CMAKE_SOURCE_DIR}/cmake/embed_files.cmake
    DEPENDS ${ARGN} ${list_file} ${CMAKE_SOURCE_DIR}/cmake/embed_files.cmake
    VERBATIM)
  set_source_files_properties(${output} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
  ww_real_target(library ${target})
  if(NOT library STREQUAL target)
    # A group's batch includes it: one compilation less.
    set_property(GLOBAL APPEND PROPERTY ${library}_files ${output})
    set_source_files_properties(${output} PROPERTIES HEADER_FILE_ONLY ON)
  endif()
  target_sources(${library} PRIVATE ${output})
endfunction()
