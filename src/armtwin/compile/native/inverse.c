/* Inverse kinematics around generated kernels: the loops that an instruction list cannot hold.
   Every entry has the signature of a kernel and one more argument, the plan with the kernels'
   addresses. Needs no C library.
     closed_form: every branch of a pose within limits, checked by forward kinematics, in order of
       the distance to the seed
     closed_batch: every branch of many poses within limits, in the kernel's order
     descend: damped least squares from every start (see kinematics/inverse/numeric.py)
     first_solution: the same from a list of starts until one succeeds */
typedef void (*kernel_t)(long, const double *const *, double *const *);
enum { JOINTS = 32, BRANCHES = 16 };
static double square(double x) { return x * x; }
static double largest(double a, double b) { return a > b ? a : b; }
static double clipped(double x, double low, double high) {
  return x < low ? low : x > high ? high : x;
}

/* ---- damped least squares ----
   x: starts (rows, joints), goals (rows, 16), lower, upper (joints), weights (6): 0 where an entry
   of the error does not count. y: q (rows, joints), error (rows, 6). */
typedef struct {
  kernel_t error, rigid; /* q, goal (16) -> error (6), J (6, joints); T (16) -> goal, flaw */
  const double *starts;  /* (count, joints) */
  long count, joints, steps, patience;
  double solved, rounding, longest_step, least_damping, flaw;
} Descent;
typedef struct { double q[JOINTS], error[6], J[6 * JOINTS], cost; } State;

static double weighted(const double *error, const double *weights) {
  double sum = 0;
  for (int i = 0; i < 6; i++) sum += square(weights[i] * error[i]);
  return sum;
}
static double remaining(const double *error, const double *weights) {
  double sum = 0;
  for (int i = 0; i < 6; i++) sum += weights[i] != 0 ? square(error[i]) : 0;
  return __builtin_sqrt(sum);
}
static void evaluate(const Descent *d, State *s, const double *goal, const double *weights) {
  const double *x[] = {s->q, goal};
  double *y[] = {s->error, s->J};
  d->error(1, x, y);
  s->cost = weighted(s->error, weights);
}
/* Solves A x = b in place by Cholesky's decomposition, A (6, 6) positive definite. */
static void solved_system(double A[6][6], double *b) {
  for (int i = 0; i < 6; i++) {
    for (int j = 0; j <= i; j++) {
      double sum = A[i][j];
      for (int k = 0; k < j; k++) sum -= A[i][k] * A[j][k];
      A[i][j] = i == j ? __builtin_sqrt(largest(sum, 1e-300)) : sum / A[j][j];
    }
    for (int k = 0; k < i; k++) b[i] -= A[i][k] * b[k];
    b[i] /= A[i][i];
  }
  for (int i = 5; i >= 0; i--) {
    for (int k = i + 1; k < 6; k++) b[i] -= A[k][i] * b[k];
    b[i] /= A[i][i];
  }
}
/* Sets dq = J^T (J J^T + damping I)^-1 e, joints at a limit that they would leave held. */
static void direction(const Descent *d, const State *s, const double *lower, const double *upper,
                      const double *weights, double mu, double *dq) {
  const long n = d->joints;
  double J[6][JOINTS], e[6], A[6][6], size = 0;
  for (int i = 0; i < 6; i++) {
    e[i] = weights[i] * s->error[i];
    for (long k = 0; k < n; k++) J[i][k] = weights[i] * s->J[i * n + k];
  }
  for (long k = 0; k < n; k++) {
    double downhill = 0;
    for (int i = 0; i < 6; i++) downhill += J[i][k] * e[i];
    const int held = (s->q[k] >= upper[k] && downhill > 0) || (s->q[k] <= lower[k] && downhill < 0);
    for (int i = 0; i < 6; i++) size += square(J[i][k] = held ? 0 : J[i][k]);
  }
  const double damping = largest(mu * s->cost, d->least_damping * largest(size, 1e-12));
  for (int i = 0; i < 6; i++)
    for (int j = 0; j <= i; j++) {
      double sum = i == j ? damping : 0;
      for (long k = 0; k < n; k++) sum += J[i][k] * J[j][k];
      A[i][j] = sum;
    }
  solved_system(A, e);
  double longest = 1e-300;
  for (long k = 0; k < n; k++) {
    dq[k] = 0;
    for (int i = 0; i < 6; i++) dq[k] += J[i][k] * e[i];
    longest = largest(longest, __builtin_fabs(dq[k]));
  }
  const double factor = d->longest_step < longest ? d->longest_step / longest : 1;
  for (long k = 0; k < n; k++) dq[k] *= factor;
}
/* Descends from s->q until the error is rounding, or no step helps. */
static void descent(const Descent *d, State *s, const double *goal, const double *lower,
                    const double *upper, const double *weights) {
  const long n = d->joints;
  double mu = 1e-2, dq[JOINTS];
  long stuck = 0;
  for (long k = 0; k < n; k++) s->q[k] = clipped(s->q[k], lower[k], upper[k]);
  evaluate(d, s, goal, weights);
  for (long step = 0; step < d->steps && stuck < d->patience; step++) {
    if (!(remaining(s->error, weights) > d->rounding)) return;
    State trial;
    direction(d, s, lower, upper, weights, mu, dq);
    for (long k = 0; k < n; k++) trial.q[k] = clipped(s->q[k] + dq[k], lower[k], upper[k]);
    evaluate(d, &trial, goal, weights);
    const int better = trial.cost < s->cost;
    stuck = trial.cost > 0.999 * s->cost ? stuck + 1 : 0;
    mu = clipped(mu * (better ? 0.2 : 10.0), 1e-8, 1e8);
    if (better) *s = trial;
  }
}
__attribute__((visibility("default"))) void descend(long rows, const double *const *x,
                                                    double *const *y, const Descent *d) {
  const long n = d->joints;
  for (long row = 0; row < rows; row++) {
    State s;
    for (long k = 0; k < n; k++) s.q[k] = x[0][row * n + k];
    descent(d, &s, x[1] + 16 * row, x[2], x[3], x[4]);
    for (long k = 0; k < n; k++) y[0][row * n + k] = s.q[k];
    for (int i = 0; i < 6; i++) y[1][row * 6 + i] = s.error[i];
  }
}
/* x: T (16), seed, lower, upper (joints), weights (6). The seed is the first start.
   y: q (joints), error (6), tries (1): 0 if no start succeeded, then q is the nearest; -1 if the
   pose is not rigid. */
__attribute__((visibility("default"))) void first_solution(long rows, const double *const *x,
                                                           double *const *y, const Descent *d) {
  (void)rows;
  const long n = d->joints;
  double goal[16], flaw, *rigid[] = {goal, &flaw};
  State best = {{0}, {0}, {0}, __builtin_inf()}, s;
  d->rigid(1, x, rigid);
  y[2][0] = flaw <= d->flaw ? 0 : -1;
  for (long i = 0; i <= d->count && !y[2][0]; i++) {
    const double *start = i ? d->starts + (i - 1) * n : x[1];
    for (long k = 0; k < n; k++) s.q[k] = start[k];
    descent(d, &s, goal, x[2], x[3], x[4]);
    if (s.cost < best.cost) best = s;
    if (remaining(s.error, x[4]) <= d->solved) y[2][0] = (double)(i + 1);
  }
  for (long k = 0; k < n; k++) y[0][k] = best.q[k];
  for (int i = 0; i < 6; i++) y[1][i] = best.error[i];
}

/* ---- closed form ----
   x: T (16), form, lower, upper, seed, and for seven joints the redundancy; passed to the kernel.
   y: q (count, joints), residual (count), turn (count), found (2): the number of solutions, 0 if
   there is none, -1 if the pose needs more care (singular, on a border, not rigid), and the value
   of the redundancy. */
typedef struct {
  kernel_t branches, pose;
  const Descent *refine; /* Newton steps of an arm that has the structure only nearly, or 0 */
  long joints, count, block;
  double exact_margin, border_margin, singular, flaw, solved;
} Closed;
typedef struct {
  double q[BRANCHES * JOINTS], margins[BRANCHES], sines[BRANCHES], excess[BRANCHES],
      distance[BRANCHES], goal[16], flaw[1], redundancy[1];
} Branches;

/* Returns how many branches are within reach and limits, listed in order of distance; or -1. */
static long chosen(const Closed *c, const Branches *b, long *order) {
  long found = 0;
  if (!(b->flaw[0] <= c->flaw)) return -1;
  for (long k = 0; k < c->count; k++) {
    if (!(b->margins[k] >= c->exact_margin)) {
      if (!(b->margins[k] < c->border_margin)) return -1;
      continue;
    }
    if (!(b->sines[k] >= c->singular)) return -1;
    if (!(b->excess[k] <= 0)) continue;
    long place = found++;
    for (; place && b->distance[order[place - 1]] > b->distance[k]; place--)
      order[place] = order[place - 1];
    order[place] = k;
  }
  return found;
}
/* Returns the residual of a pose and its rotation's part: |R - R_goal| = 2 sqrt(2) sin(angle/2). */
static double residual(const double *T, const double *goal, double *turn) {
  double shift = 0, rotation = 0;
  for (int row = 0; row < 3; row++) {
    for (int k = 0; k < 3; k++) rotation += square(T[4 * row + k] - goal[4 * row + k]);
    shift += square(T[4 * row + 3] - goal[4 * row + 3]);
  }
  *turn = __builtin_sqrt(rotation / 2); /* exact to 1e-16 for the small angles of solutions */
  return __builtin_sqrt(shift + rotation / 2);
}
/* Takes Newton steps from a branch of the nominal arm; 0 if they leave the branch or the limits. */
static int refined(const Closed *c, const double *const *x, const double *goal, double *q) {
  const Descent *d = c->refine;
  const double all[] = {1, 1, 1, 1, 1, 1};
  double wide[2][JOINTS];
  State s;
  for (long k = 0; k < c->joints; k++) {
    s.q[k] = q[k];
    wide[0][k] = q[k] - 1;
    wide[1][k] = q[k] + 1;
  }
  descent(d, &s, goal, wide[0], wide[1], all);
  int fine = remaining(s.error, all) <= d->solved;
  for (long k = 0; k < c->joints; k++) {
    fine = fine && s.q[k] >= x[2][k] && s.q[k] <= x[3][k] && __builtin_fabs(s.q[k] - q[k]) < 0.5;
    q[k] = s.q[k];
  }
  return fine;
}
/* Sorts solutions by their distance from the seed: Newton steps can change the branches' order. */
static void sorted(long found, long joints, const double *seed, double *q) {
  double distance[BRANCHES], row[JOINTS];
  for (long i = 0; i < found; i++) {
    double far = 0;
    for (long k = 0; k < joints; k++) row[k] = q[i * joints + k];
    for (long k = 0; k < joints; k++) far += square(row[k] - seed[k]);
    long place = i;
    for (; place && distance[place - 1] > far; place--) {
      distance[place] = distance[place - 1];
      for (long k = 0; k < joints; k++) q[place * joints + k] = q[(place - 1) * joints + k];
    }
    distance[place] = far;
    for (long k = 0; k < joints; k++) q[place * joints + k] = row[k];
  }
}
static double closed_one(const Closed *c, const double *const *x, double *q, double *const *y) {
  Branches b;
  double *out[] = {b.q, b.margins, b.sines, b.excess, b.distance, b.goal, b.flaw, b.redundancy};
  double T[16 * (BRANCHES + 1)];
  long order[BRANCHES], n = c->joints;
  c->branches(1, x, out);
  y[3][1] = b.redundancy[0];
  const long found = chosen(c, &b, order);
  if (found <= 0) return (double)found;
  for (long i = 0; i <= found; i++) /* one row more, so that whole blocks of lanes are used */
    for (long k = 0; k < n; k++) q[i * n + k] = b.q[order[i < found ? i : found - 1] * n + k];
  for (long i = 0; c->refine && i < found; i++)
    if (!refined(c, x, b.goal, q + i * n)) return -1;
  if (c->refine) sorted(found, n, x[4], q);
  const double *in[] = {q};
  double *poses[] = {T};
  c->pose(found + 1, in, poses);
  for (long i = 0; i < found; i++) {
    y[1][i] = residual(T + 16 * i, b.goal, y[2] + i);
    if (!(y[1][i] <= c->solved)) return -1;
  }
  return (double)found;
}
__attribute__((visibility("default"))) void closed_form(long rows, const double *const *x,
                                                        double *const *y, const Closed *c) {
  (void)rows;
  double q[(BRANCHES + 1) * JOINTS], *kept = y[0];
  y[3][0] = closed_one(c, x, q, y);
  for (long k = 0; k < (long)y[3][0] * c->joints; k++) kept[k] = q[k];
}

/* Judges the branches of a pose: those out of reach or limits become NaN. Returns 0 if the pose needs
   more care: singular, too near to a border to tell, or not rigid. */
static int judged(const Closed *c, double *const *b, long row, double *q, unsigned char *valid) {
  const double *margins = b[1] + row * c->count, *sines = b[2] + row * c->count;
  const double *excess = b[3] + row * c->count;
  int clear = b[6][row] <= c->flaw;
  for (long k = 0; k < c->count; k++) {
    const int reached = margins[k] >= c->exact_margin;
    clear &= reached ? sines[k] >= c->singular : margins[k] < c->border_margin;
    valid[k] = reached && excess[k] <= 0;
    if (!valid[k])
      for (long i = 0; i < c->joints; i++) q[k * c->joints + i] = __builtin_nan("");
  }
  return clear;
}
/* x: as for the kernel, T and seed (rows, ...), the others (block, ...) with equal rows.
   y: q (rows, count, joints), valid (rows, count) and care (rows), one byte each, then room for the
   kernel's other outputs (block, ...). */
__attribute__((visibility("default"))) void closed_batch(long rows, const double *const *x,
                                                         double *const *y, const Closed *c) {
  const long width = c->count * c->joints;
  for (long first = 0; first < rows; first += c->block) {
    const long n = rows - first < c->block ? rows - first : c->block;
    const double *in[] = {x[0] + 16 * first, x[1], x[2], x[3], x[4] + c->joints * first, x[5]};
    double *out[] = {y[0] + width * first, y[3], y[4], y[5], y[6], y[7], y[8], y[9]};
    unsigned char *valid = (unsigned char *)y[1] + c->count * first;
    unsigned char *care = (unsigned char *)y[2] + first;
    c->branches(n, in, out);
    for (long row = 0; row < n; row++)
      care[row] = !judged(c, out, row, out[0] + width * row, valid + c->count * row);
  }
}
