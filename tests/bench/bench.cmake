# SPDX-License-Identifier: Apache-2.0

# bench_*: measure, print, assert nothing. Not part of ctest and not of `all`; build them with the preset `release`.
# Included, not a folder of its own: Qt Test names the build folder, and test_support names the same.
foreach(name decision spawn record)
  add_executable(bench_${name} EXCLUDE_FROM_ALL bench/bench_${name}.cpp bench/bench.h)
  target_link_libraries(bench_${name} PRIVATE portcullis_options test_support runner Qt6::Test Qt6::Sql)
  target_compile_definitions(bench_${name} PRIVATE TEST_BIN_DIR="${CMAKE_BINARY_DIR}/bin"
    TEST_RESOURCE_DIR="${CMAKE_SOURCE_DIR}/resources")
endforeach()
