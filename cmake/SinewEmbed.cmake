# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sinew authors

# sinew_embed(MODULE NAME FOLDER)
# Puts the JSON files of a folder into a module's library. The module declares, as rigging/embedded.h does,
#   std::vector<EmbeddedFile> embedded_NAME();
# and gets a source in the build folder that defines it: the files in the order of their names. The folder may be empty
# or missing; files that come, go or change later are noticed by the next build.

if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(SINEW_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE})

  function(sinew_embed module name folder)
    file(GLOB files CONFIGURE_DEPENDS ${folder}/*.json)
    list(SORT files)
    set(output ${CMAKE_CURRENT_BINARY_DIR}/${module}/embedded_${name}.cpp)
    # The list is in a file of its own: a file that goes away changes nothing else that the command depends on.
    set(list ${CMAKE_CURRENT_BINARY_DIR}/${module}/embedded_${name}.txt)
    string(JOIN "\n" lines ${files})
    file(CONFIGURE OUTPUT ${list} CONTENT "${lines}\n")
    add_custom_command(OUTPUT ${output}
      COMMAND ${CMAKE_COMMAND} -DMODULE=${module} -DNAME=${name} -DLIST=${list} -DOUTPUT=${output} -P ${SINEW_EMBED_SCRIPT}
      DEPENDS ${files} ${list} ${SINEW_EMBED_SCRIPT}
      COMMENT "Embedding ${name}" VERBATIM)
    target_sources(sinew_${module} PRIVATE ${output})
    set_source_files_properties(${output} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endfunction()
  return()
endif()

file(STRINGS ${LIST} files)
set(entries "")
foreach(file IN LISTS files)
  file(READ ${file} text)
  get_filename_component(stem ${file} NAME_WE)
  string(APPEND entries "      {\"${stem}\", R\"sinew_json(${text})sinew_json\"},\n")
endforeach()
file(WRITE ${OUTPUT} "// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// Made by cmake/SinewEmbed.cmake.

#include \"sinew/${MODULE}/templates/embedded.h\"

namespace sinew::${MODULE} {

std::vector<EmbeddedFile> embedded_${NAME}() {
  return {
${entries}  };
}

}  // namespace sinew::${MODULE}
")
