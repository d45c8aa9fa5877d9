/* The FMI 2.0 functions, for co-simulation and model exchange. */
#include "fmi2.h"
#include "platform.h"
#include "model.c"
#include "instance.c"
#include "state.c"

#define ANY (INSTANTIATED | INITIALIZING | EVENTS | CONTINUOUS | STEPPING | TERMINATED)
#define STATUS(succeeded) ((succeeded) ? fmi2OK : fmi2Error)
#define REQUIRE(modes, what) \
  Instance *m = c;           \
  if (!in_mode(m, (modes), (what))) return fmi2Error
#define REQUIRE_ARRAYS(count, a, b) \
  if ((count) && (!(a) || !(b))) return STATUS(complain(m, "an array is missing"))

static void log_text(Instance *m, const char *message) {
  fmi2CallbackLogger logger = (fmi2CallbackLogger)m->logger;
  if (logger) logger(m->environment, m->name, fmi2Error, "logStatusError", "%s", message);
}

FMI2_Export const char *fmi2GetTypesPlatform(void) { return fmi2TypesPlatform; }
FMI2_Export const char *fmi2GetVersion(void) { return fmi2Version; }

FMI2_Export fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t n, const fmi2String names[]) {
  REQUIRE(ANY, "fmi2SetDebugLogging");
  (void)n, (void)names;
  m->logging = on != 0;
  return fmi2OK;
}

FMI2_Export fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *functions, fmi2Boolean visible,
                              fmi2Boolean logging) {
  const int steps = type == fmi2CoSimulation;
  Instance *m;
  (void)resources, (void)visible;
  if (!functions || (!steps && !HAS_MODEL_EXCHANGE)) return 0;
  m = new_instance(steps, name, guid, MODEL_TOKEN);
  if (!m) {
    if (functions->logger)
      functions->logger(functions->componentEnvironment, name ? name : "", fmi2Error,
                        "logStatusError", "not instantiated: the name is empty, the GUID is not "
                        "this model's, or there is no memory");
    return 0;
  }
  m->log_text = log_text;
  m->logging = logging != 0;
  m->environment = functions->componentEnvironment;
  m->logger = (void (*)(void))functions->logger;
  return m;
}

FMI2_Export void fmi2FreeInstance(fmi2Component c) { free_instance(c); }

FMI2_Export fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean tolerance_given, fmi2Real tolerance,
                               fmi2Real start, fmi2Boolean stop_given, fmi2Real stop) {
  REQUIRE(INSTANTIATED, "fmi2SetupExperiment");
  (void)tolerance_given, (void)tolerance, (void)stop_given, (void)stop;
  return STATUS(set_time(m, start));
}

FMI2_Export fmi2Status fmi2EnterInitializationMode(fmi2Component c) {
  REQUIRE(INSTANTIATED, "fmi2EnterInitializationMode");
  m->now.mode = INITIALIZING;
  return fmi2OK;
}

FMI2_Export fmi2Status fmi2ExitInitializationMode(fmi2Component c) {
  REQUIRE(INITIALIZING, "fmi2ExitInitializationMode");
  if (!refresh(m)) return fmi2Error;
  m->now.mode = m->steps ? STEPPING : EVENTS;
  return fmi2OK;
}

FMI2_Export fmi2Status fmi2Terminate(fmi2Component c) {
  REQUIRE(EVENTS | CONTINUOUS | STEPPING, "fmi2Terminate");
  m->now.mode = TERMINATED;
  return fmi2OK;
}

FMI2_Export fmi2Status fmi2Reset(fmi2Component c) {
  REQUIRE(ANY, "fmi2Reset");
  start_values(m);
  return fmi2OK;
}

#define GETTER(function, type, kind)                                                              \
  FMI2_Export fmi2Status function(fmi2Component c, const fmi2ValueReference vr[], size_t n, type value[]) {  \
    double number;                                                                                \
    REQUIRE(ANY, #function);                                                                      \
    REQUIRE_ARRAYS(n, vr, value);                                                                 \
    for (size_t i = 0; i < n; i++) {                                                              \
      if (!has_type(m, vr[i], kind) || !get_value(m, vr[i], kind, &number)) return fmi2Error;      \
      value[i] = (type)number;                                                                    \
    }                                                                                             \
    return fmi2OK;                                                                                \
  }
GETTER(fmi2GetReal, fmi2Real, REAL)
GETTER(fmi2GetInteger, fmi2Integer, INTEGER)
GETTER(fmi2GetBoolean, fmi2Boolean, BOOLEAN)

#define SETTER(function, type, kind)                                                              \
  FMI2_Export fmi2Status function(fmi2Component c, const fmi2ValueReference vr[], size_t n,                  \
                      const type value[]) {                                                       \
    REQUIRE(ANY, #function);                                                                      \
    REQUIRE_ARRAYS(n, vr, value);                                                                 \
    for (size_t i = 0; i < n; i++) {                                                              \
      const Answer answer =                                                                       \
          has_type(m, vr[i], kind) ? judge(m, vr[i], (double)value[i]) : REFUSED;                 \
      if (answer != ACCEPTED) return answer == OUT_OF_RANGE ? fmi2Discard : fmi2Error;            \
    }                                                                                             \
    for (size_t i = 0; i < n; i++) put_value(m, vr[i], (double)value[i]);                         \
    return fmi2OK;                                                                                \
  }
SETTER(fmi2SetReal, fmi2Real, REAL)
SETTER(fmi2SetInteger, fmi2Integer, INTEGER)
SETTER(fmi2SetBoolean, fmi2Boolean, BOOLEAN)

FMI2_Export fmi2Status fmi2GetString(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2String s[]) {
  REQUIRE(ANY, "fmi2GetString");
  (void)vr, (void)s;
  return STATUS(n == 0 || complain(m, "no variable is a text"));
}

FMI2_Export fmi2Status fmi2SetString(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                         const fmi2String s[]) {
  REQUIRE(ANY, "fmi2SetString");
  (void)vr, (void)s;
  return STATUS(n == 0 || complain(m, "no variable is a text"));
}

FMI2_Export fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state) {
  REQUIRE(ANY, "fmi2GetFMUstate");
  return STATUS(copy_state(m, (State **)state));
}

FMI2_Export fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state) {
  REQUIRE(ANY, "fmi2SetFMUstate");
  return STATUS(restore_state(m, state));
}

FMI2_Export fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state) {
  REQUIRE(ANY, "fmi2FreeFMUstate");
  free_state((State **)state);
  return fmi2OK;
}

FMI2_Export fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t *size) {
  REQUIRE(ANY, "fmi2SerializedFMUstateSize");
  if (!state || !size) return STATUS(complain(m, "no state to measure"));
  *size = STATE_BYTES;
  return fmi2OK;
}

FMI2_Export fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t n) {
  REQUIRE(ANY, "fmi2SerializeFMUstate");
  return STATUS(state_to_bytes(m, state, bytes, n));
}

FMI2_Export fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t n,
                                   fmi2FMUstate *state) {
  REQUIRE(ANY, "fmi2DeSerializeFMUstate");
  return STATUS(state_from_bytes(m, bytes, n, (State **)state));
}

FMI2_Export fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknown[],
                                        size_t n_unknown, const fmi2ValueReference known[],
                                        size_t n_known, const fmi2Real seed[], fmi2Real result[]) {
  REQUIRE(ANY & ~(INSTANTIATED | TERMINATED), "fmi2GetDirectionalDerivative");
  REQUIRE_ARRAYS(n_unknown, unknown, result);
  REQUIRE_ARRAYS(n_known, known, seed);
  if (count_values(m, unknown, n_unknown, REAL) != n_unknown ||
      count_values(m, known, n_known, REAL) != n_known)
    return fmi2Error;
  return STATUS(derivative(m, unknown, n_unknown, known, n_known, seed, result));
}

/* Model exchange. */
FMI2_Export fmi2Status fmi2EnterEventMode(fmi2Component c) {
  REQUIRE(EVENTS | CONTINUOUS, "fmi2EnterEventMode");
  m->now.mode = EVENTS;
  return fmi2OK;
}

FMI2_Export fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *info) {
  const fmi2EventInfo nothing = {0, 0, 0, 0, 0, 0.0};
  REQUIRE(EVENTS, "fmi2NewDiscreteStates");
  if (!info) return STATUS(complain(m, "no place for the event's news"));
  *info = nothing;
  return fmi2OK;
}

FMI2_Export fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c) {
  REQUIRE(EVENTS, "fmi2EnterContinuousTimeMode");
  m->now.mode = CONTINUOUS;
  return fmi2OK;
}

FMI2_Export fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean final, fmi2Boolean *enter_events,
                                       fmi2Boolean *terminate) {
  REQUIRE(CONTINUOUS, "fmi2CompletedIntegratorStep");
  (void)final;
  if (!enter_events || !terminate) return STATUS(complain(m, "no place for the answer"));
  *enter_events = *terminate = fmi2False;
  return fmi2OK;
}

FMI2_Export fmi2Status fmi2SetTime(fmi2Component c, fmi2Real time) {
  REQUIRE(EVENTS | CONTINUOUS, "fmi2SetTime");
  return STATUS(set_time(m, time));
}

FMI2_Export fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real x[], size_t n) {
  REQUIRE(CONTINUOUS, "fmi2SetContinuousStates");
  return STATUS(set_states(m, x, n));
}

FMI2_Export fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real dx[], size_t n) {
  REQUIRE(INITIALIZING | EVENTS | CONTINUOUS | TERMINATED, "fmi2GetDerivatives");
  return STATUS(get_rates(m, dx, n));
}

FMI2_Export fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real z[], size_t n) {
  REQUIRE(INITIALIZING | EVENTS | CONTINUOUS | TERMINATED, "fmi2GetEventIndicators");
  (void)z;
  return STATUS(n == 0 || complain(m, "this model has no event indicators"));
}

FMI2_Export fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real x[], size_t n) {
  REQUIRE(INITIALIZING | EVENTS | CONTINUOUS | TERMINATED, "fmi2GetContinuousStates");
  return STATUS(get_states(m, x, n));
}

FMI2_Export fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real nominal[], size_t n) {
  REQUIRE(ANY, "fmi2GetNominalsOfContinuousStates");
  if (n != N_X || (n && !nominal)) return STATUS(complain(m, "wrong number of states"));
  for (size_t i = 0; i < n; i++) nominal[i] = 1.0;
  return fmi2OK;
}

/* Co-simulation. */
FMI2_Export fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                                       const fmi2Integer order[], const fmi2Real value[]) {
  REQUIRE(ANY, "fmi2SetRealInputDerivatives");
  (void)vr, (void)order, (void)value;
  return STATUS(n == 0 || complain(m, "inputs are not interpolated"));
}

FMI2_Export fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                                        const fmi2Integer order[], fmi2Real value[]) {
  REQUIRE(ANY, "fmi2GetRealOutputDerivatives");
  (void)vr, (void)order, (void)value;
  return STATUS(n == 0 || complain(m, "outputs have no derivatives"));
}

FMI2_Export fmi2Status fmi2DoStep(fmi2Component c, fmi2Real time, fmi2Real length, fmi2Boolean final) {
  REQUIRE(STEPPING, "fmi2DoStep");
  (void)final;
  return STATUS(step(m, time, length));
}

FMI2_Export fmi2Status fmi2CancelStep(fmi2Component c) {
  REQUIRE(ANY, "fmi2CancelStep");
  return STATUS(complain(m, "steps end before they return"));
}

FMI2_Export fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real *value) {
  REQUIRE(ANY, "fmi2GetRealStatus");
  if (kind != fmi2LastSuccessfulTime || !value) return fmi2Discard;
  *value = m->now.value[0];
  return fmi2OK;
}

FMI2_Export fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value) {
  REQUIRE(ANY, "fmi2GetBooleanStatus");
  if (kind != fmi2Terminated || !value) return fmi2Discard;
  *value = fmi2False;
  return fmi2OK;
}

#define NO_STATUS(function, type)                                                   \
  FMI2_Export fmi2Status function(fmi2Component c, const fmi2StatusKind kind, type *value) {    \
    (void)c, (void)kind, (void)value;                                               \
    return fmi2Discard;                                                             \
  }
NO_STATUS(fmi2GetStatus, fmi2Status)
NO_STATUS(fmi2GetIntegerStatus, fmi2Integer)
NO_STATUS(fmi2GetStringStatus, fmi2String)
