# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sinew authors

include(CMakePackageConfigHelpers)

get_property(modules GLOBAL PROPERTY SINEW_MODULES)
foreach(module IN LISTS modules)
  # The headers need it, so whoever uses them gets it.
  target_compile_features(${module} PUBLIC cxx_std_20)
  string(REGEX REPLACE "^sinew_" "" folder ${module})
  install(DIRECTORY src/sinew/${folder} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/sinew FILES_MATCHING PATTERN "*.h")
endforeach()
install(TARGETS ${modules} sinew EXPORT sinewTargets)
install(TARGETS sinew_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(EXPORT sinewTargets NAMESPACE sinew:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sinew)
configure_package_config_file(cmake/sinewConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/sinewConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sinew)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/sinewConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES LICENSE NOTICE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/sinewConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/sinewConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sinew)
