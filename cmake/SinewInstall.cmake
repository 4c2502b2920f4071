# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sinew authors

include(CMakePackageConfigHelpers)

get_property(modules GLOBAL PROPERTY SINEW_MODULES)
foreach(module IN LISTS modules)
  # The headers need it, so whoever uses them gets it.
  target_compile_features(${module} PUBLIC cxx_std_20)
endforeach()
install(TARGETS ${modules} sinew EXPORT sinewTargets)
install(TARGETS sinew_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# Headers that no other module, program or example includes are private.
set(header_list ${PROJECT_SOURCE_DIR}/src/sinew/public_headers.txt)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header_list})
file(STRINGS ${header_list} headers REGEX "^sinew/")
foreach(header IN LISTS headers)
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES src/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder})
endforeach()
install(EXPORT sinewTargets NAMESPACE sinew:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sinew)
configure_package_config_file(cmake/sinewConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/sinewConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sinew)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/sinewConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES LICENSE NOTICE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/sinewConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/sinewConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sinew)
