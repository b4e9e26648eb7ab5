# Compiler settings of the project, and the functions that declare its libraries and tests.

# Dev: asserts of ours and of the standard library on, optimised enough that the scalar reference
# runs a whole model in a test. Plain variables: project() has already put empty ones for CMAKE_BUILD_TYPE into the
# cache, which a second cache entry would not replace.
set(CMAKE_CXX_FLAGS_DEV "-O1 -g -D_GLIBCXX_ASSERTIONS")
set(CMAKE_C_FLAGS_DEV "-O1 -g")

add_library(infer_settings INTERFACE)
target_compile_options(infer_settings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Werror)
target_include_directories(infer_settings INTERFACE ${PROJECT_SOURCE_DIR})
if(INFER_SANITIZE)
  list(JOIN INFER_SANITIZE "," sanitizers)
  add_compile_options(-fsanitize=${sanitizers} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${sanitizers})
endif()

# infer_library(NAME SOURCES file... DEPS target...): a static library with the project's warnings.
function(infer_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPS" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  target_link_libraries(${name} PUBLIC ${arg_DEPS} PRIVATE infer_settings)
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR})
endfunction()

# Builds the tests of everything that reads untrusted bytes; tools/test.sh runs them under sanitizers.
add_custom_target(parser_tests)

# infer_test(NAME SOURCES file... DEPS target... [LABELS label]): a GoogleTest binary whose cases ctest knows.
# The label `parser` also makes it part of the target parser_tests.
function(infer_test name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPS;LABELS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_DEPS} GTest::gmock GTest::gtest_main infer_settings)
  target_compile_definitions(${name} PRIVATE
    INFER_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data"
    INFER_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
    INFER_BIN_DIR="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
  # Listing the cases starts the binary: the default limit of 5 s is too short for a sanitizer on a busy machine.
  gtest_discover_tests(${name}
    DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 120 PROPERTIES LABELS "${arg_LABELS}")
  if("parser" IN_LIST arg_LABELS)
    add_dependencies(parser_tests ${name})
  endif()
endfunction()
