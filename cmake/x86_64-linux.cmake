# Toolchain: x86-64 Linux from any Linux, with clang and a Debian sysroot, run under qemu. See tools/test_x86.sh.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_LIBRARY_ARCHITECTURE x86_64-linux-gnu)

if(NOT INFER_SYSROOT)
  set(INFER_SYSROOT $ENV{INFER_SYSROOT})
endif()
set(CMAKE_SYSROOT ${INFER_SYSROOT})
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES INFER_SYSROOT)

foreach(language C CXX)
  set(CMAKE_${language}_COMPILER_TARGET x86_64-linux-gnu)
endforeach()
set(CMAKE_C_COMPILER clang-19)
set(CMAKE_CXX_COMPILER clang++-19)
foreach(kind EXE SHARED MODULE)
  set(CMAKE_${kind}_LINKER_FLAGS_INIT "-fuse-ld=lld-19")
endforeach()

# Programs (protoc) are the host's, everything else is the sysroot's.
set(CMAKE_FIND_ROOT_PATH ${CMAKE_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${CMAKE_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR}
    ${CMAKE_SYSROOT}/usr/lib/x86_64-linux-gnu/pkgconfig:${CMAKE_SYSROOT}/usr/share/pkgconfig)

# "max" has every extension that qemu knows, AVX2 included.
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-x86_64 -cpu max -L ${CMAKE_SYSROOT})
