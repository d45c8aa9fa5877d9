/* Runs an FMU over a table: a plain loop around the FMI calls, for any maker's FMU. */
#include "host.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
typedef int (*Step2)(void *, double, double, int);
typedef int (*Step3)(void *, double, double, _Bool, _Bool *, _Bool *, _Bool *, double *);
typedef int (*Values2)(void *, const unsigned *, size_t, void *);
typedef int (*Values3)(void *, const unsigned *, size_t, void *, size_t);
typedef int (*Plain)(void *);
typedef int (*Time)(void *, double);
typedef int (*Vector)(void *, double *, size_t);

enum { WARNING = 1, TERMINATED = 100 };

static int failed(Run *r, int status, const char *what, double at) {
  if (status <= WARNING) return 0;
  r->status = status, r->what = what, r->at = at;
  return 1;
}

/* Messages of the FMU, kept as text: the environment is a Log. */
typedef struct { long used, size; char *text; } Log;

static void keep(Log *log, const char *category, const char *message) {
  if (!log || log->size - log->used < 2) return;
  const long n = snprintf(log->text + log->used, (size_t)(log->size - log->used), "%s: %s\n",
                          category ? category : "", message ? message : "");
  log->used = log->used + n < log->size ? log->used + n : log->size - 1;
}

EXPORT void host_log2(void *log, const char *name, int status, const char *category,
                      const char *message, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, message);
  vsnprintf(text, sizeof text, message ? message : "", arguments);
  va_end(arguments);
  (void)name, (void)status;
  keep(log, category, text);
}

EXPORT void host_log3(void *log, int status, const char *category, const char *message) {
  (void)status;
  keep(log, category, message);
}

static int exchange(const Run *r, const Group *g) {
  if (r->fmi == 2) return ((Values2)g->call)(r->instance, g->references, (size_t)g->count, r->scratch);
  return ((Values3)g->call)(r->instance, g->references, (size_t)g->count, r->scratch, (size_t)g->values);
}

#define PUT(type) \
  do for (long i = 0; i < g->values; i++) ((type *)r->scratch)[i] = (type)row[g->columns[i]]; while (0)
#define TAKE(type) \
  do for (long i = 0; i < g->values; i++) row[g->columns[i]] = (double)((type *)r->scratch)[i]; while (0)
#define EACH_KIND(action)                                 \
  switch (g->kind) {                                      \
    case F64: action(double); break;                      \
    case F32: action(float); break;                       \
    case I8: action(signed char); break;                  \
    case U8: action(unsigned char); break;                \
    case I16: action(short); break;                       \
    case U16: action(unsigned short); break;              \
    case I32: action(int); break;                         \
    case U32: action(unsigned); break;                    \
    case I64: action(long long); break;                   \
    case U64: action(unsigned long long); break;          \
    case B8: action(_Bool); break;                        \
  }

static int set_group(Run *r, const Group *g, const double *row) {
  EACH_KIND(PUT)
  return exchange(r, g);
}

static int get_group(Run *r, const Group *g, double *row) {
  const int status = exchange(r, g);
  if (status > WARNING) return status;
  EACH_KIND(TAKE)
  return status;
}

enum { ALL, ONLY_CONTINUOUS };

static int set_inputs(Run *r, const double *row, int which, double at) {
  for (long i = 0; i < r->n_inputs; i++)
    if ((which == ALL || r->inputs[i].continuous) &&
        failed(r, set_group(r, r->inputs + i, row), "setting inputs", at))
      return 0;
  return 1;
}

static int get_outputs(Run *r, double *row, double at) {
  for (long i = 0; i < r->n_outputs; i++)
    if (failed(r, get_group(r, r->outputs + i, row), "reading outputs", at)) return 0;
  return 1;
}

static int do_step(Run *r, double at, double length) {
  _Bool events = 0, terminate = 0, early = 0;
  double last = at + length;
  int status;
  if (r->fmi == 2) status = ((Step2)r->do_step)(r->instance, at, length, 1);
  else status = ((Step3)r->do_step)(r->instance, at, length, 1, &events, &terminate, &early, &last);
  if (status <= WARNING && terminate) status = TERMINATED;
  return !failed(r, status, "doStep", at);
}

/* Sets the inputs of row k, steps to the next time, and reads the outputs there into row k + 1. */
EXPORT int host_cosimulate(Run *r, long from, long to) {
  for (r->row = from; r->row < to; r->row++) {
    const double at = r->time[r->row], length = r->time[r->row + 1] - at;
    if (!set_inputs(r, r->input + r->row * r->in_width, ALL, at) || !do_step(r, at, length) ||
        !get_outputs(r, r->output + (r->row + 1) * r->out_width, at + length))
      return 0;
  }
  return 1;
}

EXPORT int host_outputs(Run *r) { return get_outputs(r, r->output, r->time[0]); }
EXPORT int host_begin(Run *r) { return set_inputs(r, r->input, ALL, r->time[0]); }
EXPORT size_t host_run_size(void) { return sizeof(Run); }
EXPORT size_t host_group_size(void) { return sizeof(Group); }
#include "exchange.c"
#include "table.c"
