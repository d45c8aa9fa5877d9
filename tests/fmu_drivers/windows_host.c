/* Runs an FMI 2 library for Windows without any C library: rows of N_IN doubles are read from
   standard input, N_OUT doubles a row are written to standard output. TOKEN and LIBRARY are given
   by the compiler's command line. */
#include "fmi2.h"
#define API __declspec(dllimport)
API void *__stdcall LoadLibraryA(const char *);
API void *__stdcall GetProcAddress(void *, const char *);
API void *__stdcall GetStdHandle(unsigned long);
API int __stdcall ReadFile(void *, void *, unsigned long, unsigned long *, void *);
API int __stdcall WriteFile(void *, const void *, unsigned long, unsigned long *, void *);
API void __stdcall ExitProcess(unsigned);

typedef fmi2Component (*Make)(fmi2String, fmi2Type, fmi2String, fmi2String,
                              const fmi2CallbackFunctions *, fmi2Boolean, fmi2Boolean);
typedef fmi2Status (*Plain)(fmi2Component);
typedef fmi2Status (*Setup)(fmi2Component, fmi2Boolean, double, double, fmi2Boolean, double);
typedef fmi2Status (*Values)(fmi2Component, const unsigned *, size_t, double *);
typedef fmi2Status (*Step)(fmi2Component, double, double, fmi2Boolean);

static unsigned run(void) {
  static const fmi2CallbackFunctions callbacks;
  static double in[N_IN], out[N_OUT];
  static unsigned into[N_IN], from[N_OUT];
  void *library = LoadLibraryA(LIBRARY), *keyboard = GetStdHandle(-10), *screen = GetStdHandle(-11);
  unsigned long count = 0;
  fmi2Component c;
  if (!library) return 1;
  for (unsigned i = 0; i < N_IN; i++) into[i] = 1 + i;
  for (unsigned i = 0; i < N_OUT; i++) from[i] = FIRST_OUT + i;
  c = ((Make)GetProcAddress(library, "fmi2Instantiate"))("a", fmi2CoSimulation, TOKEN, 0,
                                                         &callbacks, 0, 0);
  if (!c) return 2;
  if (((Setup)GetProcAddress(library, "fmi2SetupExperiment"))(c, 0, 0.0, 0.0, 0, 0.0)) return 3;
  if (((Plain)GetProcAddress(library, "fmi2EnterInitializationMode"))(c)) return 4;
  if (((Plain)GetProcAddress(library, "fmi2ExitInitializationMode"))(c)) return 5;
  for (int row = 0;; row++) {
    for (unsigned long got = 0; got < sizeof in; got += count)
      if (!ReadFile(keyboard, (char *)in + got, (unsigned long)(sizeof in - got), &count, 0) || !count)
        return 0;
    if (((Values)GetProcAddress(library, "fmi2SetReal"))(c, into, N_IN, in)) return 6;
    if (((Step)GetProcAddress(library, "fmi2DoStep"))(c, 0.002 * row, 0.002, 1)) return 7;
    if (((Values)GetProcAddress(library, "fmi2GetReal"))(c, from, N_OUT, out)) return 8;
    if (!WriteFile(screen, out, sizeof out, &count, 0)) return 9;
  }
}

void wWinMainCRTStartup(void) { ExitProcess(run()); }
