/* The FMI 3.0 functions as a component of WebAssembly calls them (modelica/fmi-ls-wasm): lists
   come as address and length, results lie where a returned address says. */
#include "wasm_memory.c"
#include "fmi3.c"

#define EXPORT(name) __attribute__((export_name(name)))
#define IMPORT(name) __attribute__((import_module("host"), import_name(name)))
#define REFERENCES const unsigned *vr, size_t n
enum { NO_SIZE = -1, MOST_VALUES = 1 << 24 };

IMPORT("log") void host_log(const char *name, size_t, int status, const char *category, size_t,
                            const char *message, size_t);
IMPORT("new-co-simulation") int new_co_simulation(Instance *);
IMPORT("new-model-exchange") int new_model_exchange(Instance *);

/* The canonical ABI: memory for arguments, and the end of every call. */
EXPORT("allocate") void *wasm_allocate(void *old, size_t old_size, size_t align, size_t size) {
  char *to;
  (void)align; /* at most 8, and blocks lie at multiples of 16 */
  to = room_for(size);
  copy_bytes(to, old, old_size < size ? old_size : size);
  return to;
}
EXPORT("done") void wasm_done(int result) { (void)result, free_rooms(); }

/* A result: whether it failed at 0, then what it holds, at 4 for lists and at 8 for numbers. */
static _Alignas(8) unsigned char reply[32];

static void *failure(fmi3Status status, int at) {
  reply[0] = 1, reply[at] = (unsigned char)status;
  return reply;
}

static void *list(fmi3Status status, const void *values, size_t count) {
  if (status > fmi3Warning) return failure(status, 4);
  reply[0] = 0;
  *(const void **)(reply + 4) = count ? values : reply;
  *(size_t *)(reply + 8) = count;
  return reply;
}

static void *number(fmi3Status status, size_t value) {
  if (status > fmi3Warning) return failure(status, 8);
  reply[0] = 0;
  *(uint64_t *)(reply + 8) = value;
  return reply;
}

EXPORT("get-version") void *wasm_version(void) {
  *(const char **)reply = fmi3GetVersion();
  *(size_t *)(reply + 4) = 3;
  return reply;
}

/* Text without a last character that was cut, which would be no UTF-8. */
static size_t whole_length(const char *text) {
  size_t n = 0, lead;
  while (text[n]) n++;
  for (lead = n; lead > 0 && n - lead < 4;) {
    const unsigned char c = (unsigned char)text[--lead];
    if ((c & 0xC0) == 0x80) continue;
    return lead + (c < 0xC0 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4) <= n ? n : lead;
  }
  return n;
}

static void log_message(void *name, fmi3Status status, fmi3String category, fmi3String message) {
  host_log(name, whole_length(name), status, category, whole_length(category), message,
           whole_length(message));
}

/* Instances; the environment is the instance's name. */
static char *terminated(const char *text, size_t size) {
  char *copy = room_for(size + 1); /* zeros */
  copy_bytes(copy, text, size);
  return copy;
}

static void *made(Instance *m, int handle) {
  if (m) m->environment = m->name;
  reply[0] = m != 0;
  *(int *)(reply + 4) = handle;
  return reply;
}

EXPORT("instantiate-co-simulation")
void *wasm_make_steps(const char *name, size_t size, const char *token, size_t token_size,
                      int visible, int logging, int events, int early, REFERENCES) {
  char *own = terminated(name, size), *wanted = terminated(token, token_size);
  Instance *m = fmi3InstantiateCoSimulation(own, wanted, 0, visible, logging, events, early, vr, n,
                                            own, log_message, 0);
  return made(m, m ? new_co_simulation(m) : 0);
}

#if HAS_MODEL_EXCHANGE
EXPORT("instantiate-model-exchange")
void *wasm_make_exchange(const char *name, size_t size, const char *token, size_t token_size,
                         int visible, int logging) {
  char *own = terminated(name, size), *wanted = terminated(token, token_size);
  Instance *m = fmi3InstantiateModelExchange(own, wanted, 0, visible, logging, own, log_message);
  return made(m, m ? new_model_exchange(m) : 0);
}
#endif

EXPORT("drop") void wasm_drop(Instance *m) { fmi3FreeInstance(m); }

/* Functions without arguments. */
#define PLAIN(name, function) \
  EXPORT(name) int wasm_##function(Instance *m) { return function(m); }
PLAIN("exit-initialization-mode", fmi3ExitInitializationMode)
PLAIN("enter-event-mode", fmi3EnterEventMode)
PLAIN("terminate", fmi3Terminate)
PLAIN("reset", fmi3Reset)
PLAIN("enter-configuration-mode", fmi3EnterConfigurationMode)
PLAIN("exit-configuration-mode", fmi3ExitConfigurationMode)
PLAIN("evaluate-discrete-states", fmi3EvaluateDiscreteStates)
PLAIN("enter-step-mode", fmi3EnterStepMode)
PLAIN("enter-continuous-time-mode", fmi3EnterContinuousTimeMode)

EXPORT("set-debug-logging")
int wasm_logging(Instance *m, int on, const void *categories, size_t n) {
  (void)categories, (void)n;
  return fmi3SetDebugLogging(m, on, 0, 0);
}

EXPORT("enter-initialization-mode")
int wasm_initialize(Instance *m, int has_tolerance, double tolerance, double start, int has_stop,
                    double stop) {
  return fmi3EnterInitializationMode(m, has_tolerance, tolerance, start, has_stop, stop);
}

EXPORT("update-discrete-states") void *wasm_update(Instance *m) {
  bool *news = (bool *)reply + 8;
  const fmi3Status status = fmi3UpdateDiscreteStates(m, news, news + 1, news + 2, news + 3,
                                                     news + 4, (double *)(reply + 16));
  if (status > fmi3Warning) return failure(status, 8);
  reply[0] = 0;
  return reply;
}

/* Variables. */
#define GET(name, function, type, kind)                                                      \
  EXPORT("get-" name) void *wasm_##function(Instance *m, REFERENCES) {                       \
    const size_t size = n > MOST_VALUES ? NO_SIZE : count_values(m, vr, n, kind);            \
    const int fits = size <= MOST_VALUES;                                                    \
    type *values = fits ? room_for(size * sizeof(type)) : 0;                                 \
    return list(fits ? function(m, vr, n, values, size) : fmi3Error, values, size);          \
  }
#define SET(name, function, type)                                                            \
  EXPORT("set-" name) int wasm_##function(Instance *m, REFERENCES, const type *values,       \
                                          size_t size) {                                     \
    return function(m, vr, n, values, size);                                                 \
  }
#define NONE(name, word, type)                                                               \
  EXPORT("get-" name) void *wasm_get_##word(Instance *m, REFERENCES) {                       \
    return list(fmi3Get##word(m, vr, n, 0, 0), 0, 0);                                        \
  }                                                                                          \
  EXPORT("set-" name) int wasm_set_##word(Instance *m, REFERENCES, const void *values,       \
                                          size_t size) {                                     \
    return fmi3Set##word(m, vr, n, (const type *)values, size);                              \
  }
GET("float64", fmi3GetFloat64, double, REAL)
SET("float64", fmi3SetFloat64, double)
GET("int32", fmi3GetInt32, fmi3Int32, INTEGER)
SET("int32", fmi3SetInt32, fmi3Int32)
GET("boolean", fmi3GetBoolean, fmi3Boolean, BOOLEAN)
SET("boolean", fmi3SetBoolean, fmi3Boolean)
NONE("float32", Float32, fmi3Float32)
NONE("int8", Int8, fmi3Int8)
NONE("uint8", UInt8, fmi3UInt8)
NONE("int16", Int16, fmi3Int16)
NONE("uint16", UInt16, fmi3UInt16)
NONE("uint32", UInt32, fmi3UInt32)
NONE("int64", Int64, fmi3Int64)
NONE("uint64", UInt64, fmi3UInt64)
NONE("string", String, fmi3String)

/* States and derivatives. */
EXPORT("get-fmu-state") void *wasm_get_state(Instance *m) {
  void *bytes = room_for(STATE_BYTES);
  return list(STATUS(state_to_bytes(m, &m->now, bytes, STATE_BYTES)), bytes, STATE_BYTES);
}

EXPORT("set-fmu-state") int wasm_set_state(Instance *m, const fmi3Byte *bytes, size_t size) {
  fmi3FMUState state = 0;
  fmi3Status status = fmi3DeserializeFMUState(m, bytes, size, &state);
  if (status <= fmi3Warning) status = fmi3SetFMUState(m, state);
  free_state((State **)&state);
  return status;
}

EXPORT("get-directional-derivative")
void *wasm_derivative(Instance *m, const unsigned *unknown, size_t n_unknown,
                      const unsigned *known, size_t n_known, const double *seed, size_t n_seed) {
  const size_t size = n_unknown > MOST_VALUES ? NO_SIZE : count_values(m, unknown, n_unknown, REAL);
  const int fits = size <= MOST_VALUES;
  double *values = fits ? room_for(size * sizeof *values) : 0;
  return list(fits ? fmi3GetDirectionalDerivative(m, unknown, n_unknown, known, n_known, seed,
                                                  n_seed, values, size)
                   : fmi3Error, values, size);
}

#if HAS_MODEL_EXCHANGE
#define VECTOR(name, function, count)                                     \
  EXPORT(name) void *wasm_##function(Instance *m) {                       \
    double *values = room_for((count) * sizeof *values);                  \
    return list(function(m, values, (count)), values, (count));           \
  }
VECTOR("get-continuous-states", fmi3GetContinuousStates, N_X)
VECTOR("get-continuous-state-derivatives", fmi3GetContinuousStateDerivatives, N_X)
VECTOR("get-nominals-of-continuous-states", fmi3GetNominalsOfContinuousStates, N_X)
VECTOR("get-event-indicators", fmi3GetEventIndicators, 0)

EXPORT("set-time") int wasm_time(Instance *m, double time) { return fmi3SetTime(m, time); }
EXPORT("set-continuous-states") int wasm_states(Instance *m, const double *x, size_t n) {
  return fmi3SetContinuousStates(m, x, n);
}
EXPORT("get-number-of-event-indicators") void *wasm_indicators(Instance *m) {
  size_t count = 0;
  return number(fmi3GetNumberOfEventIndicators(m, &count), count);
}
EXPORT("get-number-of-continuous-states") void *wasm_count_states(Instance *m) {
  size_t count = 0;
  return number(fmi3GetNumberOfContinuousStates(m, &count), count);
}
EXPORT("completed-integrator-step") void *wasm_completed(Instance *m, int final) {
  bool *news = (bool *)reply + 1;
  const fmi3Status status = fmi3CompletedIntegratorStep(m, final, news, news + 1);
  if (status > fmi3Warning) return failure(status, 1);
  reply[0] = 0;
  return reply;
}
#endif

EXPORT("do-step") void *wasm_step(Instance *m, double time, double length, int final) {
  bool *news = (bool *)reply + 16; /* events, termination, early return */
  const fmi3Status status = fmi3DoStep(m, time, length, final, news, news + 1, news + 2,
                                       (double *)(reply + 8));
  if (status > fmi3Warning) return failure(status, 8);
  reply[0] = 0;
  return reply;
}

/* Functions that need a capability the model does not have. */
EXPORT("get-number-of-variable-dependencies") void *wasm_count_needs(Instance *m, unsigned vr) {
  return number(fmi3GetNumberOfVariableDependencies(m, vr, 0), 0);
}
EXPORT("get-variable-dependencies") void *wasm_needs(Instance *m, unsigned vr) {
  return list(fmi3GetVariableDependencies(m, vr, 0, 0, 0, 0, 0), 0, 0);
}
EXPORT("get-adjoint-derivative")
void *wasm_adjoint(Instance *m, const unsigned *unknown, size_t n_unknown, const unsigned *known,
                   size_t n_known, const double *seed, size_t n_seed) {
  return list(fmi3GetAdjointDerivative(m, unknown, n_unknown, known, n_known, seed, n_seed, 0, 0),
              0, 0);
}
#define NO_GETTER(name, word, ...)                                       \
  EXPORT("get-" name) void *wasm_get_##word(Instance *m, REFERENCES) {   \
    return list(fmi3Get##word(m, vr, n, __VA_ARGS__), 0, 0);             \
  }
#define NO_SETTER(name, word, ...)                                                           \
  EXPORT("set-" name) int wasm_set_##word(Instance *m, REFERENCES, const void *values,       \
                                          size_t size) {                                     \
    (void)values, (void)size;                                                                \
    return fmi3Set##word(m, vr, n, __VA_ARGS__);                                             \
  }
NO_GETTER("binary", Binary, 0, 0, 0)
NO_SETTER("binary", Binary, 0, 0, 0)
NO_GETTER("clock", Clock, 0)
NO_SETTER("clock", Clock, 0)
NO_GETTER("interval-decimal", IntervalDecimal, 0, 0)
NO_SETTER("interval-decimal", IntervalDecimal, 0)
NO_GETTER("interval-fraction", IntervalFraction, 0, 0, 0)
NO_SETTER("interval-fraction", IntervalFraction, 0, 0)
NO_GETTER("shift-decimal", ShiftDecimal, 0)
NO_SETTER("shift-decimal", ShiftDecimal, 0)
NO_GETTER("shift-fraction", ShiftFraction, 0, 0)
NO_SETTER("shift-fraction", ShiftFraction, 0, 0)
NO_GETTER("output-derivatives", OutputDerivatives, 0, 0, 0)
EXPORT("set-input-derivatives")
int wasm_inputs(Instance *m, const void *requests, size_t n, const double *values, size_t size) {
  (void)requests, (void)n, (void)values, (void)size;
  return refuse(m, "set-input-derivatives");
}
