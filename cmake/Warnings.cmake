# Warnings of the project's own code, as the interface library infer_settings.

# Errors only in the project's own presets and scripts, whose compilers are known: all of them build the type Dev.
# Whoever builds infer to use it (preset `release`, CMake's own build types) may have a newer compiler with more to say,
# and must not be stopped by that.
if(CMAKE_BUILD_TYPE STREQUAL "Dev")
  set(werror_default ON)
else()
  set(werror_default OFF)
endif()
option(INFER_WERROR "Treat warnings as errors" ${werror_default})
set(werror_options)
if(INFER_WERROR)
  set(werror_options -Werror)
endif()

add_library(infer_settings INTERFACE)
target_compile_options(infer_settings INTERFACE -Wall -Wextra -Wpedantic -Wshadow ${werror_options})
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # g++ 12 sees copies out of bounds where std::string or std::vector is inlined and there are none (GCC bugs 105329 and
  # 105651; 12.4 also in pybind11's headers), and members of a std::variant or std::optional that are not the one it
  # holds read before they are set (80635), as are operands of its own AVX-512 functions that have no value on purpose
  # (105593). clang warns of variables that are not set, and the sanitizers find the rest.
  target_compile_options(infer_settings INTERFACE
    -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread -Wno-maybe-uninitialized
    -Wno-uninitialized)
endif()
