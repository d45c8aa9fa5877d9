/* What a run of an FMU needs, filled by Python: the FMU's functions and the tables of numbers. */
#include <stddef.h>

/* How a value lies in memory; FMI 2 keeps truth in an int (I32), FMI 3 in a C bool. */
typedef enum { F64, F32, I8, U8, I16, U16, I32, U32, I64, U64, B8 } Kind;

/* Variables of one type with the columns of the table that they are set from or read into. */
typedef struct {
  int kind;
  long count;  /* of variables */
  long values; /* of their numbers: more than variables where some are arrays */
  const unsigned *references;
  const int *columns; /* one for each number */
  void *call;      /* fmi2SetReal, fmi3GetFloat64, ... */
  int continuous;  /* set in continuous-time mode; others at events */
} Group;

typedef struct {
  int fmi; /* 2 or 3 */
  void *instance;
  void *do_step;
  void *set_time, *get_states, *set_states, *get_rates, *get_indicators;
  void *completed_step, *enter_events, *update_states, *enter_continuous;

  long n_inputs, n_outputs; /* groups */
  const Group *inputs, *outputs;
  long in_width, out_width; /* columns */
  const double *time;       /* one more than rows: where the last step ends */
  const double *input;      /* rows x in_width */
  double *output;           /* one more than rows, x out_width */
  void *scratch;            /* room for the values of the largest group */

  long n_states, n_indicators;
  double *state;      /* 6 x n_states: now, start, and four slopes */
  double *indicator;  /* 2 x n_indicators: now and before */
  double *between;    /* in_width: an interpolated row */
  double solver_step; /* longest step of the solver */
  int wants_completed_step, has_next_event;
  double next_event;

  long row;         /* where a run stopped */
  int status;       /* of the call that failed */
  const char *what; /* its name */
  double at;        /* its time */
  long events;
} Run;
