#include "instance.h"

static int is_finite(double x) { return x - x == 0.0; }

/* Hands "subject reason" to the importer's logger. */
static int report(Instance *m, const char *subject, const char *reason) {
  char text[192];
  size_t n = 0;
  if (!m->log_text || !m->logging) return 0;
  while (*subject && n < sizeof text - 1) text[n++] = *subject++;
  while (*reason && n < sizeof text - 1) text[n++] = *reason++;
  text[n] = 0;
  m->log_text(m, text);
  return 0;
}

static int complain(Instance *m, const char *reason) { return report(m, "", reason); }

static int blame(Instance *m, unsigned reference, const char *reason) {
  return report(m, model_name[reference], reason);
}

static int same_text(const char *a, const char *b) {
  while (*a && *a == *b) a++, b++;
  return *a == *b;
}

static Instance *new_instance(int steps, const char *name, const char *token, const char *wanted) {
  Instance *m;
  size_t n = 0;
  if (!name || !*name || !token || !same_text(token, wanted)) return 0;
  m = new_memory(sizeof *m);
  if (!m) return 0;
  for (; name[n] && n < sizeof m->name - 1; n++) m->name[n] = name[n];
  m->steps = steps;
  start_values(m);
  return m;
}

static void free_instance(Instance *m) {
  if (m) free_memory(m);
}

static void changed(Instance *m) { m->now.outputs_changed = m->now.rates_changed = 1; }

static void start_values(Instance *m) {
  for (int i = 0; i < N_VALUES; i++) m->now.value[i] = model_start[i];
  for (int i = 0; i < N_M + 1; i++) m->now.memory[i] = 0.0;
  m->now.mode = INSTANTIATED;
  m->now.friction_step = 0.0;
  m->now.has_sampled = 0;
  m->now.parameters_changed = 1;
  changed(m);
}

static int in_mode(Instance *m, int modes, const char *what) {
  if (!m) return 0;
  return m->now.mode & modes ? 1 : report(m, what, ": not allowed in this state");
}

/* Brings constants, outputs and rates up to date with parameters, inputs and states. */
static int refresh_constants(Instance *m) {
  double left[N_R + 1];
  if (!m->now.parameters_changed) return 1;
  model_require(m->now.value + AT_P, left);
  for (int i = 0; i < N_R; i++)
    if (!(left[i] >= 0.0)) return complain(m, model_requirement[i]);
  model_prepare(m->now.value + AT_P, m->now.constant);
  m->now.parameters_changed = 0;
  return 1;
}

static int refresh_outputs(Instance *m) {
  if (!refresh_constants(m)) return 0;
  if (m->now.outputs_changed) model_outputs(m->now.value, m->now.constant);
  m->now.outputs_changed = 0;
  return 1;
}

static int refresh_rates(Instance *m) {
  if (!refresh_constants(m)) return 0;
  if (m->now.rates_changed) model_rates(m->now.value, m->now.constant);
  m->now.rates_changed = 0;
  return 1;
}

static int refresh(Instance *m) { return refresh_outputs(m) && refresh_rates(m); }

static int is_between(unsigned reference, int first, int count) {
  return reference >= (unsigned)first && reference < (unsigned)(first + count);
}

static int has_type(Instance *m, unsigned reference, Type type) {
  if (reference >= N_VALUES || !model_size[reference])
    return complain(m, "no variable has this value reference");
  if (model_type[reference] == (char)type) return 1;
  return blame(m, reference, " is of another type");
}

/* Adds up how many numbers variables hold; no size that occurs where one is of another type. */
static size_t count_values(Instance *m, const unsigned *references, size_t count, Type type) {
  size_t total = 0;
  for (size_t i = 0; i < count; i++) {
    if (!has_type(m, references[i], type)) return (size_t)-1;
    total += model_size[references[i]];
  }
  return total;
}

/* Returns the modes in which a variable may be set. */
static int settable(unsigned reference) {
  const int before = INSTANTIATED | INITIALIZING;
  if (is_between(reference, AT_U, N_U)) return before | EVENTS | CONTINUOUS | STEPPING;
  if (is_between(reference, AT_X, N_X)) return before;
  if (is_between(reference, AT_P, N_P))
    return model_tunable[reference - AT_P] == '1' ? before | EVENTS | STEPPING : before;
  return 0;
}

/* Says whether a variable of an array or a scalar may be set to a value now. */
static Answer judge(Instance *m, unsigned reference, double value) {
  if (!settable(reference)) return (Answer)blame(m, reference, " cannot be set");
  if (!(settable(reference) & m->now.mode))
    return (Answer)blame(m, reference, " cannot be set in this state");
  if (!is_finite(value)) return (Answer)blame(m, reference, " is set to no number");
  if (value >= model_least[reference] && value <= model_most[reference]) return ACCEPTED;
  blame(m, reference, " is set to a value outside of its range");
  return OUT_OF_RANGE;
}

static void put_value(Instance *m, unsigned reference, double value) {
  m->now.value[reference] = value;
  changed(m);
  if (reference >= AT_P) m->now.parameters_changed = 1;
}

static int get_value(Instance *m, unsigned reference, Type type, double *value) {
  if (m->now.outputs_changed && is_between(reference, AT_Y, N_Y) && !refresh_outputs(m)) return 0;
  if (m->now.rates_changed && is_between(reference, AT_DX, N_X) && !refresh_rates(m)) return 0;
  *value = m->now.value[reference];
  if (is_finite(*value) && (type == REAL || (*value > -1e9 && *value < 1e9))) return 1;
  return blame(m, reference, " is no number: an input or parameter is out of range");
}

static int set_time(Instance *m, double time) {
  if (!is_finite(time)) return complain(m, "time is no number");
  m->now.value[0] = time;
  changed(m);
  return 1;
}

static int set_states(Instance *m, const double *x, size_t count) {
  if (count != N_X || (count && !x)) return complain(m, "wrong number of states");
  for (int i = 0; i < N_X; i++)
    if (!is_finite(x[i])) return blame(m, (unsigned)(AT_X + i), " is set to no number");
  for (int i = 0; i < N_X; i++) m->now.value[AT_X + i] = x[i];
  changed(m);
  return 1;
}

static int get_range(Instance *m, int first, double *to, size_t count) {
  if (count != N_X || (count && !to)) return complain(m, "wrong number of states");
  for (int i = 0; i < N_X; i++)
    if (!get_value(m, (unsigned)(first + i), REAL, to + i)) return 0;
  return 1;
}

static int get_states(Instance *m, double *x, size_t count) {
  return get_range(m, AT_X, x, count);
}

static int get_rates(Instance *m, double *dx, size_t count) {
  return get_range(m, AT_DX, dx, count);
}

#include "solver.c"

#if IS_SAMPLED
/* Takes the inputs as a sample at the step's beginning. */
static int sample(Instance *m, double time) {
  const double since = m->now.has_sampled ? time - m->now.memory[N_M] : 0.0;
  if (since < 0.0) return complain(m, "the step begins before the last sample");
  model_sample(since, m->now.value, m->now.memory, m->now.constant);
  m->now.memory[N_M] = time;
  m->now.has_sampled = 1;
  return 1;
}
#else
static int sample(Instance *m, double time) {
  (void)m, (void)time;
  return 1;
}
#endif

/* Masters add up times in other ways than we do: rounding is allowed for. */
static int is_now(Instance *m, double time, double length) {
  const double now = m->now.value[0], off = time > now ? time - now : now - time;
  return off <= 1e-6 * (length < 1.0 ? length : 1.0) + 1e-9 * (now < 0 ? -now : now);
}

static int step(Instance *m, double time, double length) {
  if (!is_finite(time) || !is_finite(length) || !(length > 0.0))
    return complain(m, "a step needs a finite time and a length above 0");
  if (!is_now(m, time, length)) return complain(m, "the step does not begin at the current time");
  m->now.value[0] = time;
  if (!refresh_constants(m)) return 0;
  if (!sample(m, time) || !integrate(m, time, length)) return 0;
  set_time(m, time + length);
  if (!refresh(m)) return 0;
  for (unsigned i = AT_Y; i < AT_P; i++)
    if (!is_finite(m->now.value[i]))
      return blame(m, i, " is no number after the step: an input or parameter is out of range");
  return 1;
}

#if HAS_TANGENT
/* Returns the place of a known in the seeds, or -1. */
static int seed_of(unsigned reference) {
  if (is_between(reference, AT_U, N_U)) return (int)reference - AT_U;
  if (is_between(reference, AT_X, N_X)) return N_U + (int)reference - AT_X;
  if (is_between(reference, AT_P, N_P)) return N_U + N_X + (int)reference - AT_P;
  return -1;
}

static int derivative(Instance *m, const unsigned *unknowns, size_t n_unknowns,
                      const unsigned *knowns, size_t n_knowns, const double *seed, double *result) {
  double seeds[N_SEEDS + 1] = {0}, along[N_Y + N_X + 1];
  for (size_t i = 0; i < n_knowns; i++)
    for (unsigned k = 0; k < model_size[knowns[i]]; k++, seed++) {
      const int place = seed_of(knowns[i] + k);
      if (place < 0) return complain(m, "derivative by a variable that is no known");
      if (!is_finite(*seed)) return complain(m, "a seed is no number");
      seeds[place] += *seed;
    }
  if (!refresh(m)) return 0;
  model_tangent(m->now.value, seeds, along);
  for (size_t i = 0; i < n_unknowns; i++)
    for (unsigned k = 0; k < model_size[unknowns[i]]; k++, result++) {
      const unsigned of = unknowns[i] + k;
      if (!is_between(of, AT_Y, N_Y + 2 * N_X))
        return complain(m, "derivative of a variable that is no unknown");
      if (of < AT_X) *result = along[of - AT_Y];
      else if (of < AT_DX) *result = seeds[N_U + of - AT_X];
      else *result = along[N_Y + of - AT_DX];
      if (!is_finite(*result)) return blame(m, of, " has no derivative here");
    }
  return 1;
}
#else
static int derivative(Instance *m, const unsigned *unknowns, size_t n_unknowns,
                      const unsigned *knowns, size_t n_knowns, const double *seed, double *result) {
  (void)unknowns, (void)n_unknowns, (void)knowns, (void)n_knowns, (void)seed, (void)result;
  return complain(m, "this model has no directional derivatives");
}
#endif
