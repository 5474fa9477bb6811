# SPDX-License-Identifier: Apache-2.0

# Programs that tests start inside of containers.
file(GLOB inside CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/docker/inside/*.cpp")
foreach(source IN LISTS inside)
  get_filename_component(name "${source}" NAME_WE)
  add_executable(${name} "${source}")
  set_target_properties(${name} PROPERTIES AUTOMOC ON RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests/docker")
  target_link_libraries(${name} PRIVATE portcullis_options test_support Qt6::Test)
  set_source_files_properties("${source}" PROPERTIES COMPILE_OPTIONS -Wno-conversion)
endforeach()

# One engine for all tests of the kind docker, in any order; its end comes also after tests that failed.
set(engine "${CMAKE_CURRENT_SOURCE_DIR}/docker/engine")
set(engine_dir "${CMAKE_BINARY_DIR}/tests/docker/engine")
add_test(NAME docker/engine_start COMMAND "${engine}" start "${engine_dir}")
add_test(NAME docker/engine_stop COMMAND "${engine}" stop "${engine_dir}")
set_tests_properties(docker/engine_start PROPERTIES LABELS docker TIMEOUT 600 FIXTURES_SETUP docker_engine)
set_tests_properties(docker/engine_stop PROPERTIES LABELS docker TIMEOUT 120 FIXTURES_CLEANUP docker_engine)
file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/docker/tst_*.cpp")
foreach(source IN LISTS sources)
  get_filename_component(name "${source}" NAME_WE)
  set_tests_properties(docker/${name} PROPERTIES FIXTURES_REQUIRED docker_engine)
endforeach()
