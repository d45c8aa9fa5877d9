/* Another maker's FMU, for the runner's tests: a ball that bounces, an echo of the inputs, and a
   sum that remembers. FMI 2, model exchange and co-simulation; one state event, one time event. */
#include <stdarg.h>
#include <stdlib.h>
#include "fmi2.h"

typedef struct {
  double t, h, v, u, sum, before;
  int i, b, bounces, late;
  fmi2CallbackLogger log;
  void *environment;
} Ball;

FMI2_Export const char *fmi2GetVersion(void) { return "2.0"; }
FMI2_Export const char *fmi2GetTypesPlatform(void) { return "default"; }

FMI2_Export fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid,
                                          fmi2String place, const fmi2CallbackFunctions *f,
                                          fmi2Boolean visible, fmi2Boolean talks) {
  Ball *m = f->allocateMemory(1, sizeof *m);
  m->h = 1.0, m->log = f->logger, m->environment = f->componentEnvironment;
  return m;
}
FMI2_Export void fmi2FreeInstance(fmi2Component c) { free(c); }
FMI2_Export fmi2Status fmi2SetupExperiment(fmi2Component c, int a, double b, double t, int d, double e) {
  ((Ball *)c)->t = t;
  return fmi2OK;
}
FMI2_Export fmi2Status fmi2EnterInitializationMode(fmi2Component c) { return fmi2OK; }
FMI2_Export fmi2Status fmi2ExitInitializationMode(fmi2Component c) { return fmi2OK; }
FMI2_Export fmi2Status fmi2Terminate(fmi2Component c) { return fmi2OK; }
FMI2_Export fmi2Status fmi2Reset(fmi2Component c) { return fmi2OK; }

FMI2_Export fmi2Status fmi2GetReal(fmi2Component c, const unsigned r[], size_t n, double v[]) {
  Ball *m = c;
  for (size_t k = 0; k < n; k++) switch (r[k]) {
    case 0: v[k] = m->h; break;
    case 1: v[k] = m->v; break;
    case 2: v[k] = m->u; break;
    case 3: v[k] = 2 * m->u + 1; break;
    case 4: v[k] = m->sum; break;
    default: return fmi2Error;
  }
  return fmi2OK;
}
FMI2_Export fmi2Status fmi2SetReal(fmi2Component c, const unsigned r[], size_t n, const double v[]) {
  for (size_t k = 0; k < n; k++) {
    if (r[k] != 2) return fmi2Error;
    ((Ball *)c)->u = v[k];
  }
  return fmi2OK;
}
FMI2_Export fmi2Status fmi2GetInteger(fmi2Component c, const unsigned r[], size_t n, int v[]) {
  for (size_t k = 0; k < n; k++) v[k] = r[k] == 10 ? ((Ball *)c)->i * 10 : ((Ball *)c)->bounces;
  return fmi2OK;
}
FMI2_Export fmi2Status fmi2SetInteger(fmi2Component c, const unsigned r[], size_t n, const int v[]) {
  for (size_t k = 0; k < n; k++) ((Ball *)c)->i = v[k];
  return fmi2OK;
}
FMI2_Export fmi2Status fmi2GetBoolean(fmi2Component c, const unsigned r[], size_t n, int v[]) {
  for (size_t k = 0; k < n; k++) v[k] = r[k] == 20 ? !((Ball *)c)->b : ((Ball *)c)->late;
  return fmi2OK;
}
FMI2_Export fmi2Status fmi2SetBoolean(fmi2Component c, const unsigned r[], size_t n, const int v[]) {
  for (size_t k = 0; k < n; k++) ((Ball *)c)->b = v[k];
  return fmi2OK;
}

FMI2_Export fmi2Status fmi2DoStep(fmi2Component c, double t, double h, fmi2Boolean final) {
  Ball *m = c;
  if (m->u > 100.0) {
    m->log(m->environment, "ball", fmi2Error, "error", "u is %g, more than %d", m->u, 100);
    return fmi2Error;
  }
  m->sum += m->u * h;
  m->t = t + h;
  return fmi2OK;
}

/* Model exchange: free fall, a bounce with 80 % of the speed, a flag from t = 0.5 s on. */
FMI2_Export fmi2Status fmi2EnterEventMode(fmi2Component c) { return fmi2OK; }
FMI2_Export fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *info) {
  Ball *m = c;
  const fmi2EventInfo nothing = {0, 0, 0, 0, 0, 0.0};
  *info = nothing;
  if (m->h < 0.0 && m->v < 0.0) m->h = 0.0, m->v = -0.8 * m->v, m->bounces++, info->valuesOfContinuousStatesChanged = 1;
  m->late = m->t >= 0.5;
  info->nextEventTimeDefined = !m->late, info->nextEventTime = 0.5;
  return fmi2OK;
}
FMI2_Export fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c) { return fmi2OK; }
FMI2_Export fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, int f, int *events, int *end) {
  *events = *end = 0;
  return fmi2OK;
}
FMI2_Export fmi2Status fmi2SetTime(fmi2Component c, double t) { ((Ball *)c)->t = t; return fmi2OK; }
FMI2_Export fmi2Status fmi2GetContinuousStates(fmi2Component c, double x[], size_t n) {
  x[0] = ((Ball *)c)->h, x[1] = ((Ball *)c)->v;
  return fmi2OK;
}
FMI2_Export fmi2Status fmi2SetContinuousStates(fmi2Component c, const double x[], size_t n) {
  ((Ball *)c)->h = x[0], ((Ball *)c)->v = x[1];
  return fmi2OK;
}
FMI2_Export fmi2Status fmi2GetDerivatives(fmi2Component c, double dx[], size_t n) {
  dx[0] = ((Ball *)c)->v, dx[1] = -9.81;
  return fmi2OK;
}
FMI2_Export fmi2Status fmi2GetEventIndicators(fmi2Component c, double z[], size_t n) {
  z[0] = ((Ball *)c)->h;
  return fmi2OK;
}
