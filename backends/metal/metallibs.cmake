# infer_add_metallibs(TARGET DIR COMPILER OPTION...): before TARGET is built, compiles every shader ahead of time into
# DIR. COMPILER is given `-o OUTPUT SHADER` after its options. A shader that it rejects has no file there.
function(infer_add_metallibs target dir)
  set(script ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/compile_metallib.cmake)
  get_property(shaders GLOBAL PROPERTY INFER_RESOLVED_SHADERS)
  set(stamps "")
  foreach(shader IN LISTS shaders)
    get_filename_component(name ${shader} NAME_WE)
    set(stamp ${dir}/${name}.stamp)
    add_custom_command(OUTPUT ${stamp}
      COMMAND ${CMAKE_COMMAND} -D SHADER=${shader} -D DIR=${dir} -D STAMP=${stamp} -P ${script} -- ${ARGN}
      DEPENDS ${shader} infer_resolved_shaders ${script}
      COMMENT "Compiling ${name}.metal ahead of time"
      VERBATIM)
    list(APPEND stamps ${stamp})
  endforeach()
  add_custom_target(${target}_metallibs DEPENDS ${stamps})
  add_dependencies(${target} ${target}_metallibs)
endfunction()
