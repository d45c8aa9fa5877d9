/* What the model needs from its surroundings: memory for instances, and nothing else.

   FREESTANDING builds name no C library: on Linux and macOS calloc and free are those of the
   program that loads the model, on Windows they are the process heap of kernel32; WebAssembly
   modules have wasm_memory.c. */
#include <stddef.h>
#if !defined(FREESTANDING)
#include <stdlib.h>
static void *new_memory(size_t size) { return calloc(1, size); }
static void free_memory(void *memory) { free(memory); }
#elif defined(__wasm__)
/* new_memory and free_memory are defined. */
#elif !defined(_WIN32)
extern void *calloc(size_t, size_t);
extern void free(void *);
static void *new_memory(size_t size) { return calloc(1, size); }
static void free_memory(void *memory) { free(memory); }
#else
__declspec(dllimport) void *__stdcall GetProcessHeap(void);
__declspec(dllimport) void *__stdcall HeapAlloc(void *, unsigned long, size_t);
__declspec(dllimport) int __stdcall HeapFree(void *, unsigned long, void *);
static void *new_memory(size_t size) { return HeapAlloc(GetProcessHeap(), 8, size); }
static void free_memory(void *memory) { HeapFree(GetProcessHeap(), 0, memory); }

/* Compilers call these for copies of structs, whatever the source says. */
void *memcpy(void *to, const void *from, size_t size) {
  volatile char *a = to;
  const char *b = from;
  while (size--) *a++ = *b++;
  return to;
}
void *memset(void *to, int value, size_t size) {
  volatile char *a = to;
  while (size--) *a++ = (char)value;
  return to;
}
/* Windows grows a stack page by page: compilers call this ahead of frames of more than a page.
   It touches every page of the rax bytes below the caller's frame and changes no register. */
#if defined(__x86_64__)
__attribute__((naked)) void ___chkstk_ms(void) {
  __asm__("pushq %rcx\n\t"
          "pushq %rax\n\t"
          "leaq 24(%rsp), %rcx\n\t"
          "1: cmpq $4096, %rax\n\t"
          "jb 2f\n\t"
          "subq $4096, %rcx\n\t"
          "testq %rcx, (%rcx)\n\t"
          "subq $4096, %rax\n\t"
          "jmp 1b\n\t"
          "2: subq %rax, %rcx\n\t"
          "testq %rcx, (%rcx)\n\t"
          "popq %rax\n\t"
          "popq %rcx\n\t"
          "ret");
}
#endif
int __stdcall DllMainCRTStartup(void *library, unsigned long reason, void *reserved) {
  (void)library, (void)reason, (void)reserved;
  return 1;
}
#endif
