# Compiler settings of the project, and the functions that declare its libraries and tests.

# Dev: asserts of ours and of the standard library on, line numbers for stack traces (full debug information, which
# CMAKE_BUILD_TYPE=Debug has, takes a quarter more time to compile), optimised enough that the scalar reference
# runs a whole model in a test. Plain variables: project() has already put empty ones for CMAKE_BUILD_TYPE into the
# cache, which a second cache entry would not replace.
set(CMAKE_CXX_FLAGS_DEV "-O1 -g1 -D_GLIBCXX_ASSERTIONS")
set(CMAKE_C_FLAGS_DEV "-O1 -g1")
if(INFER_FUZZ)  # compiled once and run for hours
  set(CMAKE_CXX_FLAGS_DEV "-O2 -g1 -D_GLIBCXX_ASSERTIONS")
endif()

target_include_directories(infer_settings INTERFACE ${PROJECT_SOURCE_DIR})
if(INFER_SANITIZE)
  list(JOIN INFER_SANITIZE "," sanitizers)
  add_compile_options(-fsanitize=${sanitizers} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${sanitizers})
endif()

# What did not change is not compiled again, in a fresh clone or after `git switch` either. Dependency files instead of
# preprocessed sources find it, so that a build that finds nothing takes no longer than without.
find_program(INFER_CCACHE ccache)
mark_as_advanced(INFER_CCACHE)
if(INFER_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
    ${CMAKE_COMMAND} -E env CCACHE_DEPEND=1 CCACHE_SLOPPINESS=pch_defines,time_macros ${INFER_CCACHE})
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    add_compile_options("SHELL:$<$<COMPILE_LANGUAGE:CXX>:-Xclang -fno-pch-timestamp>")
  endif()
endif()

# Linking a test of the tools takes 0.6 s with lld and 2.9 s without.
if(CMAKE_BUILD_TYPE STREQUAL "Dev" AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND NOT APPLE)
  include(CheckLinkerFlag)
  check_linker_flag(CXX -fuse-ld=lld INFER_HAS_LLD)
  if(INFER_HAS_LLD)
    add_link_options(-fuse-ld=lld)
  endif()
endif()

# The headers that nearly every file reads, parsed once: two thirds of the time of compiling a small file. Everything is compiled with -fPIC, because a compiler
# refuses a precompiled header that was made with another model of position independence.
option(INFER_PCH "Precompile the headers that nearly every file reads; off shows which includes are missing" ON)
function(infer_make_pch target)
  if(INFER_PCH)
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()
function(infer_use_pch target from)
  if(INFER_PCH)
    target_precompile_headers(${target} REUSE_FROM ${from})
  endif()
endfunction()
add_library(infer_pch OBJECT ${PROJECT_SOURCE_DIR}/cmake/pch.cc)
set(pch_deps
  absl::flat_hash_map absl::inlined_vector absl::statusor absl::str_format nlohmann_json::nlohmann_json)
target_link_libraries(infer_pch PRIVATE ${pch_deps} infer_settings)
infer_make_pch(infer_pch ${PROJECT_SOURCE_DIR}/cmake/pch.h)
if(INFER_BUILD_TESTS)
  add_library(infer_test_pch OBJECT ${PROJECT_SOURCE_DIR}/cmake/pch.cc)
  target_link_libraries(infer_test_pch PRIVATE ${pch_deps} GTest::gmock infer_settings)
  # The files of the tests themselves are compiled without optimisation, which takes a third less time; what they test
  # is not. An option of the header, because both must agree.
  target_compile_options(infer_test_pch PRIVATE -O0)
  infer_make_pch(infer_test_pch ${PROJECT_SOURCE_DIR}/cmake/pch.h <gmock/gmock.h> <gtest/gtest.h>)
endif()

# What reports and command lines are made of takes a quarter less time to compile without optimisation (writers of JSON
# 2.6 s instead of 3.6 s), and no test waits for it. In a release -O1 takes a fifth less than -O3. They have a header of
# their own, because compilers refuse one that was precompiled with another -O.
set(plain_option)
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  set(plain_option -O1)
elseif(CMAKE_BUILD_TYPE STREQUAL "Dev" AND NOT INFER_SANITIZE AND NOT INFER_FUZZ)
  set(plain_option -O0)
endif()
if(plain_option)
  add_library(infer_plain_pch OBJECT ${PROJECT_SOURCE_DIR}/cmake/pch.cc)
  target_link_libraries(infer_plain_pch PRIVATE ${pch_deps} infer_settings)
  target_compile_options(infer_plain_pch PRIVATE ${plain_option})
  infer_make_pch(infer_plain_pch ${PROJECT_SOURCE_DIR}/cmake/pch.h)
endif()

# Files of a library, and those of a test, are compiled several at a time: most of the time of a small file goes into
# what it includes and instantiates. So names in the anonymous namespaces of a folder's files must differ. The build with
# g++ compiles each file alone, which shows that it includes what it uses.
option(INFER_UNITY "Compile several files of a library or test as one" ON)
# An edit compiles 16 files again, which takes 5 to 12 s. Who builds the tools alone edits nothing; of 48 files at a time
# the shared headers take half as long.
set(files_at_once 16)
if(NOT INFER_BUILD_TESTS)
  set(files_at_once 48)
endif()
function(infer_join_sources target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${INFER_UNITY} UNITY_BUILD_BATCH_SIZE ${files_at_once})
endfunction()

# infer_library(NAME SOURCES file... DEPS target... [NO_PCH] [NO_UNITY] [PLAIN | PLAIN_IN_TESTS]): a static library with the
# project's warnings. NO_PCH for one that is compiled with other options than the rest (with infer_make_pch it gets a header
# of its own, which pays from about five files on), NO_UNITY for one whose files need to be compiled alone, PLAIN for one
# that nobody waits for (reports, command lines), PLAIN_IN_TESTS for one that only the everyday build need not optimise.
function(infer_library name)
  cmake_parse_arguments(arg "NO_PCH;NO_UNITY;PLAIN;PLAIN_IN_TESTS" "" "SOURCES;DEPS" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  if(NOT arg_NO_UNITY)
    infer_join_sources(${name})
  endif()
  if(plain_option AND (arg_PLAIN OR (arg_PLAIN_IN_TESTS AND NOT CMAKE_BUILD_TYPE STREQUAL "Release")))
    target_compile_options(${name} PRIVATE ${plain_option})
    infer_use_pch(${name} infer_plain_pch)
  elseif(NOT arg_NO_PCH)
    infer_use_pch(${name} infer_pch)
  endif()
  target_link_libraries(${name} PUBLIC ${arg_DEPS} PRIVATE infer_settings)
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR})
endfunction()

# infer_proto_library(NAME file.proto... [DEPS target...]): the message classes of .proto files, generated at build time
# and included by their path from the root ("ir/proto/graph.pb.h"). They are not ours to keep free of warnings, so they
# are built without the project's settings.
add_custom_target(generated_headers)
function(infer_proto_library name)
  cmake_parse_arguments(arg "" "" "DEPS" ${ARGN})
  set(proto_dir ${PROJECT_BINARY_DIR}/proto)
  file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  set(all_outputs)
  foreach(file IN LISTS arg_UNPARSED_ARGUMENTS)
    get_filename_component(stem ${file} NAME_WE)
    set(outputs ${proto_dir}/${folder}/${stem}.pb.cc ${proto_dir}/${folder}/${stem}.pb.h)
    add_custom_command(
      OUTPUT ${outputs}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${proto_dir}
      COMMAND protobuf::protoc --proto_path=${PROJECT_SOURCE_DIR} --cpp_out=${proto_dir} ${folder}/${file}
      DEPENDS ${file}
      VERBATIM)
    list(APPEND all_outputs ${outputs})
  endforeach()
  add_library(${name} STATIC ${all_outputs})
  add_custom_target(${name}_headers DEPENDS ${all_outputs})
  add_dependencies(generated_headers ${name}_headers)
  target_link_libraries(${name} PUBLIC protobuf::libprotobuf ${arg_DEPS})
  target_include_directories(${name} SYSTEM PUBLIC ${proto_dir})
endfunction()

# Builds the tests of everything that reads untrusted bytes; tools/test.sh runs them under sanitizers.
add_custom_target(parser_tests)
# Builds the tests with the label `quick`, which run in a minute on two cores: for the time between two edits.
add_custom_target(quick_tests)

# testing::TempDir() of tests that write models and other files: those of two builds may run at once and use the same names.
set(infer_test_files ${CMAKE_BINARY_DIR}/Testing/files)
file(MAKE_DIRECTORY ${infer_test_files})
function(infer_own_files)
  set_property(TEST ${ARGV} APPEND PROPERTY ENVIRONMENT TEST_TMPDIR=${infer_test_files})
endfunction()

# infer_test(NAME SOURCES file... DEPS target... [LABELS label] [NO_DISCOVERY]): a GoogleTest binary whose cases ctest knows.
# Several folders may add to the same binary; labels and NO_DISCOVERY are those of the first. Its own sources are not
# optimised; what several tests share, or what computes much, is an infer_library. The labels `parser` and `quick` also make
# it part of the target parser_tests or quick_tests. NO_DISCOVERY leaves it to the caller to tell ctest how the binary is
# run.
function(infer_test name)
  cmake_parse_arguments(arg "NO_DISCOVERY" "" "SOURCES;DEPS;LABELS" ${ARGN})
  if(TARGET ${name})
    get_target_property(labels ${name} INFER_LABELS)
    foreach(label IN LISTS arg_LABELS)
      if(NOT label IN_LIST labels)
        message(FATAL_ERROR "${name} has the label '${label}' here, but not where it is declared first: '${labels}'")
      endif()
    endforeach()
    target_sources(${name} PRIVATE ${arg_SOURCES})
    target_link_libraries(${name} PRIVATE ${arg_DEPS})
    return()
  endif()
  add_executable(${name} ${arg_SOURCES})
  infer_join_sources(${name})
  set_target_properties(${name} PROPERTIES INFER_LABELS "${arg_LABELS}")
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${name} PRIVATE -fPIC -O0)
  if(NOT INFER_SANITIZE)
    target_compile_options(${name} PRIVATE -g0)  # a failure names its line by itself; a tenth of the time
  endif()
  infer_use_pch(${name} infer_test_pch)
  target_link_libraries(${name} PRIVATE ${arg_DEPS} GTest::gmock GTest::gtest_main infer_settings)
  target_compile_definitions(${name} PRIVATE
    INFER_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data"
    INFER_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
    INFER_BIN_DIR="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
  if(NOT arg_NO_DISCOVERY)
    set(suites ${CMAKE_CURRENT_BINARY_DIR}/${name}_suites)
    file(CONFIGURE OUTPUT ${suites}.cmake @ONLY CONTENT "set(name @name@)
set(executable \"@CMAKE_RUNTIME_OUTPUT_DIRECTORY@/@name@\")
set(emulator @CMAKE_CROSSCOMPILING_EMULATOR@)
set(list \"@suites@_list.cmake\")
set(labels @arg_LABELS@)
set(environment \"TEST_TMPDIR=@infer_test_files@\")
include(\"@PROJECT_SOURCE_DIR@/cmake/DiscoverSuites.cmake\")
")
    set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${suites}.cmake)
  endif()
  foreach(label parser quick)
    if(label IN_LIST arg_LABELS)
      add_dependencies(${label}_tests ${name})
    endif()
  endforeach()
endfunction()
