# SPDX-License-Identifier: Apache-2.0

# bench_*: measure, print, assert nothing. Not part of ctest and not of `all`; tests/bench/run builds and runs them with
# the preset `release`. Included, not a folder of its own: Qt Test names the build folder, and test_support names the
# same.
add_custom_target(benchmarks DEPENDS portcullis-runner portcullis-guard)
foreach(name decision spawn record replay log console)
  if(name STREQUAL "console" AND NOT PORTCULLIS_CONSOLE)
    continue()
  endif()
  add_executable(bench_${name} EXCLUDE_FROM_ALL bench/bench_${name}.cpp bench/bench.h)
  target_link_libraries(bench_${name} PRIVATE portcullis_options test_support runner Qt6::Test PkgConfig::re2
    PkgConfig::sqlite3)
  target_compile_definitions(bench_${name} PRIVATE TEST_BIN_DIR="${CMAKE_BINARY_DIR}/bin"
    TEST_RESOURCE_DIR="${CMAKE_SOURCE_DIR}/resources")
  add_dependencies(benchmarks bench_${name})
endforeach()
if(TARGET bench_console)
  target_link_libraries(bench_console PRIVATE console_app Qt6::Widgets)
endif()
