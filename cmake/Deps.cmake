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
find_package(ZLIB REQUIRED)
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
# infer-serve. Headers alone, so no component is asked for; Debian's default package is too old.
find_package(Boost 1.81 QUIET)
if(NOT Boost_FOUND)
  message(FATAL_ERROR
    "Boost 1.81 or later is missing: install libboost1.81-dev (Debian 12), libboost1.83-dev (Ubuntu 24.04) or boost "
    "(Homebrew), or run tools/install_deps.sh")
endif()
find_package(OpenSSL 3.0 QUIET)
if(NOT OpenSSL_FOUND)
  message(FATAL_ERROR
    "OpenSSL 3 is missing: install libssl-dev (Debian, Ubuntu) or openssl@3 (Homebrew), or run tools/install_deps.sh; "
    "where Homebrew's is not found, add -DOPENSSL_ROOT_DIR=$(brew --prefix openssl@3)")
endif()
# As a system library: its headers have warnings of their own. Only names that newer versions still have.
add_library(infer_dep_boost INTERFACE)
target_include_directories(infer_dep_boost SYSTEM INTERFACE ${Boost_INCLUDE_DIRS})
target_compile_definitions(infer_dep_boost INTERFACE BOOST_ASIO_NO_DEPRECATED BOOST_ASIO_NO_TS_EXECUTORS)
if(INFER_BUILD_TESTS)
  find_package(GTest CONFIG REQUIRED)
endif()

add_library(infer_dep_pcre2 ALIAS PkgConfig::PCRE2)
add_library(infer_dep_utf8proc ALIAS PkgConfig::UTF8PROC)
add_library(infer_dep_xxhash ALIAS PkgConfig::XXHASH)
