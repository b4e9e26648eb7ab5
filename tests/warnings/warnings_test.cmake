# Run by ctest with SETTINGS, PRESETS, PROJECT_DIR, WORK_DIR, CXX and GENERATOR set.
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE ${WORK_DIR})

# try_build(OUTPUT_VARIABLE NAME ARGUMENT...): builds the file that warns; whether it ended well. Every time in the same
# folder, without the settings of the time before: looking at the compiler takes longer than all the rest.
function(try_build ended_well name)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -S ${PROJECT_DIR} -B ${WORK_DIR} -G ${GENERATOR} -D CMAKE_CXX_COMPILER=${CXX}
            -D SETTINGS=${SETTINGS} -U INFER_WERROR -U CMAKE_BUILD_TYPE ${ARGN}
    RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${name} could not be configured: ${out}")
  endif()
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${WORK_DIR} --clean-first
    RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT out MATCHES "unused")
    message(FATAL_ERROR "${name} was built without the project's warnings: ${out}")
  endif()
  set(${ended_well} FALSE PARENT_SCOPE)
  if(code EQUAL 0)
    set(${ended_well} TRUE PARENT_SCOPE)
  endif()
endfunction()

# Every preset, by its build type, each of which is built once; only the users' one may go on.
file(READ ${PRESETS} presets)
string(JSON count LENGTH ${presets} configurePresets)
math(EXPR last "${count} - 1")
set(seen)
foreach(i RANGE ${last})
  string(JSON name GET ${presets} configurePresets ${i} name)
  if(name STREQUAL "base")
    continue()
  endif()
  string(JSON build_type GET ${presets} configurePresets ${i} cacheVariables CMAKE_BUILD_TYPE)
  list(APPEND seen ${name})
  if(NOT DEFINED goes_on_${build_type})
    try_build(goes_on_${build_type} ${name} -D CMAKE_BUILD_TYPE=${build_type})
  endif()
  if(name STREQUAL "release" AND NOT goes_on_${build_type})
    message(FATAL_ERROR "a warning ended the build that users make")
  elseif(NOT name STREQUAL "release" AND goes_on_${build_type})
    message(FATAL_ERROR "the preset ${name} let a warning pass")
  endif()
endforeach()
if(NOT "release" IN_LIST seen OR NOT "dev" IN_LIST seen)
  message(FATAL_ERROR "the presets dev and release were not found, only: ${seen}")
endif()

# A user who asks for it gets it, and a plain `cmake -B build` is no build of ours.
try_build(ended_well asked -D CMAKE_BUILD_TYPE=Release -D INFER_WERROR=ON)
if(ended_well)
  message(FATAL_ERROR "INFER_WERROR=ON let a warning pass")
endif()
try_build(ended_well plain)
if(NOT ended_well)
  message(FATAL_ERROR "a warning ended a build without a build type")
endif()
