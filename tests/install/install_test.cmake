# Run by ctest with BUILD_DIR, EXAMPLE_DIR, WORK_DIR, CXX, PKG_CONFIG, GENERATOR and VERSION set.
cmake_minimum_required(VERSION 3.25)

# run(OUTPUT_VARIABLE COMMAND...): ends the test with what the command printed if it fails.
function(run output)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE err)
  if(NOT code EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nended with ${code}\n${out}\n${err}")
  endif()
  set(${output} "${out}" PARENT_SCOPE)
endfunction()

set(first ${WORK_DIR}/first)
set(prefix ${WORK_DIR}/moved)
file(REMOVE_RECURSE ${WORK_DIR})
run(out ${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${first})
# An installed tree may be moved: nothing in it may remember the prefix or the build folder.
file(RENAME ${first} ${prefix})

set(model ${prefix}/share/infer/models/tiny-tales-q8_0.gguf)
foreach(file bin/infer bin/infer-run bin/infer-compile bin/gguf-inspect include/infer/infer.h
        share/infer/models/tiny-tales-q8_0.gguf share/man/man1/infer.1 share/man/man1/infer-run.1
        share/bash-completion/completions/infer-run share/zsh/vendor-completions/_infer_tools
        share/fish/vendor_completions.d/infer-run.fish)
  if(NOT EXISTS ${prefix}/${file})
    message(FATAL_ERROR "${file} was not installed")
  endif()
endforeach()

run(out ${CMAKE_COMMAND} -S ${EXAMPLE_DIR} -B ${WORK_DIR}/build -G ${GENERATOR}
  -D CMAKE_CXX_COMPILER=${CXX} -D CMAKE_PREFIX_PATH=${prefix})
run(out ${CMAKE_COMMAND} --build ${WORK_DIR}/build --target example)

# Two texts at once, the second cancelled; what they say is random.
execute_process(COMMAND ${WORK_DIR}/build/example ${model} "Once upon a time"
  RESULT_VARIABLE code OUTPUT_VARIABLE tale ERROR_VARIABLE err)
string(LENGTH "${tale}" tale_bytes)
if(NOT code EQUAL 0 OR tale_bytes LESS 80)
  message(FATAL_ERROR "the example ended with ${code} and printed: ${tale}\n${err}")
endif()
# Weights are packed, with progress, on CPUs whose kernels want them so.
foreach(expected "threads [0-9]+ = min" "\\[1\\] prompt 4/4" "\\[2\\] prompt 4/4"
        "\\[1\\] enough tokens after 48 tokens" "\\[2\\] cancelled after [0-9]+ tokens")
  if(NOT err MATCHES "${expected}")
    message(FATAL_ERROR "the example did not say '${expected}': ${err}")
  endif()
endforeach()

# The other program without CMake: pkg-config knows the installed tree, wherever it lies.
file(GLOB_RECURSE pc_file ${prefix}/infer.pc)
get_filename_component(pc_dir "${pc_file}" DIRECTORY)
file(READ ${pc_file} pc_text)
if(pc_text MATCHES "${WORK_DIR}" OR pc_text MATCHES "${BUILD_DIR}")
  message(FATAL_ERROR "infer.pc remembers where it was installed: ${pc_text}")
endif()
set(ENV{PKG_CONFIG_PATH} ${pc_dir})
run(version ${PKG_CONFIG} --modversion infer)
string(STRIP "${version}" version)
if(NOT version STREQUAL VERSION)
  message(FATAL_ERROR "infer.pc has version ${version}, the project ${VERSION}")
endif()
run(flags ${PKG_CONFIG} --cflags --libs infer)
separate_arguments(flags UNIX_COMMAND "${flags}")
run(libdir ${PKG_CONFIG} --variable=libdir infer)
string(STRIP "${libdir}" libdir)
run(out ${CXX} -std=c++20 ${EXAMPLE_DIR}/chat.cc -o ${WORK_DIR}/chat ${flags} -Wl,-rpath,${libdir})

# Thought, tool call, the answer to its result, and JSON of a schema.
run(talk ${WORK_DIR}/chat ${model} "What is the weather in Paris?")
foreach(expected "thought: " "call: get_weather {\"city\": \"Paris\"}" "answer: "
        "answer: {[ \n]*\"happy\": (true|false),[ \n]*\"stars\": [1-5][ \n]*}\n$")
  if(NOT talk MATCHES "${expected}")
    message(FATAL_ERROR "the chat did not say '${expected}': ${talk}")
  endif()
endforeach()

# The example must refuse a missing file with the documented exit code instead of ending by a signal.
execute_process(COMMAND ${WORK_DIR}/build/example ${WORK_DIR}/none.gguf "x"
  RESULT_VARIABLE code OUTPUT_QUIET ERROR_VARIABLE err)
if(NOT code EQUAL 3 OR NOT err MATCHES "none.gguf")
  message(FATAL_ERROR "a missing model ended with ${code}: ${err}")
endif()

# The installed tool finds its bundled model beside itself.
run(tale ${prefix}/bin/infer-run -p "Once upon a time" -n 16)
if(tale STREQUAL "")
  message(FATAL_ERROR "the installed infer-run printed nothing")
endif()
