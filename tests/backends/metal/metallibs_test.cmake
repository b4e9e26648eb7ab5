# Builds a project with two shaders, of which one does not compile, the way that backends/metal does.
#   cmake -D METALLIBS=.../metallibs.cmake -D COMPILER=... -D WORK_DIR=... -P metallibs_test.cmake
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE ${WORK_DIR})
set(libraries ${WORK_DIR}/build/metallib)

function(write_shader name text)
  # Ninja compares times: a file that is written twice within one tick of the clock looks unchanged.
  execute_process(COMMAND ${CMAKE_COMMAND} -E sleep 0.1)
  file(WRITE ${WORK_DIR}/${name}.metal "${text}\n")
endfunction()

# Puts what the build printed into `printed`; the test ends where it fails.
macro(build)
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${WORK_DIR}/build --target host
    RESULT_VARIABLE status OUTPUT_VARIABLE printed ERROR_VARIABLE printed)
  if(NOT status STREQUAL "0")
    message(FATAL_ERROR "the build ended with ${status}:\n${printed}")
  endif()
endmacro()

# All libraries that are there, without their folder.
function(expect_libraries)
  file(GLOB found RELATIVE ${libraries} ${libraries}/*.metallib ${libraries}/unfinished/*)
  set(expected "")
  foreach(name IN LISTS ARGN)
    file(SHA256 ${WORK_DIR}/${name}.metal hash)
    list(APPEND expected ${name}-${hash}.metallib)
  endforeach()
  if(NOT found STREQUAL expected)
    message(FATAL_ERROR "${libraries} holds\n  ${found}\ninstead of\n  ${expected}\nafter\n${printed}")
  endif()
endfunction()

function(expect_printed text)
  if(NOT printed MATCHES "${text}")
    message(FATAL_ERROR "the build did not print '${text}' but\n${printed}")
  endif()
endfunction()

file(WRITE ${WORK_DIR}/CMakeLists.txt "cmake_minimum_required(VERSION 3.25)
project(metallibs LANGUAGES NONE)
include(${METALLIBS})
set_property(GLOBAL PROPERTY INFER_RESOLVED_SHADERS ${WORK_DIR}/bad.metal ${WORK_DIR}/good.metal)
add_custom_target(infer_resolved_shaders)
add_custom_target(host)
infer_add_metallibs(host ${libraries} ${COMPILER} --option)
")
write_shader(good "kernel void good() {}")
write_shader(bad "#error no such type; flaot")
execute_process(COMMAND ${CMAKE_COMMAND} -G Ninja -S ${WORK_DIR} -B ${WORK_DIR}/build COMMAND_ERROR_IS_FATAL ANY
  OUTPUT_QUIET)

# One that is refused takes nothing else with it, and its text is shown.
build()
expect_libraries(good)
expect_printed("#error no such type; flaot")
expect_printed("bad.metal was not compiled ahead of time")

# Nothing is left of an earlier text, neither where the new one compiles nor where it does not.
write_shader(good "kernel void better() {}")
build()
expect_libraries(good)
write_shader(good "#error worse now")
write_shader(bad "kernel void bad() {}")
build()
expect_libraries(bad)

# A compiler that cannot be started is one that refuses.
file(REMOVE_RECURSE ${WORK_DIR}/build)
file(READ ${WORK_DIR}/CMakeLists.txt text)
string(REPLACE "${COMPILER}" "${WORK_DIR}/no-such-program" text "${text}")
file(WRITE ${WORK_DIR}/CMakeLists.txt "${text}")
execute_process(COMMAND ${CMAKE_COMMAND} -G Ninja -S ${WORK_DIR} -B ${WORK_DIR}/build COMMAND_ERROR_IS_FATAL ANY
  OUTPUT_QUIET)
build()
expect_libraries()
expect_printed("bad.metal was not compiled ahead of time")
