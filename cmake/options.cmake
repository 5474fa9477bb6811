# SPDX-License-Identifier: Apache-2.0

# Compile and link options of all our targets. Linked PRIVATE, so nothing leaks to others.
add_library(portcullis_options INTERFACE)
target_include_directories(portcullis_options INTERFACE "${CMAKE_SOURCE_DIR}")
target_compile_options(portcullis_options INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Wimplicit-fallthrough
  -fstack-protector-strong -fno-plt)
target_compile_definitions(portcullis_options INTERFACE
  QT_NO_CAST_FROM_ASCII QT_NO_CAST_TO_ASCII QT_NO_KEYWORDS QT_NO_FOREACH QT_DISABLE_DEPRECATED_UP_TO=0x060800
  PORTCULLIS_VERSION="${PROJECT_VERSION}"
  PORTCULLIS_LIBEXECDIR="${CMAKE_INSTALL_LIBEXECDIR}" PORTCULLIS_DATADIR="${CMAKE_INSTALL_DATADIR}")
target_link_options(portcullis_options INTERFACE -Wl,-z,relro -Wl,-z,now)
if(CMAKE_BUILD_TYPE MATCHES "Rel")
  target_compile_options(portcullis_options INTERFACE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
endif()
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|aarch64" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(portcullis_options INTERFACE $<$<STREQUAL:${CMAKE_SYSTEM_PROCESSOR},x86_64>:-fcf-protection>)
endif()
if(PORTCULLIS_WERROR)
  target_compile_options(portcullis_options INTERFACE -Werror)
endif()
if(PORTCULLIS_ASAN)
  target_compile_options(portcullis_options INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(portcullis_options INTERFACE -fsanitize=address,undefined)
endif()
if(PORTCULLIS_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "PORTCULLIS_FUZZ needs Clang, whose libFuzzer makes the inputs (tools/fuzz)")
  endif()
  set(portcullis_fuzz_options -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all)
  target_compile_options(portcullis_options INTERFACE ${portcullis_fuzz_options} -fno-omit-frame-pointer)
  target_link_options(portcullis_options INTERFACE ${portcullis_fuzz_options})
endif()

# Every program is position independent.
add_library(portcullis_program INTERFACE)
target_link_libraries(portcullis_program INTERFACE portcullis_options)
target_compile_options(portcullis_program INTERFACE -fPIE)
target_link_options(portcullis_program INTERFACE -pie)

# Precompiled headers save about a third of the work. They can hide a missing include, so the preset `dev` has none.
option(PORTCULLIS_PCH "Use precompiled headers" ON)
set(portcullis_std_headers <algorithm> <array> <cstdint> <expected> <format> <functional> <map> <memory> <optional> <span>
  <string> <string_view> <utility> <vector>)
function(portcullis_precompile target)
  if(PORTCULLIS_PCH)
    target_precompile_headers(${target} PRIVATE ${portcullis_std_headers} ${ARGN})
  endif()
endfunction()
