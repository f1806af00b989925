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
  ww_real_target(library ${target})
  if(library STREQUAL target)
    set_source_files_properties(${output} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
    target_sources(${library} PRIVATE ${output})
    return()
  endif()
  # The batch of a group includes it. It is no source of the library, whose dependents would wait for it then.
  set_property(GLOBAL APPEND PROPERTY ${library}_files ${output})
  add_custom_target(${target}_${function} DEPENDS ${output})
  add_dependencies(${library} ${target}_${function})
endfunction()
