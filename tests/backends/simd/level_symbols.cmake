# Fails if an object that was compiled for an instruction-set level defines a symbol that another object could be
# linked to: inline functions of headers are emitted as weak symbols, the linker keeps any one of them, and code for
# all CPUs would run one that was compiled for this level.
#
#   cmake -DNM=nm -DLEVEL=neon -DOBJECTS=a.o;b.o -P level_symbols.cmake
string(LENGTH "${LEVEL}" length)
set(own "5infer4simd${length}${LEVEL}") # infer::simd::<level>, as compilers write it
set(defined 0)
foreach(object IN LISTS OBJECTS)
  execute_process(COMMAND ${NM} --defined-only --extern-only ${object}
    OUTPUT_VARIABLE symbols RESULT_VARIABLE failed ERROR_VARIABLE message)
  if(failed)
    message(FATAL_ERROR "${NM} cannot read ${object}: ${message}")
  endif()
  string(REGEX MATCHALL "[^\n]+" lines "${symbols}")
  foreach(line IN LISTS lines)
    math(EXPR defined "${defined} + 1")
    if(NOT line MATCHES "${own}" AND NOT line MATCHES " [Vu] ") # V, u: data, the same for every CPU
      message(SEND_ERROR "${object} defines a symbol outside of infer::simd::${LEVEL}: ${line}")
    endif()
  endforeach()
endforeach()
if(defined EQUAL 0)
  message(FATAL_ERROR "no symbols were found in: ${OBJECTS}")
endif()
