# Builds SOURCE with COMPILER and STANDARD the way a Makefile would, with the flags of pkg-config alone, and runs it.
if(NOT PKG_CONFIG)
  message(FATAL_ERROR "pkg-config is missing: install the package pkg-config (tools/setup.sh does)")
endif()

set(ENV{PKG_CONFIG_PATH} ${PREFIX}/${LIBDIR}/pkgconfig)
function(ask variable)
  execute_process(COMMAND ${PKG_CONFIG} ${ARGN} ramie RESULT_VARIABLE status OUTPUT_VARIABLE output
                  ERROR_VARIABLE errors OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "pkg-config ${ARGN} ramie failed:\n${errors}")
  endif()
  separate_arguments(output UNIX_COMMAND "${output}")
  set(${variable} ${output} PARENT_SCOPE)
endfunction()

ask(version --modversion)
if(NOT version STREQUAL EXPECTED_VERSION)
  message(FATAL_ERROR "pkg-config says version ${version}, the project is ${EXPECTED_VERSION}")
endif()
ask(cflags --cflags)
ask(libs --libs)

file(REMOVE ${PROGRAM})
execute_process(COMMAND ${COMPILER} -std=${STANDARD} -O2 -DEXPECTED_VERSION="${EXPECTED_VERSION}" ${cflags} ${SOURCE} -o ${PROGRAM}
                        ${libs} -Wl,-rpath,${PREFIX}/${LIBDIR} RESULT_VARIABLE status OUTPUT_VARIABLE output
                ERROR_VARIABLE output)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "the program does not build with `${cflags}` and `${libs}`:\n${output}")
endif()
execute_process(COMMAND ${PROGRAM} RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "the program ended with ${status}")
endif()
