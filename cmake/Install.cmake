# What `cmake --install` puts under the prefix: tools, bundled model, manual pages, completions, the server's systemd
# unit, library, header, package config for CMake and pkg-config. Each component is a package of Packages.cmake.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

# Builds what is installed and nothing else: what a user needs.
add_custom_target(installable)
# The Python module too, where it can be built.
add_custom_target(packaged)
add_dependencies(packaged installable)
if(TARGET infer_python)
  add_dependencies(packaged infer_python)
endif()

if(TARGET infer)
  add_dependencies(installable infer)
  install(TARGETS infer RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
  get_property(tool_names GLOBAL PROPERTY INFER_TOOLS)
  foreach(name IN LISTS tool_names)
    install(FILES ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/${name} DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
  endforeach()

  # The binary writes its own manual pages and completions, so it must run here.
  if(NOT CMAKE_CROSSCOMPILING)
    set(docs_dir ${CMAKE_BINARY_DIR}/docs)
    list(JOIN tool_names "," tool_names_text)
    add_custom_command(OUTPUT ${docs_dir}/man1/infer.1
      COMMAND ${CMAKE_COMMAND} -D INFER=$<TARGET_FILE:infer> -D TOOLS=${tool_names_text} -D OUT=${docs_dir}
        -P ${PROJECT_SOURCE_DIR}/cmake/GenerateDocs.cmake
      DEPENDS infer ${PROJECT_SOURCE_DIR}/cmake/GenerateDocs.cmake
      COMMENT "Writing manual pages and completions"
      VERBATIM)
    add_custom_target(infer_docs ALL DEPENDS ${docs_dir}/man1/infer.1)
    add_dependencies(installable infer_docs)
    install(DIRECTORY ${docs_dir}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT tools)
    install(DIRECTORY ${docs_dir}/bash/ DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT tools)
    install(DIRECTORY ${docs_dir}/zsh/ DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT tools)
    install(DIRECTORY ${docs_dir}/fish/ DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT tools)
  endif()
  if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
    configure_file(tools/package/infer-serve.service ${CMAKE_BINARY_DIR}/infer-serve.service @ONLY)
    install(FILES ${CMAKE_BINARY_DIR}/infer-serve.service DESTINATION lib/systemd/system COMPONENT tools)
  endif()
endif()

set(bundled_model ${PROJECT_SOURCE_DIR}/tools/assets/tiny-tales-q8_0.gguf)
if(EXISTS ${bundled_model})
  install(FILES ${bundled_model} DESTINATION ${CMAKE_INSTALL_DATADIR}/infer/models COMPONENT tools)
endif()
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT tools)

if(TARGET infer_api)
  add_dependencies(installable infer_api)
  set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/infer)
  set_target_properties(infer_api PROPERTIES EXPORT_NAME infer)
  install(TARGETS infer_api EXPORT infer_targets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT dev
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(DIRECTORY tools/api/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev)
  install(EXPORT infer_targets FILE inferTargets.cmake NAMESPACE infer:: DESTINATION ${config_dir}
    COMPONENT dev)
  configure_package_config_file(cmake/inferConfig.cmake.in ${CMAKE_BINARY_DIR}/inferConfig.cmake
    INSTALL_DESTINATION ${config_dir})
  write_basic_package_version_file(${CMAKE_BINARY_DIR}/inferConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
  install(FILES ${CMAKE_BINARY_DIR}/inferConfig.cmake ${CMAKE_BINARY_DIR}/inferConfigVersion.cmake
    DESTINATION ${config_dir} COMPONENT dev)

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
  install(FILES ${CMAKE_BINARY_DIR}/infer.pc DESTINATION ${pc_dir} COMPONENT dev)
endif()
