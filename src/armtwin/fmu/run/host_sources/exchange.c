/* Model exchange: a fixed-step Runge-Kutta solver; steps end at time events and state events. */
#define EVENT_TIME 1e-10 /* how closely state events are located [s] */
typedef struct { int again, terminate, nominals, values, next_defined; double next; } EventInfo2;
typedef int (*Update2)(void *, EventInfo2 *);
typedef int (*Update3)(void *, _Bool *, _Bool *, _Bool *, _Bool *, _Bool *, double *);
typedef int (*Completed2)(void *, int, int *, int *);
typedef int (*Completed3)(void *, _Bool, _Bool *, _Bool *);

static int read_states(Run *r, double at) {
  if (!r->n_states) return 1;
  return !failed(r, ((Vector)r->get_states)(r->instance, r->state, (size_t)r->n_states),
                 "reading states", at);
}

static int read_indicators(Run *r, double at) {
  if (!r->n_indicators) return 1;
  return !failed(r, ((Vector)r->get_indicators)(r->instance, r->indicator, (size_t)r->n_indicators),
                 "reading event indicators", at);
}

/* Iterates the discrete states until they rest, then returns to continuous time. */
static int settle(Run *r, double at) {
  for (int round = 0; round < 1000; round++) {
    EventInfo2 news = {0, 0, 0, 0, 0, 0.0};
    int status;
    if (r->fmi == 2) status = ((Update2)r->update_states)(r->instance, &news);
    else {
      _Bool again, terminate, nominals, values, next_defined;
      status = ((Update3)r->update_states)(r->instance, &again, &terminate, &nominals, &values,
                                           &next_defined, &news.next);
      news.again = again, news.terminate = terminate, news.next_defined = next_defined;
    }
    if (status <= WARNING && news.terminate) status = TERMINATED;
    if (failed(r, status, "updating discrete states", at)) return 0;
    r->has_next_event = news.next_defined, r->next_event = news.next;
    if (!news.again) break;
    if (round == 999) return !failed(r, 3, "updating discrete states, 1000 times", at);
  }
  if (failed(r, ((Plain)r->enter_continuous)(r->instance), "entering continuous time", at)) return 0;
  if (!read_states(r, at) || !read_indicators(r, at)) return 0;
  for (long i = 0; i < r->n_indicators; i++) r->indicator[r->n_indicators + i] = r->indicator[i];
  return 1;
}

EXPORT int host_begin_exchange(Run *r) { return settle(r, r->time[0]); }

static int event(Run *r, const double *row, double at) {
  r->events++;
  if (failed(r, ((Plain)r->enter_events)(r->instance), "entering event mode", at)) return 0;
  return (!row || set_inputs(r, row, ALL, at)) && settle(r, at);
}

/* Inputs between two rows: straight lines for continuous ones. */
static const double *inputs_at(Run *r, double at) {
  const double *a = r->input + r->row * r->in_width, *b = a + r->in_width;
  const double s = (at - r->time[r->row]) / (r->time[r->row + 1] - r->time[r->row]);
  for (long i = 0; i < r->in_width; i++) r->between[i] = a[i] + s * (b[i] - a[i]);
  return r->between;
}

/* Sets time, inputs and states x, and reads the states' slopes into dx. */
static int slopes(Run *r, double at, double *x, double *dx) {
  const size_t n = (size_t)r->n_states;
  if (failed(r, ((Time)r->set_time)(r->instance, at), "setting time", at)) return 0;
  if (!set_inputs(r, inputs_at(r, at), ONLY_CONTINUOUS, at)) return 0;
  if (failed(r, ((Vector)r->set_states)(r->instance, x, n), "setting states", at)) return 0;
  return !failed(r, ((Vector)r->get_rates)(r->instance, dx, n), "reading derivatives", at);
}

static int runge_kutta(Run *r, double at, double h) {
  const double reach[] = {0.0, 0.5, 0.5, 1.0};
  double *x = r->state, *start = x + r->n_states, *k = start + r->n_states;
  for (long i = 0; i < r->n_states; i++) start[i] = x[i];
  for (int stage = 0; stage < 4; stage++) {
    double *slope = k + stage * r->n_states;
    for (long i = 0; i < r->n_states && stage; i++)
      x[i] = start[i] + reach[stage] * h * slope[i - r->n_states];
    if (!slopes(r, at + reach[stage] * h, x, slope)) return 0;
  }
  for (long i = 0; i < r->n_states; i++)
    x[i] = start[i] + h / 6.0 * (k[i] + 2.0 * k[i + r->n_states] + 2.0 * k[i + 2 * r->n_states] +
                                 k[i + 3 * r->n_states]);
  if (failed(r, ((Time)r->set_time)(r->instance, at + h), "setting time", at)) return 0;
  return !failed(r, ((Vector)r->set_states)(r->instance, x, (size_t)r->n_states), "setting states",
                 at);
}

/* Reports to the FMU that a step is complete and handles what happened in it. */
static int completed(Run *r, double at) {
  int wants_events = r->has_next_event && at >= r->next_event, terminate = 0, status = 0;
  if (r->wants_completed_step && r->fmi == 2)
    status = ((Completed2)r->completed_step)(r->instance, 1, &wants_events, &terminate);
  else if (r->wants_completed_step) {
    _Bool enter = 0, end = 0;
    status = ((Completed3)r->completed_step)(r->instance, 1, &enter, &end);
    wants_events |= enter, terminate = end;
  }
  if (r->has_next_event && at >= r->next_event) wants_events = 1;
  if (status <= WARNING && terminate) status = TERMINATED;
  if (failed(r, status, "completing a step", at) || !read_indicators(r, at)) return 0;
  for (long i = 0; i < r->n_indicators; i++) {
    double *now = r->indicator + i, *before = now + r->n_indicators;
    wants_events |= (*now > 0) != (*before > 0);
    *before = *now;
  }
  return !wants_events || event(r, 0, at);
}

/* Whether an event indicator has another sign than at the last completed step. */
static int crossed(Run *r, double at, int *answer) {
  if (!read_indicators(r, at)) return 0;
  *answer = 0;
  for (long i = 0; i < r->n_indicators; i++)
    *answer |= (r->indicator[i] > 0) != (r->indicator[r->n_indicators + i] > 0);
  return 1;
}

/* Repeats a step from its start with another length. */
static int step_again(Run *r, double at, double h) {
  for (long i = 0; i < r->n_states; i++) r->state[i] = r->state[r->n_states + i];
  return runge_kutta(r, at, h);
}

/* Takes a step; where an indicator changes sign in it, ends just after that, found by bisection. */
static int step_to_event(Run *r, double at, double *h) {
  double low = 0.0, high = *h;
  int changed;
  if (!runge_kutta(r, at, *h)) return 0;
  if (!r->n_indicators) return 1;
  if (!crossed(r, at + *h, &changed)) return 0;
  if (!changed) return 1;
  while (high - low > EVENT_TIME) {
    const double middle = 0.5 * (low + high);
    if (!step_again(r, at, middle) || !crossed(r, at + middle, &changed)) return 0;
    if (changed) high = middle;
    else low = middle;
  }
  *h = high;
  return step_again(r, at, high);
}

/* Integrates from row to row in equal steps no longer than solver_step, cut at time events. */
static int advance(Run *r) {
  double at = r->time[r->row];
  const double end = r->time[r->row + 1];
  if (!r->n_states && !r->n_indicators && !r->wants_completed_step && !r->has_next_event) return 1;
  while (at < end) {
    const double parts = (end - at) / r->solver_step;
    const long count = (long)parts + ((double)(long)parts < parts * (1 - 1e-12));
    double next = count > 1 ? at + (end - at) / (double)count : end;
    if (r->has_next_event && r->next_event > at && r->next_event < next) next = r->next_event;
    double h = next - at;
    if (!step_to_event(r, at, &h)) return 0;
    at = h < next - at ? at + h : next;
    if (!completed(r, at)) return 0;
  }
  return 1;
}

/* Outputs of every row at its own time; between rows the states are integrated. */
EXPORT int host_exchange(Run *r, long from, long to, long discrete_inputs, long last) {
  for (r->row = from; r->row < to; r->row++) {
    const double at = r->time[r->row], *row = r->input + r->row * r->in_width;
    if (failed(r, ((Time)r->set_time)(r->instance, at), "setting time", at)) return 0;
    if (discrete_inputs ? !event(r, row, at) : !set_inputs(r, row, ONLY_CONTINUOUS, at)) return 0;
    if (!get_outputs(r, r->output + r->row * r->out_width, at)) return 0;
    if (!(last && r->row == to - 1) && !advance(r)) return 0;
  }
  return 1;
}
