# Metal on macOS: Apple's headers and frameworks, and shaders compiled ahead of time if Apple's compiler is installed.
if(NOT EXISTS ${METAL_CPP_DIR}/Metal/Metal.hpp)
  message(FATAL_ERROR "METAL_CPP_DIR=${METAL_CPP_DIR} holds no Metal/Metal.hpp; download metal-cpp for macOS 15 or later from developer.apple.com/metal/cpp")
endif()

infer_library(infer_metal_host SOURCES ${metal_host_sources} DEPS ${metal_host_deps})
# metal-cpp's own definitions are third-party code and may have warnings.
add_library(infer_metal_cpp STATIC metal_cpp.cc)
foreach(target infer_metal_host infer_metal_cpp)
  target_include_directories(${target} SYSTEM PUBLIC ${METAL_CPP_DIR})
endforeach()
target_link_libraries(infer_metal_cpp PUBLIC "-framework Metal" "-framework Foundation" "-framework QuartzCore")
target_link_libraries(infer_metal_host PUBLIC infer_metal_cpp)
target_link_libraries(infer_backend_metal PRIVATE infer_metal_host)
target_compile_definitions(infer_backend_metal PRIVATE INFER_HAS_METAL)

# Xcode has the compiler; with the command line tools alone, the embedded source is compiled at load. Only running the
# compiler shows that it is installed: `xcrun --find metal` also finds the stub of Xcode 26, which stands in for a
# toolchain that is downloaded separately.
execute_process(COMMAND xcrun --sdk macosx metal --version
  RESULT_VARIABLE metal_status OUTPUT_VARIABLE metal_version ERROR_QUIET)
if(metal_status STREQUAL "0")
  string(REGEX MATCH "^[^\n]*" metal_version "${metal_version}")
  set(metallib_dir ${PROJECT_BINARY_DIR}/metallib)
  # The options are those of metal_pipelines.cc.
  infer_add_metallibs(infer_metal_host ${metallib_dir}
    xcrun --sdk macosx metal -std=metal3.1 -fno-fast-math -mmacosx-version-min=14.0)
  target_compile_definitions(infer_metal_host PRIVATE INFER_METALLIB_DIR="${metallib_dir}")
  message(STATUS "Metal: shaders are compiled ahead of time by ${metal_version}")
else()
  message(STATUS "Metal: no compiler for shaders (Xcode has it; with Xcode 26: xcodebuild -downloadComponent MetalToolchain); their source is compiled when a program is loaded")
endif()
