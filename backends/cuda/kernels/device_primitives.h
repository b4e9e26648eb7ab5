// SPDX-License-Identifier: Apache-2.0
//
// The primitives on a GPU: sm_80 and later, with programmatic dependent launch from sm_90 on.
#pragma once

#define DEVICE __attribute__((device)) __attribute__((always_inline))
#define INFER_KERNEL(name, Args) extern "C" __attribute__((global)) void name(const Args args)
// Limits the registers, so that this many blocks run on a multiprocessor at the same time.
#define INFER_BOUNDED_KERNEL(name, Args, threads, blocks)                                       \
  extern "C" __attribute__((global)) __attribute__((launch_bounds(threads, blocks))) void name( \
      const Args args)

extern __attribute__((shared)) __attribute__((aligned(16))) unsigned char infer_shared[];

namespace infer::cuda {

DEVICE inline int ThreadIndex() { return __nvvm_read_ptx_sreg_tid_x(); }
DEVICE inline int BlockX() { return __nvvm_read_ptx_sreg_ctaid_x(); }
DEVICE inline int BlockY() { return __nvvm_read_ptx_sreg_ctaid_y(); }
DEVICE inline int BlockZ() { return __nvvm_read_ptx_sreg_ctaid_z(); }
DEVICE inline unsigned char* SharedMemory() { return infer_shared; }
DEVICE inline void Barrier() { __syncthreads(); }
// The same for the lanes of a warp.
DEVICE inline void WarpBarrier() { asm volatile("bar.warp.sync 0xffffffff;" ::: "memory"); }

DEVICE inline float ShuffleXor(float value, int mask) {
  float result;
  asm volatile("shfl.sync.bfly.b32 %0,%1,%2,0x1f,0xffffffff;"
               : "=f"(result)
               : "f"(value), "r"(mask));
  return result;
}

// c + the products of four pairs of bytes.
DEVICE inline int Dot4(int a, int b, int c) {
  int result;
  asm("dp4a.s32.s32 %0,%1,%2,%3;" : "=r"(result) : "r"(a), "r"(b), "r"(c));
  return result;
}

// What is read once per call is not kept in L1, where PTX can say so (7.4).
#if __CUDA_ARCH__ >= 900
#define INFER_LOAD_ONCE "ld.global.nc.L1::no_allocate.v4.s32"
#else
#define INFER_LOAD_ONCE "ld.global.nc.v4.s32"
#endif
DEVICE inline Int4 LoadOnce(const void* from) {
  Int4 v;
  asm volatile(INFER_LOAD_ONCE " {%0,%1,%2,%3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "l"(from));
  return v;
}

DEVICE inline float SquareRoot(float value) { return __nvvm_sqrt_rn_f(value); }
// 1 / value within 1 unit of the last place; infinity for subnormal numbers.
DEVICE inline float Reciprocal(float value) {
  float result;
  asm("rcp.approx.ftz.f32 %0,%1;" : "=f"(result) : "f"(value));
  return result;
}
// 1 / sqrt(value) within 2 units of the last place.
DEVICE inline float InverseSquareRoot(float value) {
  float result;
  asm("rsqrt.approx.ftz.f32 %0,%1;" : "=f"(result) : "f"(value));
  return result;
}
// 2^value within 2 units of the last place; 0 below 2^-126.
DEVICE inline float Exp2(float value) {
  float result;
  asm("ex2.approx.ftz.f32 %0,%1;" : "=f"(result) : "f"(value));
  return result;
}

// Lets the next launch begin: what it does before WaitForPrevious must not depend on this one.
DEVICE inline void LetNextStart() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}
// Returns once everything that earlier launches wrote is visible. Every thread of every kernel
// calls it, so that a launch which has waited for its predecessor has waited for all before it.
DEVICE inline void WaitForPrevious() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// Makes writes before it visible to blocks that see what is written after it.
DEVICE inline void Fence() { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }
// Adds 1 and returns what was there before.
DEVICE inline uint32_t AtomicIncrement(uint32_t* at) {
  uint32_t before;
  asm volatile("atom.global.add.u32 %0,[%1],1;" : "=r"(before) : "l"(at) : "memory");
  return before;
}

DEVICE inline uint32_t SharedAddress(const void* at) {
  return static_cast<uint32_t>(
      reinterpret_cast<uint64_t>((const __attribute__((address_space(3))) void*)at));
}

// The same as AtomicIncrement in shared memory.
DEVICE inline uint32_t AtomicIncrementShared(uint32_t* at) {
  uint32_t before;
  asm volatile("atom.shared.add.u32 %0,[%1],1;" : "=r"(before) : "r"(SharedAddress(at)) : "memory");
  return before;
}

// 16 bytes at once: the compiler would read words one by one where they are used one by one.
DEVICE inline Int4 LoadShared(const void* from) {
  Int4 v;
  asm volatile("ld.shared.v4.s32 {%0,%1,%2,%3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "r"(SharedAddress(from))
               : "memory");
  return v;
}

// Starts copying 16 bytes to shared memory, or zeros if not `valid`; `from` is not read then.
DEVICE inline void CopyAsync16(void* to, const void* from, bool valid) {
  asm volatile("cp.async.cg.shared.global [%0],[%1],16,%2;" ::"r"(SharedAddress(to)), "l"(from),
               "r"(valid ? 16 : 0)
               : "memory");
}
// The same for 4 or 8 bytes.
template <int kBytes>
DEVICE inline void CopyAsync(void* to, const void* from) {
  asm volatile("cp.async.ca.shared.global [%0],[%1],%2;" ::"r"(SharedAddress(to)), "l"(from),
               "n"(kBytes)
               : "memory");
}
// Ends a group of copies of this thread.
DEVICE inline void CommitCopies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
// Waits until at most kPending groups of this thread, the latest, are on their way.
template <int kPending>
DEVICE inline void WaitCopyGroups() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
}
// Waits for all copies of this thread.
DEVICE inline void WaitCopies() { asm volatile("cp.async.wait_all;" ::: "memory"); }

// Four 8x8 matrices of 16-bit values: lane i gives the address of row i % 8 of matrix i / 8.
struct Fragment4 {
  uint32_t r[4];
};
DEVICE inline Fragment4 LoadMatrices(const uint16_t* row) {
  Fragment4 f;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3},[%4];"
               : "=r"(f.r[0]), "=r"(f.r[1]), "=r"(f.r[2]), "=r"(f.r[3])
               : "r"(SharedAddress(row))
               : "memory");
  return f;
}
DEVICE inline Fragment4 LoadMatricesTransposed(const uint16_t* row) {
  Fragment4 f;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3},[%4];"
               : "=r"(f.r[0]), "=r"(f.r[1]), "=r"(f.r[2]), "=r"(f.r[3])
               : "r"(SharedAddress(row))
               : "memory");
  return f;
}

// c += a (16x16) * b (16x8), of f16 or bf16.
DEVICE inline void MmaF16(float (&c)[4], const Fragment4& a, uint32_t b0, uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},"
      "{%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a.r[0]), "r"(a.r[1]), "r"(a.r[2]), "r"(a.r[3]), "r"(b0), "r"(b1));
}
DEVICE inline void MmaBf16(float (&c)[4], const Fragment4& a, uint32_t b0, uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},"
      "{%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a.r[0]), "r"(a.r[1]), "r"(a.r[2]), "r"(a.r[3]), "r"(b0), "r"(b1));
}
// c += a (16x32) * b (32x8) of int8, and the same of half as many columns.
DEVICE inline void MmaInt8(int (&c)[4], const Fragment4& a, uint32_t b0, uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},"
      "{%0,%1,%2,%3};"
      : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
      : "r"(a.r[0]), "r"(a.r[1]), "r"(a.r[2]), "r"(a.r[3]), "r"(b0), "r"(b1));
}
DEVICE inline void MmaInt8(int (&c)[4], uint32_t a0, uint32_t a1, uint32_t b) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"
      : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
      : "r"(a0), "r"(a1), "r"(b));
}

}  // namespace infer::cuda
