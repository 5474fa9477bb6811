# SPDX-License-Identifier: Apache-2.0

# portcullis_tests(KIND TIMEOUT seconds LIBRARIES libs…): every tests/KIND/**/tst_*.cpp becomes a test with the label KIND.
# Tests in a folder `cli` also link the code of portcullis-runner.
function(portcullis_tests kind)
  cmake_parse_arguments(arg "" "TIMEOUT" "LIBRARIES;ENVIRONMENT" ${ARGN})
  set(libraries)
  foreach(library IN LISTS arg_LIBRARIES)
    if(TARGET ${library})
      list(APPEND libraries ${library})
    endif()
  endforeach()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/tests/${kind}/tst_*.cpp")
  foreach(source IN LISTS sources)
    get_filename_component(name "${source}" NAME_WE)
    set(target "${kind}_${name}")
    add_executable(${target} "${source}")
    set_target_properties(${target} PROPERTIES AUTOMOC ON RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests/${kind}")
    target_link_libraries(${target} PRIVATE portcullis_options test_support Qt6::Test ${libraries})
    if(source MATCHES "/cli/")
      target_link_libraries(${target} PRIVATE runner_cli)
    endif()
    if(source MATCHES "/ui/console/")
      target_link_libraries(${target} PRIVATE console_app)
    endif()
    # QTRY_* of Qt 6.8 narrow a number of milliseconds inside the macro. Options of the source come last.
    set_source_files_properties("${source}" PROPERTIES COMPILE_OPTIONS -Wno-conversion)
    if(PORTCULLIS_PCH AND NOT kind STREQUAL "ui") # other definitions: not the same precompiled headers
      target_precompile_headers(${target} REUSE_FROM test_headers)
    endif()
    target_compile_definitions(${target} PRIVATE
      TEST_BIN_DIR="${CMAKE_BINARY_DIR}/bin" TEST_DATA_DIR="${CMAKE_SOURCE_DIR}/tests/data"
      TEST_RESOURCE_DIR="${CMAKE_SOURCE_DIR}/resources" TEST_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
    add_test(NAME ${kind}/${name} COMMAND ${target})
    set_tests_properties(${kind}/${name} PROPERTIES LABELS ${kind} TIMEOUT ${arg_TIMEOUT} ENVIRONMENT "${arg_ENVIRONMENT}")
  endforeach()
endfunction()
