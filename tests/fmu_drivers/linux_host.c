/* Runs an FMI 2 library for Linux as a whole co-simulation: rows of N_IN doubles are read from
   standard input, N_OUT doubles a row are written to standard output. The library's path and the
   model's token are the arguments. */
#include <dlfcn.h>
#include <stdio.h>
#include "fmi2.h"
#define FUNCTION(type, name) ((type)dlsym(library, name))
typedef fmi2Component (*Make)(fmi2String, fmi2Type, fmi2String, fmi2String,
                              const fmi2CallbackFunctions *, fmi2Boolean, fmi2Boolean);
typedef fmi2Status (*Plain)(fmi2Component);
typedef fmi2Status (*Setup)(fmi2Component, fmi2Boolean, double, double, fmi2Boolean, double);
typedef fmi2Status (*Values)(fmi2Component, const unsigned *, size_t, double *);
typedef fmi2Status (*Step)(fmi2Component, double, double, fmi2Boolean);

int main(int count, char **words) {
  static const fmi2CallbackFunctions callbacks;
  static double in[N_IN], out[N_OUT];
  static unsigned into[N_IN], from[N_OUT];
  void *library = count > 2 ? dlopen(words[1], RTLD_NOW) : 0;
  fmi2Component c;
  if (!library) return fprintf(stderr, "%s\n", dlerror()), 1;
  for (unsigned i = 0; i < N_IN; i++) into[i] = 1 + i;
  for (unsigned i = 0; i < N_OUT; i++) from[i] = FIRST_OUT + i;
  c = FUNCTION(Make, "fmi2Instantiate")("a", fmi2CoSimulation, words[2], 0, &callbacks, 0, 0);
  if (!c) return 2;
  if (FUNCTION(Setup, "fmi2SetupExperiment")(c, 0, 0.0, 0.0, 0, 0.0)) return 3;
  if (FUNCTION(Plain, "fmi2EnterInitializationMode")(c)) return 4;
  if (FUNCTION(Plain, "fmi2ExitInitializationMode")(c)) return 5;
  for (int row = 0; fread(in, sizeof in, 1, stdin) == 1; row++) {
    if (FUNCTION(Values, "fmi2SetReal")(c, into, N_IN, in)) return 6;
    if (FUNCTION(Step, "fmi2DoStep")(c, 0.002 * row, 0.002, 1)) return 7;
    if (FUNCTION(Values, "fmi2GetReal")(c, from, N_OUT, out)) return 8;
    if (fwrite(out, sizeof out, 1, stdout) != 1) return 9;
  }
  if (FUNCTION(Plain, "fmi2Terminate")(c)) return 10;
  FUNCTION(void (*)(fmi2Component), "fmi2FreeInstance")(c);
  return 0;
}
