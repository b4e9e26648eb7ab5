# What `cmake --install` puts under the prefix: tools, bundled model, library, header, package config.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

if(TARGET infer)
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
endif()
