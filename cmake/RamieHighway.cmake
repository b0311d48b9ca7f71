# The imported target ramie::highway, if Highway and its sort are there. The build reads this file where RAMIE_HIGHWAY
# is on; find_package(ramie) does, if the library was built so: a program that links libramie.a links Highway too.
if(NOT TARGET ramie::highway)
  find_path(RAMIE_HIGHWAY_INCLUDE_DIR hwy/contrib/sort/vqsort.h)
  find_library(RAMIE_HIGHWAY_LIBRARY hwy)
  find_library(RAMIE_HIGHWAY_CONTRIB_LIBRARY hwy_contrib)
  mark_as_advanced(RAMIE_HIGHWAY_INCLUDE_DIR RAMIE_HIGHWAY_LIBRARY RAMIE_HIGHWAY_CONTRIB_LIBRARY)
  if(RAMIE_HIGHWAY_INCLUDE_DIR AND RAMIE_HIGHWAY_LIBRARY AND RAMIE_HIGHWAY_CONTRIB_LIBRARY)
    # Global: where ramie is a subdirectory of another project, that project's programs are linked with it.
    add_library(ramie::highway UNKNOWN IMPORTED GLOBAL)
    set_target_properties(
      ramie::highway
      PROPERTIES IMPORTED_LOCATION "${RAMIE_HIGHWAY_CONTRIB_LIBRARY}"
                 INTERFACE_INCLUDE_DIRECTORIES "${RAMIE_HIGHWAY_INCLUDE_DIR}"
                 INTERFACE_LINK_LIBRARIES "${RAMIE_HIGHWAY_LIBRARY}")
  endif()
endif()
