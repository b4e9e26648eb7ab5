# One alias target per dependency, whatever way the platform packages it:
# Debian ships protobuf without a CMake config, xxHash and utf8proc with pkg-config only;
# Homebrew ships configs for most.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(absl CONFIG REQUIRED)

find_package(protobuf CONFIG QUIET)
if(NOT TARGET protobuf::libprotobuf)
  find_package(Protobuf REQUIRED)
endif()

find_package(CLI11 CONFIG REQUIRED)
find_package(nlohmann_json CONFIG REQUIRED)
pkg_check_modules(PCRE2 REQUIRED IMPORTED_TARGET libpcre2-8)
pkg_check_modules(UTF8PROC REQUIRED IMPORTED_TARGET libutf8proc)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
find_package(TBB CONFIG REQUIRED)
find_package(benchmark CONFIG QUIET)  # optional: `infer-bench op`
# Optional: line editing in `infer-run --chat`. macOS brings it without a .pc file.
pkg_check_modules(LIBEDIT QUIET IMPORTED_TARGET libedit)
if(LIBEDIT_FOUND)
  add_library(infer_dep_libedit ALIAS PkgConfig::LIBEDIT)
elseif(APPLE)
  find_path(LIBEDIT_INCLUDE_DIR histedit.h)
  find_library(LIBEDIT_LIBRARY edit)
  if(LIBEDIT_INCLUDE_DIR AND LIBEDIT_LIBRARY)
    add_library(infer_dep_libedit INTERFACE)
    target_include_directories(infer_dep_libedit INTERFACE ${LIBEDIT_INCLUDE_DIR})
    target_link_libraries(infer_dep_libedit INTERFACE ${LIBEDIT_LIBRARY})
  endif()
endif()
if(INFER_BUILD_TESTS)
  find_package(GTest CONFIG REQUIRED)
endif()

add_library(infer_dep_pcre2 ALIAS PkgConfig::PCRE2)
add_library(infer_dep_utf8proc ALIAS PkgConfig::UTF8PROC)
add_library(infer_dep_xxhash ALIAS PkgConfig::XXHASH)
