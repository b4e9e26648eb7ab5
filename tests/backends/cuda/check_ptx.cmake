# Assembles every module for one generation of cards. Fails where NVIDIA's assembler refuses one, or where
# a kernel spills more than a few registers. Arguments: ptxas, ptx_dir, card.
set(most_spilled_bytes 128)  # few_q6_k_t32 spills 108
file(GLOB modules ${ptx_dir}/*_${card}.ptx)
if(NOT modules)
  message(FATAL_ERROR "no PTX in ${ptx_dir}; build infer_cuda_ptx first")
endif()
foreach(module IN LISTS modules)
  execute_process(COMMAND ${ptxas} -v -arch=sm_${card} ${module} -o ${CMAKE_CURRENT_BINARY_DIR}/ptxas_${card}.cubin
    RESULT_VARIABLE result OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(NOT result EQUAL 0)
    message(SEND_ERROR "${module} for sm_${card}: ${said}")
  endif()
  string(REGEX MATCHALL "function '[^']*'[^,]*, [0-9]+ bytes spill stores" kernels "${said}")
  foreach(kernel IN LISTS kernels)
    string(REGEX REPLACE "function '([^']*)'.*" "\\1" name "${kernel}")
    string(REGEX REPLACE ".* ([0-9]+) bytes spill stores" "\\1" bytes "${kernel}")
    if(bytes GREATER most_spilled_bytes)
      message(SEND_ERROR "${name} for sm_${card} spills ${bytes} bytes of registers, more than ${most_spilled_bytes}")
    endif()
  endforeach()
endforeach()
list(LENGTH modules count)
message(STATUS "${count} modules assembled")
