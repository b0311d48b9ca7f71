# The imported target ramie::hwloc, if hwloc is there. The build reads this file, and find_package(ramie) does: a program
# that links libramie.a links hwloc too.
if(NOT TARGET ramie::hwloc)
  find_path(RAMIE_HWLOC_INCLUDE_DIR hwloc.h)
  find_library(RAMIE_HWLOC_LIBRARY hwloc)
  mark_as_advanced(RAMIE_HWLOC_INCLUDE_DIR RAMIE_HWLOC_LIBRARY)
  if(RAMIE_HWLOC_INCLUDE_DIR AND RAMIE_HWLOC_LIBRARY)
    # Global: where ramie is a subdirectory of another project, that project's programs are linked with it.
    add_library(ramie::hwloc UNKNOWN IMPORTED GLOBAL)
    set_target_properties(ramie::hwloc PROPERTIES IMPORTED_LOCATION "${RAMIE_HWLOC_LIBRARY}"
                                                  INTERFACE_INCLUDE_DIRECTORIES "${RAMIE_HWLOC_INCLUDE_DIR}")
  endif()
endif()
