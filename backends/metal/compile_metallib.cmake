# Compiles one shader ahead of time into DIR/<name>-<hash of its text>.metallib, which metal_pipelines.cc looks for.
# Always succeeds: a shader that the compiler rejects must not end the build. The compiler's message is shown and the
# source is compiled when a program is loaded. STAMP is written either way.
#   cmake -D SHADER=norm.metal -D DIR=... -D STAMP=... -P compile_metallib.cmake -- COMPILER OPTION...
cmake_minimum_required(VERSION 3.25)

set(command "")
set(after_dashes FALSE)
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(i RANGE ${last})
  if(after_dashes)
    list(APPEND command "${CMAKE_ARGV${i}}")
  elseif("${CMAKE_ARGV${i}}" STREQUAL "--")
    set(after_dashes TRUE)
  endif()
endforeach()

get_filename_component(name ${SHADER} NAME_WE)
file(SHA256 ${SHADER} hash)
# Renamed when complete, so that an interrupted build leaves nothing to load.
set(unfinished ${DIR}/unfinished/${name}.metallib)
file(MAKE_DIRECTORY ${DIR}/unfinished)
file(GLOB earlier ${DIR}/${name}-*.metallib)
file(REMOVE ${unfinished} ${earlier})
execute_process(COMMAND ${command} -o ${unfinished} ${SHADER}
  RESULT_VARIABLE status OUTPUT_VARIABLE text ERROR_VARIABLE text)
string(STRIP "${text}" text)
if(NOT text STREQUAL "")
  message(NOTICE "${text}")
endif()
if(status STREQUAL "0" AND EXISTS ${unfinished})
  file(RENAME ${unfinished} ${DIR}/${name}-${hash}.metallib)
else()
  file(REMOVE ${unfinished})
  message(NOTICE "warning: ${name}.metal was not compiled ahead of time (${status}); its source is compiled when a program is loaded")
endif()
file(TOUCH ${STAMP})
