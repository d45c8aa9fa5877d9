/* The FMI 3.0 functions, for co-simulation and model exchange. */
#include "fmi3.h"
#include "platform.h"
#include "model.c"
#include "instance.c"
#include "state.c"

#define ANY (INSTANTIATED | INITIALIZING | EVENTS | CONTINUOUS | STEPPING | TERMINATED)
#define STATUS(succeeded) ((succeeded) ? fmi3OK : fmi3Error)
#define REQUIRE(modes, what) \
  Instance *m = c;           \
  if (!in_mode(m, (modes), (what))) return fmi3Error
#define REQUIRE_ARRAYS(count, a, b) \
  if ((count) && (!(a) || !(b))) return STATUS(complain(m, "an array is missing"))
#define REQUIRE_SIZE(n, size) \
  if ((n) != (size)) return STATUS(complain(m, "arrays of different sizes"))

static void log_text(Instance *m, const char *message) {
  fmi3LogMessageCallback logger = (fmi3LogMessageCallback)m->logger;
  if (logger) logger(m->environment, fmi3Error, "logStatusError", message);
}

FMI3_Export const char *fmi3GetVersion(void) { return "3.0"; }

FMI3_Export fmi3Status fmi3SetDebugLogging(fmi3Instance c, fmi3Boolean on, size_t n, const fmi3String names[]) {
  REQUIRE(ANY, "fmi3SetDebugLogging");
  (void)n, (void)names;
  m->logging = on;
  return fmi3OK;
}

static fmi3Instance instantiate(int steps, fmi3String name, fmi3String token, fmi3Boolean logging,
                                fmi3InstanceEnvironment environment, fmi3LogMessageCallback logger) {
  Instance *m = new_instance(steps, name, token, MODEL_TOKEN);
  if (!m) {
    if (logger)
      logger(environment, fmi3Error, "logStatusError", "not instantiated: the name is empty, the "
             "instantiation token is not this model's, or there is no memory");
    return 0;
  }
  m->log_text = log_text;
  m->logging = logging;
  m->environment = environment;
  m->logger = (void (*)(void))logger;
  return m;
}

FMI3_Export fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources,
                                          fmi3Boolean visible, fmi3Boolean logging,
                                          fmi3InstanceEnvironment environment,
                                          fmi3LogMessageCallback logger) {
  (void)resources, (void)visible;
  return HAS_MODEL_EXCHANGE ? instantiate(0, name, token, logging, environment, logger) : 0;
}

FMI3_Export fmi3Instance fmi3InstantiateCoSimulation(
    fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible, fmi3Boolean logging,
    fmi3Boolean events, fmi3Boolean early, const fmi3ValueReference between[], size_t n_between,
    fmi3InstanceEnvironment environment, fmi3LogMessageCallback logger,
    fmi3IntermediateUpdateCallback update) {
  (void)resources, (void)visible, (void)events, (void)early, (void)between, (void)n_between;
  (void)update;
  return instantiate(1, name, token, logging, environment, logger);
}

FMI3_Export fmi3Instance fmi3InstantiateScheduledExecution(
    fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible, fmi3Boolean logging,
    fmi3InstanceEnvironment environment, fmi3LogMessageCallback logger,
    fmi3ClockUpdateCallback update, fmi3LockPreemptionCallback lock,
    fmi3UnlockPreemptionCallback unlock) {
  (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)update;
  (void)lock, (void)unlock;
  if (logger) logger(environment, fmi3Error, "logStatusError", "no scheduled execution");
  return 0;
}

FMI3_Export void fmi3FreeInstance(fmi3Instance c) { free_instance(c); }

FMI3_Export fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean tolerance_given,
                                       fmi3Float64 tolerance, fmi3Float64 start,
                                       fmi3Boolean stop_given, fmi3Float64 stop) {
  REQUIRE(INSTANTIATED, "fmi3EnterInitializationMode");
  (void)tolerance_given, (void)tolerance, (void)stop_given, (void)stop;
  if (!set_time(m, start)) return fmi3Error;
  m->now.mode = INITIALIZING;
  return fmi3OK;
}

FMI3_Export fmi3Status fmi3ExitInitializationMode(fmi3Instance c) {
  REQUIRE(INITIALIZING, "fmi3ExitInitializationMode");
  if (!refresh(m)) return fmi3Error;
  m->now.mode = m->steps ? STEPPING : EVENTS;
  return fmi3OK;
}

FMI3_Export fmi3Status fmi3EnterEventMode(fmi3Instance c) {
  REQUIRE(EVENTS | CONTINUOUS, "fmi3EnterEventMode");
  m->now.mode = EVENTS;
  return fmi3OK;
}

FMI3_Export fmi3Status fmi3Terminate(fmi3Instance c) {
  REQUIRE(EVENTS | CONTINUOUS | STEPPING, "fmi3Terminate");
  m->now.mode = TERMINATED;
  return fmi3OK;
}

FMI3_Export fmi3Status fmi3Reset(fmi3Instance c) {
  REQUIRE(ANY, "fmi3Reset");
  start_values(m);
  return fmi3OK;
}

#define GETTER(function, type, kind)                                                             \
  FMI3_Export fmi3Status function(fmi3Instance c, const fmi3ValueReference vr[], size_t n, type value[],    \
                      size_t size) {                                                             \
    double number;                                                                               \
    REQUIRE(ANY, #function);                                                                     \
    REQUIRE_ARRAYS(n, vr, value);                                                                \
    REQUIRE_SIZE(count_values(m, vr, n, kind), size);                                            \
    for (size_t i = 0; i < n; i++)                                                               \
      for (unsigned k = 0; k < model_size[vr[i]]; k++) {                                         \
        if (!get_value(m, vr[i] + k, kind, &number)) return fmi3Error;                           \
        *value++ = (type)number;                                                                 \
      }                                                                                          \
    return fmi3OK;                                                                               \
  }
GETTER(fmi3GetFloat64, fmi3Float64, REAL)
GETTER(fmi3GetInt32, fmi3Int32, INTEGER)
GETTER(fmi3GetBoolean, fmi3Boolean, BOOLEAN)

#define SETTER(function, type, kind)                                                             \
  FMI3_Export fmi3Status function(fmi3Instance c, const fmi3ValueReference vr[], size_t n,                  \
                      const type value[], size_t size) {                                         \
    const type *next = value;                                                                    \
    REQUIRE(ANY, #function);                                                                     \
    REQUIRE_ARRAYS(n, vr, value);                                                                \
    REQUIRE_SIZE(count_values(m, vr, n, kind), size);                                            \
    for (size_t i = 0; i < n; i++)                                                               \
      for (unsigned k = 0; k < model_size[vr[i]]; k++) {                                         \
        const Answer answer = judge(m, vr[i] + k, (double)*next++);                              \
        if (answer != ACCEPTED) return answer == OUT_OF_RANGE ? fmi3Discard : fmi3Error;         \
      }                                                                                          \
    for (size_t i = 0; i < n; i++)                                                               \
      for (unsigned k = 0; k < model_size[vr[i]]; k++) put_value(m, vr[i] + k, (double)*value++); \
    return fmi3OK;                                                                               \
  }
SETTER(fmi3SetFloat64, fmi3Float64, REAL)
SETTER(fmi3SetInt32, fmi3Int32, INTEGER)
SETTER(fmi3SetBoolean, fmi3Boolean, BOOLEAN)

/* Types that no variable of the model has: only empty lists succeed. */
SMALL static fmi3Status no_values(Instance *m, size_t n, const char *type) {
  return m && (n == 0 || report(m, type, ": no variable is of this type")) ? fmi3OK : fmi3Error;
}
#define NO_TYPE(name, type)                                                                      \
  FMI3_Export fmi3Status fmi3Get##name(fmi3Instance c, const fmi3ValueReference vr[], size_t n, \
                                       type value[], size_t size) {                              \
    (void)vr, (void)value, (void)size;                                                           \
    return no_values(c, n, #name);                                                               \
  }                                                                                              \
  FMI3_Export fmi3Status fmi3Set##name(fmi3Instance c, const fmi3ValueReference vr[], size_t n, \
                                       const type value[], size_t size) {                        \
    (void)vr, (void)value, (void)size;                                                           \
    return no_values(c, n, #name);                                                               \
  }
NO_TYPE(Float32, fmi3Float32)
NO_TYPE(Int8, fmi3Int8)
NO_TYPE(UInt8, fmi3UInt8)
NO_TYPE(Int16, fmi3Int16)
NO_TYPE(UInt16, fmi3UInt16)
NO_TYPE(UInt32, fmi3UInt32)
NO_TYPE(Int64, fmi3Int64)
NO_TYPE(UInt64, fmi3UInt64)
NO_TYPE(String, fmi3String)

/* Functions that need a capability the model does not have. */
SMALL static fmi3Status refuse(Instance *m, const char *function) {
  if (m) report(m, function, " is not supported");
  return fmi3Error;
}
#define REFUSE(function, ...) \
  FMI3_Export fmi3Status function(fmi3Instance c, __VA_ARGS__) { return refuse(c, #function); }
#define REFS const fmi3ValueReference vr[], size_t n
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif
REFUSE(fmi3GetBinary, REFS, size_t sizes[], fmi3Binary value[], size_t size)
REFUSE(fmi3SetBinary, REFS, const size_t sizes[], const fmi3Binary value[], size_t size)
REFUSE(fmi3GetClock, REFS, fmi3Clock value[])
REFUSE(fmi3SetClock, REFS, const fmi3Clock value[])
REFUSE(fmi3GetNumberOfVariableDependencies, fmi3ValueReference vr, size_t *n)
REFUSE(fmi3GetVariableDependencies, fmi3ValueReference vr, size_t at[], fmi3ValueReference by[],
       size_t at_by[], fmi3DependencyKind kinds[], size_t n)
REFUSE(fmi3GetAdjointDerivative, const fmi3ValueReference unknown[], size_t n_unknown,
       const fmi3ValueReference known[], size_t n_known, const fmi3Float64 seed[], size_t n_seed,
       fmi3Float64 result[], size_t n_result)
REFUSE(fmi3GetIntervalDecimal, REFS, fmi3Float64 intervals[], fmi3IntervalQualifier qualifiers[])
REFUSE(fmi3GetIntervalFraction, REFS, fmi3UInt64 counters[], fmi3UInt64 resolutions[],
       fmi3IntervalQualifier qualifiers[])
REFUSE(fmi3GetShiftDecimal, REFS, fmi3Float64 shifts[])
REFUSE(fmi3GetShiftFraction, REFS, fmi3UInt64 counters[], fmi3UInt64 resolutions[])
REFUSE(fmi3SetIntervalDecimal, REFS, const fmi3Float64 intervals[])
REFUSE(fmi3SetIntervalFraction, REFS, const fmi3UInt64 counters[], const fmi3UInt64 resolutions[])
REFUSE(fmi3SetShiftDecimal, REFS, const fmi3Float64 shifts[])
REFUSE(fmi3SetShiftFraction, REFS, const fmi3UInt64 counters[], const fmi3UInt64 resolutions[])
REFUSE(fmi3GetOutputDerivatives, REFS, const fmi3Int32 orders[], fmi3Float64 values[], size_t size)
REFUSE(fmi3ActivateModelPartition, fmi3ValueReference clock, fmi3Float64 time)

FMI3_Export fmi3Status fmi3EnterConfigurationMode(fmi3Instance c) {
  return refuse(c, "fmi3EnterConfigurationMode");
}

FMI3_Export fmi3Status fmi3ExitConfigurationMode(fmi3Instance c) {
  return refuse(c, "fmi3ExitConfigurationMode");
}

FMI3_Export fmi3Status fmi3GetFMUState(fmi3Instance c, fmi3FMUState *state) {
  REQUIRE(ANY, "fmi3GetFMUState");
  return STATUS(copy_state(m, (State **)state));
}

FMI3_Export fmi3Status fmi3SetFMUState(fmi3Instance c, fmi3FMUState state) {
  REQUIRE(ANY, "fmi3SetFMUState");
  return STATUS(restore_state(m, state));
}

FMI3_Export fmi3Status fmi3FreeFMUState(fmi3Instance c, fmi3FMUState *state) {
  REQUIRE(ANY, "fmi3FreeFMUState");
  free_state((State **)state);
  return fmi3OK;
}

FMI3_Export fmi3Status fmi3SerializedFMUStateSize(fmi3Instance c, fmi3FMUState state, size_t *size) {
  REQUIRE(ANY, "fmi3SerializedFMUStateSize");
  if (!state || !size) return STATUS(complain(m, "no state to measure"));
  *size = STATE_BYTES;
  return fmi3OK;
}

FMI3_Export fmi3Status fmi3SerializeFMUState(fmi3Instance c, fmi3FMUState state, fmi3Byte bytes[], size_t n) {
  REQUIRE(ANY, "fmi3SerializeFMUState");
  return STATUS(state_to_bytes(m, state, bytes, n));
}

FMI3_Export fmi3Status fmi3DeserializeFMUState(fmi3Instance c, const fmi3Byte bytes[], size_t n,
                                   fmi3FMUState *state) {
  REQUIRE(ANY, "fmi3DeserializeFMUState");
  return STATUS(state_from_bytes(m, bytes, n, (State **)state));
}

FMI3_Export fmi3Status fmi3GetDirectionalDerivative(fmi3Instance c, const fmi3ValueReference unknown[],
                                        size_t n_unknown, const fmi3ValueReference known[],
                                        size_t n_known, const fmi3Float64 seed[], size_t n_seed,
                                        fmi3Float64 result[], size_t n_result) {
  REQUIRE(ANY & ~(INSTANTIATED | TERMINATED), "fmi3GetDirectionalDerivative");
  REQUIRE_ARRAYS(n_unknown, unknown, result);
  REQUIRE_ARRAYS(n_known, known, seed);
  REQUIRE_SIZE(count_values(m, known, n_known, REAL), n_seed);
  REQUIRE_SIZE(count_values(m, unknown, n_unknown, REAL), n_result);
  return STATUS(derivative(m, unknown, n_unknown, known, n_known, seed, result));
}

FMI3_Export fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance c) {
  REQUIRE(INITIALIZING | EVENTS, "fmi3EvaluateDiscreteStates");
  return fmi3OK;
}

FMI3_Export fmi3Status fmi3UpdateDiscreteStates(fmi3Instance c, fmi3Boolean *again, fmi3Boolean *terminate,
                                    fmi3Boolean *nominals, fmi3Boolean *values,
                                    fmi3Boolean *next_defined, fmi3Float64 *next) {
  REQUIRE(EVENTS, "fmi3UpdateDiscreteStates");
  if (!again || !terminate || !nominals || !values || !next_defined || !next)
    return STATUS(complain(m, "no place for the event's news"));
  *again = *terminate = *nominals = *values = *next_defined = fmi3False;
  *next = 0.0;
  return fmi3OK;
}

/* Model exchange. */
FMI3_Export fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance c) {
  REQUIRE(EVENTS, "fmi3EnterContinuousTimeMode");
  m->now.mode = CONTINUOUS;
  return fmi3OK;
}

FMI3_Export fmi3Status fmi3CompletedIntegratorStep(fmi3Instance c, fmi3Boolean final, fmi3Boolean *enter_events,
                                       fmi3Boolean *terminate) {
  REQUIRE(CONTINUOUS, "fmi3CompletedIntegratorStep");
  if (!enter_events || !terminate) return STATUS(complain(m, "no place for the answer"));
  *enter_events = *terminate = fmi3False;
  return fmi3OK;
}

FMI3_Export fmi3Status fmi3SetTime(fmi3Instance c, fmi3Float64 time) {
  REQUIRE(EVENTS | CONTINUOUS, "fmi3SetTime");
  return STATUS(set_time(m, time));
}

FMI3_Export fmi3Status fmi3SetContinuousStates(fmi3Instance c, const fmi3Float64 x[], size_t n) {
  REQUIRE(CONTINUOUS, "fmi3SetContinuousStates");
  return STATUS(set_states(m, x, n));
}

FMI3_Export fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance c, fmi3Float64 dx[], size_t n) {
  REQUIRE(INITIALIZING | EVENTS | CONTINUOUS | TERMINATED, "fmi3GetContinuousStateDerivatives");
  return STATUS(get_rates(m, dx, n));
}

FMI3_Export fmi3Status fmi3GetEventIndicators(fmi3Instance c, fmi3Float64 z[], size_t n) {
  REQUIRE(INITIALIZING | EVENTS | CONTINUOUS | TERMINATED, "fmi3GetEventIndicators");
  return STATUS(n == 0 || complain(m, "this model has no event indicators"));
}

FMI3_Export fmi3Status fmi3GetContinuousStates(fmi3Instance c, fmi3Float64 x[], size_t n) {
  REQUIRE(INITIALIZING | EVENTS | CONTINUOUS | TERMINATED, "fmi3GetContinuousStates");
  return STATUS(get_states(m, x, n));
}

FMI3_Export fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance c, fmi3Float64 nominal[], size_t n) {
  REQUIRE(ANY, "fmi3GetNominalsOfContinuousStates");
  if (n != N_X || (n && !nominal)) return STATUS(complain(m, "wrong number of states"));
  for (size_t i = 0; i < n; i++) nominal[i] = 1.0;
  return fmi3OK;
}

FMI3_Export fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance c, size_t *n) {
  REQUIRE(ANY, "fmi3GetNumberOfEventIndicators");
  if (!n) return fmi3Error;
  *n = 0;
  return fmi3OK;
}

FMI3_Export fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance c, size_t *n) {
  REQUIRE(ANY, "fmi3GetNumberOfContinuousStates");
  if (!n) return fmi3Error;
  *n = N_X;
  return fmi3OK;
}

/* Co-simulation. */
FMI3_Export fmi3Status fmi3EnterStepMode(fmi3Instance c) {
  REQUIRE(STEPPING, "fmi3EnterStepMode");
  return fmi3OK;
}

FMI3_Export fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 time, fmi3Float64 length, fmi3Boolean final,
                      fmi3Boolean *events, fmi3Boolean *terminate, fmi3Boolean *early,
                      fmi3Float64 *last) {
  REQUIRE(STEPPING, "fmi3DoStep");
  if (!events || !terminate || !early || !last)
    return STATUS(complain(m, "no place for the step's answer"));
  *events = *terminate = *early = fmi3False;
  *last = time;
  if (!step(m, time, length)) return fmi3Error;
  *last = m->now.value[0];
  return fmi3OK;
}
