# What `cmake --install` puts under the prefix: tools, bundled model, library, header, package config for CMake and
# pkg-config.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

# Builds what is installed and nothing else: what a user needs.
add_custom_target(installable)

if(TARGET infer)
  add_dependencies(installable infer)
  install(TARGETS infer RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  # The links beside the binary are found in the build folder, so their names stand in one place only.
  install(CODE "
    file(GLOB entries \"${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/*\")
    set(bin_dir \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}\")
    foreach(entry IN LISTS entries)
      if(IS_SYMLINK \"\${entry}\")
        file(READ_SYMLINK \"\${entry}\" target)
        get_filename_component(target \"\${target}\" NAME)
        get_filename_component(name \"\${entry}\" NAME)
        if(target STREQUAL \"infer\")
          message(STATUS \"Installing: \${bin_dir}/\${name} -> infer\")
          file(CREATE_LINK infer \"\${bin_dir}/\${name}\" SYMBOLIC)
        endif()
      endif()
    endforeach()")
endif()

set(bundled_model ${PROJECT_SOURCE_DIR}/tools/assets/tiny-tales-q8_0.gguf)
if(EXISTS ${bundled_model})
  install(FILES ${bundled_model} DESTINATION ${CMAKE_INSTALL_DATADIR}/infer/models)
endif()
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

if(TARGET infer_api)
  add_dependencies(installable infer_api)
  set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/infer)
  set_target_properties(infer_api PROPERTIES EXPORT_NAME infer)
  install(TARGETS infer_api EXPORT infer_targets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(DIRECTORY tools/api/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT infer_targets FILE inferTargets.cmake NAMESPACE infer:: DESTINATION ${config_dir})
  configure_package_config_file(cmake/inferConfig.cmake.in ${CMAKE_BINARY_DIR}/inferConfig.cmake
    INSTALL_DESTINATION ${config_dir})
  write_basic_package_version_file(${CMAKE_BINARY_DIR}/inferConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
  install(FILES ${CMAKE_BINARY_DIR}/inferConfig.cmake ${CMAKE_BINARY_DIR}/inferConfigVersion.cmake
    DESTINATION ${config_dir})

  set(pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
  if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
    set(pc_prefix ${CMAKE_INSTALL_PREFIX})
  else()
    file(RELATIVE_PATH up /${pc_dir} /)
    string(REGEX REPLACE "/$" "" up ${up})
    set(pc_prefix "\${pcfiledir}/${up}")
  endif()
  # A folder that is configured as an absolute path stays one.
  foreach(kind LIB INCLUDE)
    string(TOLOWER pc_${kind}dir variable)
    set(${variable} "\${prefix}/${CMAKE_INSTALL_${kind}DIR}")
    if(IS_ABSOLUTE ${CMAKE_INSTALL_${kind}DIR})
      set(${variable} ${CMAKE_INSTALL_${kind}DIR})
    endif()
  endforeach()
  configure_file(cmake/infer.pc.in ${CMAKE_BINARY_DIR}/infer.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/infer.pc DESTINATION ${pc_dir})
endif()
