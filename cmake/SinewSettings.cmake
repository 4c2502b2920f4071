# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sinew authors

# Compiler settings of this project. What changes the layout of a type is exported to users (see SinewModule).

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Precompiled headers change their time stamp, not their meaning.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE})
endif()

add_library(sinew_settings INTERFACE)
target_compile_options(sinew_settings INTERFACE -Wall -Wextra -Wconversion -Wno-sign-conversion -ffp-contract=off -fPIC)
# Only libraries that are used are loaded when a program starts.
target_link_options(sinew_settings INTERFACE LINKER:--as-needed)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 reports uninitialised and overlapping memory inside Eigen, libstdc++ and fmt where there is none.
  target_compile_options(sinew_settings INTERFACE -Wno-maybe-uninitialized -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow -fpch-preprocess)
endif()
if(SINEW_WERROR)
  target_compile_options(sinew_settings INTERFACE -Werror)
endif()
if(SINEW_SANITIZE)
  # What lies at a null pointer the address sanitizer reports as well; checks of every pointer cost a sixth of the compiling.
  target_compile_options(sinew_settings INTERFACE -fsanitize=${SINEW_SANITIZE} -fno-sanitize=null -fno-sanitize-recover=all
    -fno-omit-frame-pointer)
  target_link_options(sinew_settings INTERFACE -fsanitize=${SINEW_SANITIZE})
endif()
