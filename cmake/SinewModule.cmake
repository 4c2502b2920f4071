# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sinew authors

# sinew_module(NAME [NOT_INSTALLED] [USES modules…] [PRIVATE libraries…] [PUBLIC libraries…] [ALONE sources…])
# One static library per folder of src/sinew, made of all sources in it. USES names the modules below it: the only ones
# its files may include, which tests/guards checks against the sources. A module that is NOT_INSTALLED belongs to the
# program alone: it is no part of the library, SINEW_MODULES. ALONE names sources ("room/x.cpp") that are never
# compiled together with others, because another source gives one of their names to something else.
function(sinew_module name)
  cmake_parse_arguments(arg "NOT_INSTALLED" "" "USES;PRIVATE;PUBLIC;ALONE" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
  add_library(sinew_${name} STATIC ${sources})
  # Highway compiles these once per instruction set, by including them again; its intrinsics need an optimiser.
  set(kernels ${sources})
  list(FILTER kernels INCLUDE REGEX "kernels\\.cpp$")
  set_source_files_properties(${kernels} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  if(CMAKE_BUILD_TYPE STREQUAL "Debug")
    set_source_files_properties(${kernels} PROPERTIES COMPILE_OPTIONS -O1 SKIP_PRECOMPILE_HEADERS ON)
  endif()
  if(SINEW_SANITIZE)
    # Sanitized, each instruction set takes long to compile: the oldest and AVX2 must do.
    set_source_files_properties(${kernels} PROPERTIES
      COMPILE_DEFINITIONS "HWY_BROKEN_TARGETS=(HWY_SSSE3|HWY_SSE4|HWY_AVX3)")
  endif()
  if(SINEW_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # The compiler takes sources that are compiled together for headers. The target sinew_alone has this warning.
    target_compile_options(sinew_${name} PRIVATE -Wno-subobject-linkage)
  endif()
  foreach(source IN LISTS arg_ALONE)
    set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/${name}/${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endforeach()
  add_library(sinew::${name} ALIAS sinew_${name})
  set_target_properties(sinew_${name} PROPERTIES EXPORT_NAME ${name} UNITY_BUILD ${SINEW_UNITY} UNITY_BUILD_BATCH_SIZE 12)
  target_include_directories(sinew_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(sinew_${name} PRIVATE $<BUILD_INTERFACE:sinew_settings> ${arg_PRIVATE} PUBLIC ${arg_PUBLIC})
  foreach(module IN LISTS arg_USES)
    target_link_libraries(sinew_${name} PUBLIC sinew_${module})
  endforeach()
  if(NOT name STREQUAL "core")
    target_precompile_headers(sinew_${name} REUSE_FROM sinew_core)
  endif()
  if(NOT arg_NOT_INSTALLED)
    set_property(GLOBAL APPEND PROPERTY SINEW_MODULES sinew_${name})
  endif()
  set_property(GLOBAL APPEND PROPERTY SINEW_ALL_MODULES sinew_${name})
endfunction()
