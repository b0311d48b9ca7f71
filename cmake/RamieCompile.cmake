# How every target of this tree is compiled. Options are set on the directory, so that nothing of them is exported.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)

set(ramie_c_family "$<COMPILE_LANGUAGE:C,CXX>")

# Kept as a list too: the header and compile-fail tests call the compiler themselves.
set(RAMIE_WARNINGS -Wall -Wextra -Wpedantic -Wconversion)
if(RAMIE_WERROR)
  list(APPEND RAMIE_WARNINGS -Werror)
endif()
add_compile_options("$<${ramie_c_family}:${RAMIE_WARNINGS}>")

# Unwinding must work from any instruction: debuggers, profilers and the watchdog stop a fiber anywhere.
add_compile_options("$<${ramie_c_family}:-fasynchronous-unwind-tables>")
add_compile_options("$<$<AND:$<CONFIG:Debug>,${ramie_c_family}>:-fno-omit-frame-pointer>")
# Line tables and function names: enough for backtraces and perf, small enough to ship.
add_compile_options("$<$<AND:$<CONFIG:Release>,${ramie_c_family}>:-g1>")

if(RAMIE_SANITIZE)
  include(CheckCXXSourceCompiles)
  set(CMAKE_REQUIRED_FLAGS -fsanitize=${RAMIE_SANITIZE})
  check_cxx_source_compiles("int main() {}" RAMIE_SANITIZER_LINKS)
  unset(CMAKE_REQUIRED_FLAGS)
  if(NOT RAMIE_SANITIZER_LINKS)
    unset(RAMIE_SANITIZER_LINKS CACHE)  # so that it is asked again
    message(FATAL_ERROR "${CMAKE_CXX_COMPILER} cannot link with -fsanitize=${RAMIE_SANITIZE}: install its run-time library "
                        "(for clang 19 libclang-rt-19-dev; tools/setup.sh test does).")
  endif()
  # -O1 keeps the stress tests within their time; a finding ends the program, so that a test cannot pass over it.
  add_compile_options("$<${ramie_c_family}:-fsanitize=${RAMIE_SANITIZE};-fno-sanitize-recover=all>")
  add_compile_options("$<${ramie_c_family}:-fno-omit-frame-pointer;-O1;-g1>")
  add_link_options(-fsanitize=${RAMIE_SANITIZE})
  if(RAMIE_SANITIZE MATCHES "thread")
    # The TSan of gcc 12 and clang 19 dies at start ("unexpected memory mapping") where the kernel randomizes
    # addresses by more than 28 bits. Such a kernel needs the tests run without randomization.
    set(bits 28)
    if(EXISTS /proc/sys/vm/mmap_rnd_bits)
      execute_process(COMMAND cat /proc/sys/vm/mmap_rnd_bits OUTPUT_VARIABLE bits OUTPUT_STRIP_TRAILING_WHITESPACE
                      ERROR_QUIET)
    endif()
    if(bits GREATER 28)
      message(STATUS "vm.mmap_rnd_bits is ${bits}: running the TSan tests through setarch -R")
      set(CMAKE_CROSSCOMPILING_EMULATOR setarch -R)
    endif()
  endif()
endif()

if(RAMIE_COVERAGE)
  add_compile_options("$<${ramie_c_family}:--coverage;-fprofile-update=atomic>")
  add_link_options(--coverage)
endif()

if(RAMIE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(RAMIE_CCACHE_PROGRAM ccache)
  mark_as_advanced(RAMIE_CCACHE_PROGRAM)
  # Where its folder cannot be written (HOME is read-only), ccache fails instead of compiling: do without it then.
  set(ccache_fails 1)
  if(RAMIE_CCACHE_PROGRAM)
    file(WRITE ${CMAKE_BINARY_DIR}/CMakeFiles/ccache.cpp "int ramie_ccache;\n")
    execute_process(
      COMMAND ${RAMIE_CCACHE_PROGRAM} ${CMAKE_CXX_COMPILER} -c ${CMAKE_BINARY_DIR}/CMakeFiles/ccache.cpp -o
              ${CMAKE_BINARY_DIR}/CMakeFiles/ccache.o
      RESULT_VARIABLE ccache_fails
      OUTPUT_QUIET
      ERROR_VARIABLE ccache_says)
    if(ccache_fails)
      message(STATUS "Compiling without ccache, which does not work here: ${ccache_says}")
    endif()
  endif()
  if(NOT ccache_fails)
    # DEPEND: what the compiler says it has read is believed, so that no file is preprocessed once more to ask the cache.
    # SLOPPINESS: what ccache wants before it keeps what a precompiled header was used for.
    set(RAMIE_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_DEPEND=1 CCACHE_SLOPPINESS=pch_defines,time_macros
                       ${RAMIE_CCACHE_PROGRAM})
    if(NOT RAMIE_COVERAGE AND (RAMIE_SANITIZE OR NOT CMAKE_BUILD_TYPE STREQUAL "Debug"))
      # File names are recorded relative to the source folder, so that a second clone finds the first one's results.
      # (Not in dev and coverage, where a debugger and gcov want to find the files.)
      file(RELATIVE_PATH up ${CMAKE_BINARY_DIR} ${PROJECT_SOURCE_DIR})
      add_compile_options("$<${ramie_c_family}:-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=;-ffile-prefix-map=${up}=>")
      list(INSERT RAMIE_LAUNCHER 3 CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1)
    endif()
    set(CMAKE_C_COMPILER_LAUNCHER ${RAMIE_LAUNCHER})
    set(CMAKE_CXX_COMPILER_LAUNCHER ${RAMIE_LAUNCHER})
  endif()
endif()

if(RAMIE_CLANG_TIDY)
  find_program(RAMIE_CLANG_TIDY_PROGRAM NAMES clang-tidy-19 REQUIRED)
  set(CMAKE_CXX_CLANG_TIDY ${RAMIE_CLANG_TIDY_PROGRAM} --quiet)
endif()

# ramie_executables_below(<variable> <folder>...): the executables that the folders' CMakeLists add to `all`.
function(ramie_executables_below variable)
  set(found "")
  foreach(folder IN LISTS ARGN)
    get_property(known DIRECTORY PROPERTY SUBDIRECTORIES)
    get_filename_component(path ${folder} ABSOLUTE)
    if(NOT path IN_LIST known)
      continue()
    endif()
    ramie_collect_executables(found ${path})
  endforeach()
  set(${variable} ${found} PARENT_SCOPE)
endfunction()

function(ramie_collect_executables variable path)
  set(found ${${variable}})
  get_property(targets DIRECTORY ${path} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    get_target_property(excluded ${target} EXCLUDE_FROM_ALL)
    if(type STREQUAL "EXECUTABLE" AND NOT excluded)
      list(APPEND found ${target})
    endif()
  endforeach()
  get_property(below DIRECTORY ${path} PROPERTY SUBDIRECTORIES)
  foreach(folder IN LISTS below)
    ramie_collect_executables(found ${folder})
  endforeach()
  set(${variable} ${found} PARENT_SCOPE)
endfunction()
