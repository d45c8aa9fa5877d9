/* An instance of the model: its values, and what can be done with them in either FMI version.

   Values are numbered as the value references are: time, inputs u, outputs y, states x, their
   rates dx, parameters p. model.h holds the numbers of each, model.c the equations. */
#ifndef INSTANCE_H
#define INSTANCE_H
#include <stddef.h>
#include "model.h"

enum {
  AT_U = 1,
  AT_Y = AT_U + N_U,
  AT_X = AT_Y + N_Y,
  AT_DX = AT_X + N_X,
  AT_P = AT_DX + N_X,
  N_VALUES = AT_P + N_P,
  N_SEEDS = N_U + N_X + N_P
};

/* Kept as calls: there are many callers, and the code should stay small. */
#if defined(__GNUC__)
#define SMALL __attribute__((noinline, unused))
#else
#define SMALL
#endif

typedef enum {
  INSTANTIATED = 1, INITIALIZING = 2, EVENTS = 4, CONTINUOUS = 8, STEPPING = 16, TERMINATED = 32
} Mode;

/* All that changes while an instance runs; a copy of it restores the instance. */
typedef struct {
  double value[N_VALUES];
  double memory[N_M + 1];   /* of a sampled model; the last is the time of the last sample */
  double constant[N_C + 1]; /* what follows from the parameters alone */
  double friction_step;     /* length of the last step over stiff friction, 0 for none */
  Mode mode;
  char parameters_changed, outputs_changed, rates_changed, has_sampled;
} State;

typedef struct Instance {
  State now;
  int steps; /* 1: co-simulation, 0: model exchange */
  int logging; /* whether messages are wanted */
  void (*log_text)(struct Instance *, const char *message);
  void *environment;
  void (*logger)(void);
  char name[64];
} Instance;

typedef enum { REAL = 'r', INTEGER = 'i', BOOLEAN = 'b' } Type;

/* What becomes of a value that is set: state and parameters stay as they are unless ACCEPTED. */
typedef enum { REFUSED, ACCEPTED, OUT_OF_RANGE } Answer;

/* Every function returns 1 where it succeeded, 0 after logging why it did not. */
static Instance *new_instance(int steps, const char *name, const char *token, const char *wanted);
static void free_instance(Instance *);
SMALL static void start_values(Instance *);
SMALL static int in_mode(Instance *, int modes, const char *what);
SMALL static Answer judge(Instance *, unsigned reference, double value);
SMALL static void put_value(Instance *, unsigned reference, double value);
SMALL static int get_value(Instance *, unsigned reference, Type, double *value);
SMALL static int set_time(Instance *, double time);
SMALL static int set_states(Instance *, const double *x, size_t count);
SMALL static int get_states(Instance *, double *x, size_t count);
SMALL static int get_rates(Instance *, double *dx, size_t count);
SMALL static int refresh(Instance *);
static int step(Instance *, double time, double length);
SMALL static int has_type(Instance *, unsigned reference, Type);
SMALL static size_t count_values(Instance *, const unsigned *references, size_t count, Type);
static int derivative(Instance *, const unsigned *unknowns, size_t n_unknowns,
                      const unsigned *knowns, size_t n_knowns, const double *seed, double *result);
SMALL static int report(Instance *, const char *subject, const char *reason);
SMALL static int complain(Instance *, const char *reason);
SMALL static int blame(Instance *, unsigned reference, const char *reason);
#endif
