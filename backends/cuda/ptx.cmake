# Every kernels/*.cu as PTX for two generations of cards, embedded into infer_cuda_ptx.
file(GLOB cuda_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/kernels/*.cu)
file(GLOB cuda_headers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/kernels/*.h)
set(ptx_dir ${CMAKE_CURRENT_BINARY_DIR}/ptx)
file(MAKE_DIRECTORY ${ptx_dir})
set(ptx_flags
  -x cuda --cuda-device-only -nocudainc -nocudalib -ffreestanding -Wno-unknown-cuda-version
  -std=c++20 -O3 -Wall -Wextra -Wno-unused-parameter ${werror_options}
  # Whether a*b+c is rounded once is written out: the values of weights are defined by their format.
  -ffp-contract=off
  -I ${PROJECT_SOURCE_DIR})

set(ptx_files)
set(ptx_blobs "")
set(ptx_rows "")
foreach(generation "80;+ptx70" "90;+ptx78")
  list(GET generation 0 capability)
  list(GET generation 1 version)
  foreach(source IN LISTS cuda_sources)
    get_filename_component(name ${source} NAME_WE)
    set(ptx ${ptx_dir}/${name}_${capability}.ptx)
    add_custom_command(OUTPUT ${ptx}
      COMMAND ${INFER_PTX_CXX} ${ptx_flags} --cuda-gpu-arch=sm_${capability} --cuda-feature=${version}
              -S -o ${ptx} ${source}
      DEPENDS ${source} ${cuda_headers}
      COMMENT "Compiling kernels/${name}.cu for sm_${capability}"
      VERBATIM)
    list(APPEND ptx_files ${ptx})
    string(APPEND ptx_blobs
      "asm(\".section .rodata\\n.balign 16\\n.hidden infer_ptx_${name}_${capability}\\n.global infer_ptx_${name}_${capability}\\n\"\n"
      "    \"infer_ptx_${name}_${capability}:\\n.incbin \\\"${ptx}\\\"\\n.byte 0\\n.previous\\n\");\n"
      "extern \"C\" const char infer_ptx_${name}_${capability}[];\n")
    string(APPEND ptx_rows "    {\"${name}\", ${capability}, infer_ptx_${name}_${capability}},\n")
  endforeach()
endforeach()
configure_file(ptx_modules.cc.in ${ptx_dir}/ptx_modules.cc @ONLY)
set_source_files_properties(${ptx_dir}/ptx_modules.cc PROPERTIES OBJECT_DEPENDS "${ptx_files}")
infer_library(infer_cuda_ptx SOURCES ${ptx_dir}/ptx_modules.cc DEPS infer_cuda_host)
