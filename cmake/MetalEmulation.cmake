# Whether the software Metal device (tests/metal_emulation) is built, and how shaders are compiled for it.

# Its shaders need clang 19: g++ has no ext_vector_type, older clangs no vectors of bool. Everything else is compiled
# with the compiler of the build.
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 19)
  set(INFER_SHADER_CXX ${CMAKE_CXX_COMPILER})
else()
  find_program(INFER_SHADER_CXX NAMES clang++-19 clang++-20 clang++-21 DOC "clang that compiles emulated shaders")
endif()

set(why_no_emulation "")
if(NOT INFER_BUILD_TESTS)
  set(why_no_emulation "INFER_BUILD_TESTS is off")
elseif(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux" OR NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64|x86_64|AMD64)$")
  set(why_no_emulation "it runs on Linux with aarch64 or x86-64")
elseif(NOT INFER_SHADER_CXX)
  set(why_no_emulation "it needs clang++ 19 for the shaders")
elseif(CMAKE_BUILD_TYPE STREQUAL "Release")
  set(why_no_emulation "it is for tests, and this is a release build")
endif()
if(why_no_emulation STREQUAL "")
  set(emulation_default ON)
else()
  set(emulation_default OFF)
endif()
option(INFER_METAL_EMULATION "Build the software Metal device and register it as `metal`" ${emulation_default})
if(NOT INFER_METAL_EMULATION)
  if(why_no_emulation STREQUAL "")
    set(why_no_emulation "switched off by INFER_METAL_EMULATION")
  endif()
  message(STATUS "Metal emulation: off, ${why_no_emulation}")
elseif(NOT INFER_SHADER_CXX)
  message(FATAL_ERROR "INFER_METAL_EMULATION is on, but no clang++ of version 19 was found for the shaders")
endif()

set(emulation_dir ${PROJECT_SOURCE_DIR}/tests/metal_emulation)

# Flags of the generated files, for execution and for the check of address spaces alike.
set(emulation_shader_flags
  -std=c++20
  -fsigned-char  # MSL's char is signed on every machine
  -Wall -Wextra ${werror_options}
  -Wno-unknown-attributes
  -D__METAL_VERSION__=310
  -isystem ${emulation_dir}/runtime/include
  -isystem ${PROJECT_SOURCE_DIR})
if(CMAKE_CXX_COMPILER_TARGET)
  list(APPEND emulation_shader_flags --target=${CMAKE_CXX_COMPILER_TARGET})
endif()
if(CMAKE_SYSROOT)
  list(APPEND emulation_shader_flags --sysroot=${CMAKE_SYSROOT})
endif()
# Address spaces that do not mix, and no syntax newer than C++14 in the shaders.
set(emulation_check_flags -DMSL_CHECK -fsyntax-only -Wpre-c++17-compat -Wpre-c++20-compat)

# What the sanitizers must know of code that runs on fibers. ThreadSanitizer cannot follow fibers and leaves it alone:
# what it could find there, two groups that write the same bytes, is not found. AddressSanitizer must not move the
# frames of fibers elsewhere.
set(emulation_sanitizer_options "")
if("thread" IN_LIST INFER_SANITIZE)
  set(emulation_sanitizer_options -fno-sanitize=thread)
elseif("address" IN_LIST INFER_SANITIZE AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  set(emulation_sanitizer_options -fsanitize-address-use-after-return=never)
endif()

# A call before each access of a shader, by which the runtime knows what a dispatch touches (runtime/access_calls.cc):
# the instrumentation of AddressSanitizer, which knows every kind of access, with names of our own. Coverage's
# trace-loads would leave out vectors of more than 16 bytes and copies of structs.
set(emulation_trace_flags
  -mllvm -asan-instrumentation-with-call-threshold=0
  -mllvm -asan-memory-access-callback-prefix=infer_trace_)
if(NOT "address" IN_LIST INFER_SANITIZE)
  list(APPEND emulation_trace_flags -fsanitize=kernel-address -mllvm -asan-kernel-mem-intrinsic-prefix=1
    -mllvm -asan-stack=0 -mllvm -asan-globals=0)
endif()

# Loads and stores that are less aligned than their type: the check of UndefinedBehaviorSanitizer, with our own function
# behind it. Where a sanitizer brings its own, that one ends the program.
set(emulation_alignment_flags "")
if("${INFER_SANITIZE}" STREQUAL "")
  set(emulation_alignment_flags -fsanitize=alignment)
endif()

# infer_add_emulated_shaders(TARGET SHADERS a.metal...): what links TARGET can run these shaders on the software device.
# The objects go to the executable itself: nothing refers to them by name, so a linker would leave them in an archive.
function(infer_add_emulated_shaders target)
  cmake_parse_arguments(arg "" "" "SHADERS" ${ARGN})
  set(flags ${emulation_shader_flags} ${emulation_trace_flags} ${emulation_alignment_flags} -O2 -g1 -fPIC)
  if("address" IN_LIST INFER_SANITIZE)
    list(JOIN INFER_SANITIZE "," sanitizers)
    list(APPEND flags -fsanitize=${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer
      -fsanitize-address-use-after-return=never)
  endif()
  set(objects)
  foreach(shader IN LISTS arg_SHADERS)
    get_filename_component(shader ${shader} ABSOLUTE)
    get_filename_component(stem ${shader} NAME_WE)
    # Relative, so that messages are the same on every machine.
    file(RELATIVE_PATH source ${PROJECT_SOURCE_DIR} ${shader})
    get_filename_component(folder ${shader} DIRECTORY)
    file(GLOB headers CONFIGURE_DEPENDS ${folder}/*.h)
    set(out ${CMAKE_CURRENT_BINARY_DIR}/${target}_shaders/${stem})
    file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${target}_shaders)
    add_custom_command(OUTPUT ${out}.gen.cc
      COMMAND mslgen -I ${PROJECT_SOURCE_DIR} ${source} ${out}.gen.cc
      WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
      DEPENDS mslgen ${shader} ${headers}
      COMMENT "Generating C++ from ${source}"
      VERBATIM)
    add_custom_command(OUTPUT ${out}.o
      COMMAND ${INFER_SHADER_CXX} ${flags} -MD -MT ${out}.o -MF ${out}.d -c ${out}.gen.cc -o ${out}.o
      WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
      DEPENDS ${out}.gen.cc
      DEPFILE ${out}.d
      COMMENT "Compiling ${source} for the software Metal device"
      VERBATIM)
    list(APPEND objects ${out}.o)
  endforeach()
  add_custom_target(${target}_emulated_shaders DEPENDS ${objects})
  add_dependencies(${target} ${target}_emulated_shaders)
  # The runtime behind them: a program that never asks for the device has taken nothing of its archive before.
  target_link_libraries(${target} INTERFACE ${objects} metal_emulation_runtime)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE")
    target_link_libraries(${target} PRIVATE ${objects})
  endif()
endfunction()
