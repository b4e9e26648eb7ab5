# Read by ctest before it runs tests, once for each GoogleTest binary with `name`, `executable`, `emulator`, `list`,
# `labels` and `environment` set: declares a test for each suite of the binary. Starting a process for each of 5,000 cases
# would take longer than most of them do. Suites are listed again when the binary is newer than the list.
if(NOT EXISTS "${executable}")
  add_test(${name}_NOT_BUILT ${name}_NOT_BUILT)
  return()
endif()
if(NOT EXISTS "${list}" OR "${executable}" IS_NEWER_THAN "${list}")
  # The limit is for a binary that hangs: a sanitizer on a busy machine may need half a minute.
  execute_process(COMMAND ${emulator} ${executable} --gtest_list_tests
    OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE failed TIMEOUT 600)
  if(failed)
    message(FATAL_ERROR "${executable} --gtest_list_tests failed with ${failed}:\n${output}")
  endif()
  # Suites stand at the beginning of a line, cases are indented.
  string(REGEX MATCHALL "\n[A-Za-z0-9_/]+\\." suites "\n${output}")
  string(REGEX REPLACE "[\n.]" "" suites "${suites}")
  file(WRITE "${list}" "set(suites ${suites})\n")
endif()
include("${list}")
foreach(suite IN LISTS suites)
  add_test(${name}.${suite} ${emulator} ${executable} --gtest_filter=${suite}.*)
  set_tests_properties(${name}.${suite} PROPERTIES ENVIRONMENT "${environment}" LABELS "${labels}")
endforeach()
