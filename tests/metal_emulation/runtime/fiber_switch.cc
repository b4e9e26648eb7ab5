// SPDX-License-Identifier: Apache-2.0
//
// infer_emulation_switch(void** save, void* load): pushes the registers that a called function must
// keep, stores the stack pointer in *save, takes `load` as the stack pointer and pops. Of
// swapcontext() it differs in making no system call, which would take ten times as long.

#if defined(__aarch64__)
asm(R"(
.text
.balign 16
.global infer_emulation_switch
.hidden infer_emulation_switch
.type infer_emulation_switch, %function
infer_emulation_switch:
  stp x29, x30, [sp, #-160]!
  stp x19, x20, [sp, #16]
  stp x21, x22, [sp, #32]
  stp x23, x24, [sp, #48]
  stp x25, x26, [sp, #64]
  stp x27, x28, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #16]
  ldp x21, x22, [sp, #32]
  ldp x23, x24, [sp, #48]
  ldp x25, x26, [sp, #64]
  ldp x27, x28, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  ldp x29, x30, [sp], #160
  ret
.size infer_emulation_switch, .-infer_emulation_switch
)");
#elif defined(__x86_64__)
asm(R"(
.text
.balign 16
.global infer_emulation_switch
.hidden infer_emulation_switch
.type infer_emulation_switch, @function
infer_emulation_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size infer_emulation_switch, .-infer_emulation_switch
)");
#endif
