# Installs BUILD into PREFIX, then moves that to MOVED.
file(REMOVE_RECURSE ${PREFIX} ${MOVED})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX} RESULT_VARIABLE status
                OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "cmake --install failed:\n${output}")
endif()
file(RENAME ${PREFIX} ${MOVED})

file(GLOB_RECURSE texts ${MOVED}/*.cmake ${MOVED}/*.pc)
foreach(file IN LISTS texts)
  file(READ ${file} text)
  foreach(path ${PREFIX} ${BUILD})
    string(FIND "${text}" "${path}" position)
    if(NOT position EQUAL -1)
      message(FATAL_ERROR "${file} names ${path}: an installed tree must not remember where it was made")
    endif()
  endforeach()
endforeach()
