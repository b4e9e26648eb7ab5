# Toolchain: Linux on INFER_CROSS_CPU (x86_64, aarch64) from any Linux, with clang and a Debian sysroot, run under qemu.
# See tools/test_qemu.sh.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${INFER_CROSS_CPU})
set(CMAKE_LIBRARY_ARCHITECTURE ${INFER_CROSS_CPU}-linux-gnu)

set(CMAKE_SYSROOT ${INFER_SYSROOT})
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES INFER_SYSROOT INFER_CROSS_CPU)

foreach(language C CXX)
  set(CMAKE_${language}_COMPILER_TARGET ${INFER_CROSS_CPU}-linux-gnu)
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
    ${CMAKE_SYSROOT}/usr/lib/${INFER_CROSS_CPU}-linux-gnu/pkgconfig:${CMAKE_SYSROOT}/usr/share/pkgconfig)

# "max" has every extension that qemu knows: AVX2; dotprod, i8mm and bf16.
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${INFER_CROSS_CPU} -cpu max -L ${CMAKE_SYSROOT})
