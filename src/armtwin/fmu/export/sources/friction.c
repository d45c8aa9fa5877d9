/* The solver over stiff friction, for models with states q, qd and z; see solver.c.

   In a step of length h the mass matrix is that of its middle and rest(t) a straight line, which
   is corrected until it ends where the motion does, to the tolerance; the next step makes up for
   the impulse that this leaves. What remains, M qdd = load(qd, z) + rest(t), is
   small and stiff: it is solved in steps of its own by the Rosenbrock method RODAS3 (Sandu et al.
   1997; order 3, L-stable, stiffly accurate) with exact slopes. These steps follow a joint that
   stops, sticks, breaks free or reverses as closely as the tolerance asks. */
enum { AT_QD = AT_X + N_J, AT_Z = AT_QD + N_J, N_Z = N_X - 2 * N_J, STAGES = 4, SWEEPS = 5 };
#define MILD 4.0      /* explicit steps into which friction may divide one */
#define SHORTEST 1e-5 /* the shortest step over stiff friction, of the longest */
#define CLOSE 1.0     /* the change of the rest's effect that is accepted, of the tolerance */
#define GROWTH 4.0    /* the most by which one step is longer than the last */
#define MOVED 1.5     /* acceleration at a step's end, of the mean, that is not a break */
#define GAMMA 0.5

static double absolute(double x) { return x < 0 ? -x : x; }

/* Factors a symmetric positive definite matrix in place, A = L L', with the inverse of L's diagonal
   in place of it; 0 where it is not definite. */
static int factor(double a[N_J][N_J]) {
  for (int j = 0; j < N_J; j++) {
    for (int k = 0; k < j; k++)
      for (int i = j; i < N_J; i++) a[i][j] -= a[i][k] * a[j][k];
    if (!(a[j][j] > 0.0)) return 0;
    a[j][j] = 1.0 / __builtin_sqrt(a[j][j]);
    for (int i = j + 1; i < N_J; i++) a[i][j] *= a[j][j];
  }
  return 1;
}

static void solve(double l[N_J][N_J], double *x) {
  for (int i = 0; i < N_J; i++) {
    for (int k = 0; k < i; k++) x[i] -= l[i][k] * x[k];
    x[i] *= l[i][i];
  }
  for (int i = N_J - 1; i >= 0; i--) {
    for (int k = i + 1; k < N_J; k++) x[i] -= l[k][i] * x[k];
    x[i] *= l[i][i];
  }
}

/* The fastest decay that friction can cause, at zero speed: at most the trace of M^-1 D [1/s]. */
static double fastest_decay(Instance *m) {
  double *v = m->now.value, speed[N_J], load[N_J], slope[N_J], stiff[N_J], l[N_J][N_J];
  const double still[N_J] = {0};
  double sum = 0.0;
  model_mass(v, m->now.constant, &l[0][0]);
  for (int i = 0; i < N_J; i++) speed[i] = v[AT_QD + i], v[AT_QD + i] = 0.0;
  model_loads(v, m->now.constant, still, load, slope, stiff);
  for (int i = 0; i < N_J; i++) v[AT_QD + i] = speed[i];
  if (!factor(l)) return 0.0;
  for (int i = 0; i < N_J; i++) {
    double unit[N_J] = {0};
    unit[i] = 1.0;
    solve(l, unit);
    sum -= slope[i] * unit[i];
  }
  return sum;
}

/* What one step of the equation of motion works with: the mass matrix, also factored, torques of
   the rest at its beginning and end, and torques that make up for the step before. */
typedef struct {
  double h, mass[N_J][N_J], factored[N_J][N_J], rest[N_J], rest_end[N_J], late[N_J];
} Span;

static double rest_at(const Span *s, int i, double share) {
  return s->rest[i] + s->late[i] + share * (s->rest_end[i] - s->rest[i]);
}

/* Loads at a state, with their slopes by speed and displacement. */
typedef struct {
  double torque[N_J], slope[N_J], stiffness[N_J];
} Loads;

static void get_loads(Instance *m, const double *dq, Loads *to) {
  model_loads(m->now.value, m->now.constant, dq, to->torque, to->slope, to->stiffness);
}

/* Mass times a vector. */
static void inertial(const Span *s, const double *x, double *to) {
  for (int i = 0; i < N_J; i++) {
    to[i] = 0.0;
    for (int k = 0; k < N_J; k++) to[i] += s->mass[i][k] * x[k];
  }
}

/* One step of RODAS3 from the time `at` of a span, with the loads there; they are replaced by those
   at its end. With J's blocks eliminated, a stage solves
   (M / (gamma h) + D + gamma h K) kv = F + M sum(c kv) / h - gamma h K b, where kx = gamma h (kv + b)
   and b = v + sum(c kx) / h. Returns the error of the speeds, relative to the tolerance; negative
   where the matrix is not definite. */
static double rosenbrock(Instance *m, const Span *s, double at, double h, const Loads *now) {
  static const double reach[STAGES][STAGES] = {{0}, {0}, {2}, {2, 0, 1}};
  static const double couple[STAGES][STAGES] = {{0}, {4}, {1, -1}, {1, -1, -8.0 / 3}};
  static const double slide[STAGES] = {0.5, 1.5, 0, 0};
  double *v = m->now.value, qd[N_J], kx[STAGES][N_J], kv[STAGES][N_J], w[N_J][N_J], dq[N_J];
  const double per = 1.0 / h;
  double worst = 0.0;
  Loads load = *now;
  for (int i = 0; i < N_J; i++) {
    qd[i] = v[AT_QD + i];
    for (int k = 0; k <= i; k++) w[i][k] = s->mass[i][k] * (per / GAMMA);
    if (now->slope[i] < 0.0) w[i][i] -= now->slope[i];
    if (now->stiffness[i] < 0.0) w[i][i] -= GAMMA * h * now->stiffness[i];
  }
  if (!factor(w)) return -1.0;
  for (int stage = 0; stage < STAGES; stage++) {
    double before[N_J], b[N_J], torque[N_J];
    const double share = (stage < 2 ? at : at + h) / s->h + slide[stage] * h / s->h;
    for (int i = 0; i < N_J; i++) {
      double x = 0.0, speed = qd[i], from = 0.0, slid = 0.0;
      for (int k = 0; k < stage; k++) {
        x += reach[stage][k] * kx[k][i], speed += reach[stage][k] * kv[k][i];
        slid += couple[stage][k] * kx[k][i], from += couple[stage][k] * kv[k][i];
      }
      dq[i] = x, v[AT_QD + i] = speed, b[i] = speed + per * slid, before[i] = per * from;
    }
    if (stage > 1) get_loads(m, dq, &load);
    inertial(s, before, torque);
    for (int i = 0; i < N_J; i++) {
      kv[stage][i] = torque[i] + load.torque[i] + rest_at(s, i, share);
      if (now->stiffness[i] < 0.0) kv[stage][i] += GAMMA * h * now->stiffness[i] * b[i];
    }
    solve(w, kv[stage]);
    for (int i = 0; i < N_J; i++) kx[stage][i] = GAMMA * h * (kv[stage][i] + b[i]);
  }
  for (int i = 0; i < N_J; i++) {
    dq[i] += kx[3][i], v[AT_X + i] += dq[i], v[AT_QD + i] += kv[3][i];
    const double allowed = v[AT_TOLERANCE] * (1.0 + absolute(qd[i]));
    if (!(absolute(kv[3][i]) <= worst * allowed)) worst = absolute(kv[3][i]) / allowed;
  }
#if HAS_ELEMENTS
  double z[N_Z];
  model_elements(v, m->now.constant, dq, z);
  for (int i = 0; i < N_Z; i++) v[AT_Z + i] = z[i];
#endif
  return worst;
}

/* A joint that breaks free: friction's slope at the beginning of the step held it, but it has an
   acceleration at the end that would have moved it. Returns the speed missed, relative to the
   tolerance. */
static double breaks_free(Instance *m, Span *s, double at, double h, const double *before,
                          const Loads *end) {
  double *v = m->now.value, a[N_J], worst = 0.0;
  for (int i = 0; i < N_J; i++) a[i] = end->torque[i] + rest_at(s, i, at / s->h);
  solve(s->factored, a);
  for (int i = 0; i < N_J; i++) {
    const double missed = absolute(h * a[i]) - MOVED * absolute(v[AT_QD + i] - before[i]);
    const double off = missed / (v[AT_TOLERANCE] * (1.0 + absolute(before[i])));
    if (!(off <= worst)) worst = off;
  }
  return worst;
}

/* The factor for the next step: about the error to the power of -1/3. */
static double next_length(double error, double most) {
  const double root = __builtin_sqrt(__builtin_sqrt(error)), fourth = __builtin_sqrt(__builtin_sqrt(root));
  const double scale = 0.85 / (root * fourth);
  if (!(scale > 0.1)) return 0.1;
  return scale < most ? scale : most;
}

/* Steps of RODAS3 through a span; `h` is the first step to try, and afterwards the next. */
static int follow(Instance *m, Span *s, double *h) {
  double *v = m->now.value, done = 0.0;
  const double shortest = SHORTEST * v[AT_SOLVER_STEP], still[N_J] = {0};
  double most = GROWTH;
  Loads now, end;
  get_loads(m, still, &now);
  while (done < s->h * (1.0 - 1e-12)) {
    double start[N_X];
    const int last = *h >= s->h - done;
    const double length = last ? s->h - done : *h;
    for (int i = 0; i < N_X; i++) start[i] = v[AT_X + i];
    double error = rosenbrock(m, s, done, length, &now);
    if (error >= 0.0 && error <= 1.0) {
      get_loads(m, still, &end);
      const double missed = breaks_free(m, s, done + length, length, start + N_J, &end);
      if (missed > 1.0) error = missed;
    }
    if (!(error >= 0.0 && error <= 1.0)) {
      if (length > shortest) {
        for (int i = 0; i < N_X; i++) v[AT_X + i] = start[i];
        *h = next_length(error, 0.5) * length, most = 1.0;
        continue;
      }
      if (!(error >= 0.0)) return 0;
      get_loads(m, still, &end);
    }
    const double next = next_length(error, most) * length;
    now = end;
    done += length;
    if (!last || next < *h) *h = next;
    most = GROWTH;
  }
  return 1;
}

/* The largest speed that a change of the rest at a span's end makes, relative to the tolerance. */
static double effect(Instance *m, Span *s, const double *rest_end) {
  double *v = m->now.value, change[N_J], worst = 0.0;
  for (int i = 0; i < N_J; i++) change[i] = 0.5 * s->h * (rest_end[i] - s->rest_end[i]);
  solve(s->factored, change);
  for (int i = 0; i < N_J; i++) {
    const double off = absolute(change[i]) / (v[AT_TOLERANCE] * (1.0 + absolute(v[AT_QD + i])));
    if (!(off <= worst)) worst = off;
  }
  return worst;
}

/* One step: sweeps through it until the rest at its end is known. Returns 0 where it is not found. */
static int swept_step(Instance *m, Span *s, double *h) {
  double *v = m->now.value, start[N_X], rest_end[N_J];
  const double first = *h;
  for (int i = 0; i < N_X; i++) start[i] = v[AT_X + i];
  for (int i = 0; i < N_J; i++) v[AT_X + i] += 0.5 * s->h * v[AT_QD + i];
  model_mass(v, m->now.constant, &s->mass[0][0]);
  for (int i = 0; i < N_J; i++)
    for (int k = 0; k < N_J; k++) s->factored[i][k] = s->mass[i][k];
  if (!factor(s->factored)) return 0;
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    for (int i = 0; i < N_X; i++) v[AT_X + i] = start[i];
    *h = first;
    if (!follow(m, s, h)) break;
    model_rest(v, m->now.constant, rest_end);
    const double off = effect(m, s, rest_end);
    for (int i = 0; i < N_J; i++) {
      m->now.late[i] = off <= CLOSE ? 0.5 * s->h * (rest_end[i] - s->rest_end[i]) : 0.0;
      s->rest_end[i] = rest_end[i];
    }
    if (off <= CLOSE) return 1;
  }
  for (int i = 0; i < N_X; i++) v[AT_X + i] = start[i];
  *h = first;
  return 0;
}

/* Steps no longer than given, shorter ones where sweeps do not agree. */
static int implicit_steps(Instance *m, double time, double length, double longest) {
  double *v = m->now.value, done = 0.0, most = longest, slope[N_J] = {0}, late[N_J];
  double h = m->now.friction_step > 0.0 ? m->now.friction_step : longest;
  Span s;
  if (length / longest > MOST_STEPS) return complain(m, "solver_step is too short");
  model_rest(v, m->now.constant, s.rest);
  for (int i = 0; i < N_J; i++) late[i] = m->now.late[i];
  while (done < length * (1.0 - 1e-12)) {
    const double left = length - done;
    s.h = left / (double)(long)(left / most + 1.0 - 1e-9);
    v[0] = time + done;
    for (int i = 0; i < N_J; i++) {
      s.rest_end[i] = s.rest[i] + s.h * slope[i];
      s.late[i] = late[i] / s.h;
    }
    if (!swept_step(m, &s, &h)) {
      if (s.h < SHORTEST * longest)
        return complain(m, "the solver found no speeds: a torque is out of range");
      most = 0.5 * s.h;
      continue;
    }
    for (int i = 0; i < N_J; i++) {
      slope[i] = (s.rest_end[i] - s.rest[i]) / s.h;
      s.rest[i] = s.rest_end[i], late[i] = m->now.late[i];
    }
    done += s.h;
    if (most < longest) most = 2.0 * most < longest ? 2.0 * most : longest;
  }
  m->now.friction_step = h;
  return 1;
}
