# cmake -D OUT=FILE -D FOLDER=DIR -P embed.cmake: the plotting program and the style sheet as strings of C++.
set(text "// Made by embed.cmake.\n#include \"report/embedded.hpp\"\n\nnamespace bench {\n")
# embed(<name> <file>...): the files, one after the other.
function(embed name)
  set(literal "")
  foreach(file IN LISTS ARGN)
    file(READ ${FOLDER}/${file} content)
    # Brackets and semicolons are safe in one quoted string; a raw literal needs only that its end does not occur.
    string(APPEND literal "R\"ramie_file(${content})ramie_file\"\n")
  endforeach()
  set(text "${text}\nextern const char* const ${name};\nconst char* const ${name} =\n${literal};\n" PARENT_SCOPE)
endfunction()
embed(plotting_program drawing.py queue_plots.py job_plots.py plots.py)
embed(page_style style.css)
file(WRITE ${OUT} "${text}\n}  // namespace bench\n")
