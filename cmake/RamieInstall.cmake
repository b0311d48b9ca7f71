# `cmake --install`, find_package(ramie), pkg-config and `cpack -G DEB`.

include(CMakePackageConfigHelpers)

set(ramie_config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/ramie)

install(
  TARGETS ramie
  EXPORT ramieTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(
  DIRECTORY include/ramie
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING
  PATTERN "*.hpp"
  PATTERN "*.h")
install(EXPORT ramieTargets NAMESPACE ramie:: DESTINATION ${ramie_config_dir})

configure_package_config_file(cmake/ramieConfig.cmake.in ramieConfig.cmake INSTALL_DESTINATION ${ramie_config_dir}
                              NO_SET_AND_CHECK_MACRO)
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(ramieConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/ramieConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/ramieConfigVersion.cmake
              cmake/RamieHwloc.cmake cmake/RamieHighway.cmake
        DESTINATION ${ramie_config_dir})

# The .pc file finds its prefix from where it lies, so that an installed tree may be moved.
file(RELATIVE_PATH RAMIE_PC_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
# A program that links libramie.a needs hwloc and Highway itself; libramie.so brings them.
set(RAMIE_PC_REQUIRES hwloc)
if(RAMIE_HIGHWAY)
  list(APPEND RAMIE_PC_REQUIRES libhwy-contrib libhwy)
endif()
list(JOIN RAMIE_PC_REQUIRES ", " RAMIE_PC_REQUIRES)
if(BUILD_SHARED_LIBS)
  string(PREPEND RAMIE_PC_REQUIRES "Requires.private: ")
  set(RAMIE_PC_CXX "")
else()
  string(PREPEND RAMIE_PC_REQUIRES "Requires: ")
  # A C compiler does not link these by itself.
  set(RAMIE_PC_CXX ${CMAKE_CXX_IMPLICIT_LINK_LIBRARIES})
  list(FILTER RAMIE_PC_CXX INCLUDE REGEX "^(stdc\\+\\+|c\\+\\+|m)$")
  list(REMOVE_DUPLICATES RAMIE_PC_CXX)
  list(TRANSFORM RAMIE_PC_CXX PREPEND " -l")
  list(JOIN RAMIE_PC_CXX "" RAMIE_PC_CXX)
endif()
configure_file(ramie.pc.in ramie.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/ramie.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES LICENSE CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

if(PROJECT_IS_TOP_LEVEL)
  set(CPACK_GENERATOR DEB)
  set(CPACK_PACKAGE_NAME ramie)
  set(CPACK_PACKAGE_VENDOR "the ramie authors")
  set(CPACK_PACKAGE_CONTACT "the ramie authors <ramie@localhost>")
  set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
  set(CPACK_PACKAGE_DESCRIPTION
      "ramie runs a million plain blocking functions at once on as many kernel threads as there are cores.
This package has the headers, the library and the ramie command.")
  set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_CURRENT_SOURCE_DIR}/LICENSE)
  set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/package)
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
  set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
  set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
  get_property(of_programs GLOBAL PROPERTY RAMIE_PROGRAM_DEPENDS)  # shared libraries of the ramie command
  list(JOIN of_programs ", " of_programs)
  string(REGEX REPLACE "(.+)" ", \\1" of_programs "${of_programs}")
  set(of_highway "")
  if(RAMIE_HIGHWAY)
    set(of_highway ", libhwy1, libhwy-dev")
  endif()
  set(CPACK_DEBIAN_PACKAGE_DEPENDS
      "libc6 (>= 2.36), libstdc++6 (>= 12), libgcc-s1 (>= 12), libhwloc15, libhwloc-dev${of_highway}${of_programs}")
  set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "g++ (>= 4:12)")
  include(CPack)
endif()
