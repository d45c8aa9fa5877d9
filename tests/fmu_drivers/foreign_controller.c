/* Another maker's controller for six joints: stiff springs and dampers to a reference, FMI 2.
   Inputs 0 to 29: q, qd, q_ref, qd_ref, qdd_ref; outputs 30 to 35: tau; parameters: kp, kv. */
#include <stdlib.h>
#include "fmi2.h"
enum { Q = 0, QD = 6, QR = 12, QDR = 18, TAU = 30, KP = 36, KV = 42, COUNT = 48 };

FMI2_Export const char *fmi2GetVersion(void) { return "2.0"; }
FMI2_Export const char *fmi2GetTypesPlatform(void) { return "default"; }
FMI2_Export fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid,
                                          fmi2String place, const fmi2CallbackFunctions *f,
                                          fmi2Boolean visible, fmi2Boolean talks) {
  double *v = calloc(COUNT, sizeof *v);
  for (int i = 0; i < 6; i++) v[KP + i] = 100.0, v[KV + i] = 20.0;
  return v;
}
FMI2_Export void fmi2FreeInstance(fmi2Component c) { free(c); }
FMI2_Export fmi2Status fmi2SetupExperiment(fmi2Component c, int a, double b, double t, int d, double e) {
  return fmi2OK;
}
FMI2_Export fmi2Status fmi2EnterInitializationMode(fmi2Component c) { return fmi2OK; }
FMI2_Export fmi2Status fmi2ExitInitializationMode(fmi2Component c) { return fmi2OK; }
FMI2_Export fmi2Status fmi2Terminate(fmi2Component c) { return fmi2OK; }
FMI2_Export fmi2Status fmi2Reset(fmi2Component c) { return fmi2OK; }
FMI2_Export fmi2Status fmi2SetReal(fmi2Component c, const unsigned r[], size_t n, const double v[]) {
  for (size_t k = 0; k < n; k++) ((double *)c)[r[k]] = v[k];
  return fmi2OK;
}
FMI2_Export fmi2Status fmi2GetReal(fmi2Component c, const unsigned r[], size_t n, double v[]) {
  static const double size[] = {20.0, 20.0, 10.0, 0.3, 0.05, 5e-4};
  double *x = c;
  for (int i = 0; i < 6; i++)
    x[TAU + i] = size[i] * (x[KP + i] * (x[QR + i] - x[Q + i]) + x[KV + i] * (x[QDR + i] - x[QD + i]));
  for (size_t k = 0; k < n; k++) v[k] = x[r[k]];
  return fmi2OK;
}
FMI2_Export fmi2Status fmi2DoStep(fmi2Component c, double t, double h, fmi2Boolean final) {
  return fmi2OK;
}

/* FMPy loads every function of the standard. */
#define UNUSED(name) \
  FMI2_Export fmi2Status name(void) { return fmi2OK; }
UNUSED(fmi2SetDebugLogging) UNUSED(fmi2GetInteger) UNUSED(fmi2SetInteger) UNUSED(fmi2GetBoolean)
UNUSED(fmi2SetBoolean) UNUSED(fmi2GetString) UNUSED(fmi2SetString) UNUSED(fmi2GetFMUstate)
UNUSED(fmi2SetFMUstate) UNUSED(fmi2FreeFMUstate) UNUSED(fmi2SerializedFMUstateSize)
UNUSED(fmi2SerializeFMUstate) UNUSED(fmi2DeSerializeFMUstate) UNUSED(fmi2GetDirectionalDerivative)
UNUSED(fmi2SetRealInputDerivatives) UNUSED(fmi2GetRealOutputDerivatives) UNUSED(fmi2CancelStep)
UNUSED(fmi2GetStatus) UNUSED(fmi2GetRealStatus) UNUSED(fmi2GetIntegerStatus)
UNUSED(fmi2GetBooleanStatus) UNUSED(fmi2GetStringStatus)
