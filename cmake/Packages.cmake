# What `cpack` makes of an installed tree: Debian packages, one for each component. tools/release.sh configures for them;
# with another prefix than /usr, files would lie elsewhere than Debian wants them.
if(NOT CMAKE_INSTALL_PREFIX STREQUAL "/usr" OR NOT TARGET infer OR NOT TARGET infer_api)
  return()
endif()
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME infer)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_VENDOR "the infer authors")
set(CPACK_PACKAGE_CONTACT "the infer authors <maintainers@infer.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_POST_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/DebSizes.cmake)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# For `library` beside `python`: dpkg-shlibdeps looks for libinfer there, and Depends below names its package.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR}/tools/api)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(package_dir ${PROJECT_SOURCE_DIR}/tools/package/debian)
set(CPACK_COMPONENTS_ALL tools library dev)

set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME infer)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION science)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SUGGESTS "libinfer-mpi, python3-infer, openmpi-bin")
set(CPACK_DEBIAN_TOOLS_DESCRIPTION "compile language models and run or serve them
 The tools infer-run, infer-serve, infer-compile, infer-viz and others, a small model to try
 them with, and a systemd unit for the server, which is not started by itself.")
set(CPACK_DEBIAN_TOOLS_PACKAGE_CONTROL_EXTRA
  ${package_dir}/conffiles ${package_dir}/postinst ${package_dir}/prerm ${package_dir}/postrm)

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libinfer0)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION "library that compiles language models and runs them")

set(CPACK_DEBIAN_DEV_PACKAGE_NAME libinfer-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "libinfer0 (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_DEV_DESCRIPTION "header and build files of libinfer")

if(TARGET infer_mpi)
  list(APPEND CPACK_COMPONENTS_ALL mpi)
  set(CPACK_DEBIAN_MPI_PACKAGE_NAME libinfer-mpi)
  set(CPACK_DEBIAN_MPI_PACKAGE_SECTION libs)
  set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "infer (= ${PROJECT_VERSION})")
  set(CPACK_DEBIAN_MPI_DESCRIPTION "connection of infer to Open MPI, for models divided over processes")
endif()
if(TARGET infer_python)
  list(APPEND CPACK_COMPONENTS_ALL python)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-infer)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
  get_property(minor GLOBAL PROPERTY INFER_PYTHON_MINOR)
  math(EXPR next_minor "${minor} + 1")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
    "libinfer0 (= ${PROJECT_VERSION}), python3 (>= 3.${minor}), python3 (<< 3.${next_minor}), python3-numpy")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS "infer, python3-matplotlib")
  set(CPACK_DEBIAN_PYTHON_DESCRIPTION "Python module that compiles language models and runs them")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${CMAKE_BINARY_DIR}/python_package/prerm)
  configure_file(${package_dir}/python_prerm ${CMAKE_BINARY_DIR}/python_package/prerm COPYONLY)
endif()

install(FILES tools/package/infer-serve.default DESTINATION /etc/default RENAME infer-serve COMPONENT tools)
include(CPack)
