# Builds libramie.so of SOURCE in OUT, installs it, compares its symbols with the C headers, loads it, and builds and
# runs a program in C and one in C++ against it.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN} failed:\n${output}")
  endif()
  message("${output}")
endfunction()

set(prefix ${OUT}/prefix)
file(REMOVE_RECURSE ${prefix})
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${OUT}/build -G ${GENERATOR} -DCMAKE_BUILD_TYPE=Release
    -DCMAKE_C_COMPILER=${C_COMPILER} -DCMAKE_CXX_COMPILER=${CXX_COMPILER} -DCMAKE_INSTALL_LIBDIR=${LIBDIR}
    -DRAMIE_HIGHWAY=${HIGHWAY} -DBUILD_SHARED_LIBS=ON -DRAMIE_TESTS=OFF -DRAMIE_EXAMPLES=OFF -DRAMIE_PROGRAMS=OFF
    -DCMAKE_UNITY_BUILD=ON "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG")  # large units, at -O1: a third of the time
run(${CMAKE_COMMAND} --build ${OUT}/build --parallel 2)
run(${CMAKE_COMMAND} --install ${OUT}/build --prefix ${prefix})
run(${PYTHON} ${SOURCE}/tests/c/symbols.py ${SOURCE} ${prefix}/${LIBDIR}/libramie.so)
# Another language loads it while it runs.
run(${PYTHON} -c "import ctypes, sys; sys.exit(ctypes.CDLL(sys.argv[1]).ramie_version() < 1)"
    ${prefix}/${LIBDIR}/libramie.so)

set(consumers "${C_COMPILER}|c99|c/main.c" "${CXX_COMPILER}|c++20|find_package/main.cpp")
foreach(consumer IN LISTS consumers)
  string(REPLACE "|" ";" consumer "${consumer}")
  list(POP_FRONT consumer compiler standard source)
  run(${CMAKE_COMMAND} -DPKG_CONFIG=${PKG_CONFIG} -DPREFIX=${prefix} -DLIBDIR=${LIBDIR} -DCOMPILER=${compiler}
      -DSTANDARD=${standard} -DSOURCE=${SOURCE}/tests/install/${source} -DPROGRAM=${OUT}/consumer_${standard}
      -DEXPECTED_VERSION=${EXPECTED_VERSION} -P ${SOURCE}/tests/install/pkg_config/consume.cmake)
endforeach()
