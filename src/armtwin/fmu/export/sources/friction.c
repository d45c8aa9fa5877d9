/* The solver over stiff friction, for models with states q, qd and z; see solver.c.

   In a step of length h (a span) the mass matrix is that of its middle and rest(t) a straight line.
   Where the motion shows that the line ends elsewhere, speeds and positions are corrected by what
   the difference adds to them; where that is much, the step is repeated with the line that was
   found. What remains, M qdd = load(qd, z) + rest(t), is small and stiff: it is solved in steps of
   its own by the Rosenbrock method RODAS3 (Sandu et al. 1997; order 3, L-stable, stiffly accurate)
   with exact slopes. These steps follow a joint that stops, sticks, breaks free or reverses as
   closely as the tolerance asks. Symmetric matrices are lower triangles, row by row;
   model_factor and model_solve are generated in straight lines. */
enum {
  AT_QD = AT_X + N_J, AT_Z = AT_QD + N_J, N_Z = N_X - 2 * N_J, N_L = N_J * (N_J + 1) / 2, SWEEPS = 5
};
#define MILD 4.0      /* explicit steps into which friction may divide one */
#define SHORTEST 1e-5 /* the shortest step over stiff friction, of the longest */
#define CLOSE 10.0    /* correction of speeds in place of another sweep, of the tolerance */
#define GROWTH 4.0    /* the most by which one step is longer than the last */
#define MOVED 1.5     /* acceleration at a step's end, of the mean, that is not a break */
#define GAMMA 0.5

static double absolute(double x) { return x < 0 ? -x : x; }

/* The mass matrix at the present state, its lower triangle row by row. */
static void get_mass(Instance *m, double *to) {
  double full[N_J * N_J];
  model_mass(m->now.value, m->now.constant, full);
  for (int i = 0, at = 0; i < N_J; i++)
    for (int k = 0; k <= i; k++) to[at++] = full[i * N_J + k];
}

/* The fastest decay that friction can cause, at zero speed: at most the trace of M^-1 D [1/s]. */
static double fastest_decay(Instance *m) {
  double *v = m->now.value, speed[N_J], load[N_J], slope[N_J], stiff[N_J], l[N_L];
  const double still[N_J] = {0};
  double sum = 0.0;
  get_mass(m, l);
  for (int i = 0; i < N_J; i++) speed[i] = v[AT_QD + i], v[AT_QD + i] = 0.0;
  model_loads(v, m->now.constant, still, load, slope, stiff);
  for (int i = 0; i < N_J; i++) v[AT_QD + i] = speed[i];
  if (!model_factor(l)) return 0.0;
  for (int i = 0; i < N_J; i++) {
    double unit[N_J] = {0};
    unit[i] = 1.0;
    model_solve(l, unit);
    sum -= slope[i] * unit[i];
  }
  return sum;
}

/* What one step of the equation of motion works with: the mass matrix, also factored, and torques
   of the rest at its beginning and end. */
typedef struct {
  double h, mass[N_L], factored[N_L], rest[N_J], rest_end[N_J];
} Span;

static double rest_at(const Span *s, int i, double share) {
  return s->rest[i] + share * (s->rest_end[i] - s->rest[i]);
}

/* Loads at a state, with their slopes by speed and displacement. */
typedef struct {
  double torque[N_J], slope[N_J], stiffness[N_J];
} Loads;

static void get_loads(Instance *m, const double *dq, Loads *to) {
  model_loads(m->now.value, m->now.constant, dq, to->torque, to->slope, to->stiffness);
}

/* One step of RODAS3: W = M / (gamma h) + D + gamma h K factored, with D and K as they are used. */
typedef struct {
  double h, w[N_L], damping[N_J], stiffness[N_J];
} Rosenbrock;

static int prepare(Rosenbrock *r, const Span *s, double h, const Loads *now) {
  const double per = 1.0 / (GAMMA * h);
  r->h = h;
  for (int i = 0; i < N_L; i++) r->w[i] = per * s->mass[i];
  for (int i = 0, at = 0; i < N_J; i++, at += i + 1) {
    r->stiffness[i] = now->stiffness[i] < 0.0 ? -GAMMA * h * now->stiffness[i] : 0.0;
    r->damping[i] = r->stiffness[i] + (now->slope[i] < 0.0 ? -now->slope[i] : 0.0);
    r->w[at] += r->damping[i];
  }
  return model_factor(r->w);
}

/* A stage: kv and kx after torques, speeds and what former stages leave, gamma sum(c kv) in kv and
   gamma sum(c kx) in kx. With J's blocks eliminated W kv = F + M sum(c kv) / h - gamma h K b, where
   kx = gamma h (kv + b), b = v + sum(c kx) / h; M is taken from W. */
static void stage(const Rosenbrock *r, const double *torque, const double *speed, double *kv,
                  double *kx) {
  double x[N_J], b[N_J];
  const double reach = GAMMA * r->h, per = 1.0 / reach;
  for (int i = 0; i < N_J; i++) {
    b[i] = speed[i] + per * kx[i];
    x[i] = torque[i] - r->damping[i] * kv[i] - r->stiffness[i] * b[i];
  }
  model_solve(r->w, x);
  for (int i = 0; i < N_J; i++) kv[i] += x[i], kx[i] = reach * (kv[i] + b[i]);
}

/* Moves positions, and the elements of presliding with them. */
static void displace(Instance *m, const double *dq) {
  double *v = m->now.value;
#if HAS_ELEMENTS
  double z[N_Z];
  model_elements(v, m->now.constant, dq, z);
  for (int i = 0; i < N_Z; i++) v[AT_Z + i] = z[i];
#endif
  for (int i = 0; i < N_J; i++) v[AT_X + i] += dq[i];
}

/* The largest of small changes of the speeds, relative to the tolerance; NaN where one is. */
static double largest(Instance *m, const double *change, const double *speed) {
  double worst = 0.0;
  for (int i = 0; i < N_J; i++) {
    const double allowed = m->now.value[AT_TOLERANCE] * (1.0 + absolute(speed[i]));
    if (!(absolute(change[i]) <= worst * allowed)) worst = absolute(change[i]) / allowed;
  }
  return worst;
}

/* One step of RODAS3 from the time `at` of a span, with the loads there. Returns the error of the
   speeds, relative to the tolerance; negative where the matrix is not definite. */
static double rosenbrock(Instance *m, const Span *s, double at, double h, const Loads *now) {
  double *v = m->now.value, *speed = v + AT_QD, qd[N_J], dq[N_J], torque[N_J], end[N_J];
  double kv[4][N_J], kx[4][N_J];
  Rosenbrock r;
  Loads load;
  if (!prepare(&r, s, h, now)) return -1.0;
  for (int i = 0; i < N_J; i++) {
    const double grows = (s->rest_end[i] - s->rest[i]) * (h / s->h);
    const double rest = rest_at(s, i, at / s->h);
    qd[i] = speed[i], kv[0][i] = kx[0][i] = 0.0, end[i] = rest + grows;
    torque[i] = now->torque[i] + rest + 0.5 * grows;
  }
  stage(&r, torque, qd, kv[0], kx[0]);
  for (int i = 0; i < N_J; i++) {
    kv[1][i] = 4 * GAMMA * kv[0][i], kx[1][i] = 4 * GAMMA * kx[0][i];
    torque[i] += (s->rest_end[i] - s->rest[i]) * (h / s->h);
  }
  stage(&r, torque, qd, kv[1], kx[1]);
  for (int i = 0; i < N_J; i++) {
    dq[i] = 2 * kx[0][i], speed[i] = qd[i] + 2 * kv[0][i];
    kv[3][i] = kv[2][i] = GAMMA * (kv[0][i] - kv[1][i]);
    kx[3][i] = kx[2][i] = GAMMA * (kx[0][i] - kx[1][i]);
  }
  for (int k = 2; k < 4; k++) {
    get_loads(m, dq, &load);
    for (int i = 0; i < N_J; i++) torque[i] = load.torque[i] + end[i];
    stage(&r, torque, speed, kv[k], kx[k]);
    for (int i = 0; i < N_J; i++) {
      dq[i] += kx[k][i], speed[i] += kv[k][i];
      if (k == 2) kv[3][i] -= 8 * GAMMA / 3 * kv[2][i], kx[3][i] -= 8 * GAMMA / 3 * kx[2][i];
    }
  }
  displace(m, dq);
  return largest(m, kv[3], qd);
}

/* A joint that breaks free: friction's slope at the beginning of the step held it, but it has an
   acceleration at the end that would have moved it. Returns the speed missed, relative to the
   tolerance. */
static double breaks_free(Instance *m, Span *s, double at, double h, const double *before,
                          const Loads *end) {
  double *v = m->now.value, a[N_J], worst = 0.0;
  for (int i = 0; i < N_J; i++) a[i] = end->torque[i] + rest_at(s, i, at / s->h);
  model_solve(s->factored, a);
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

/* What torques that grow from 0 to `change` in a span add to the speeds at its end, by friction's
   slopes there: M dv' = change t / h - D dv - K dx. Returns the largest of them, relative to the
   tolerance. */
static double effect(Instance *m, const Span *s, const double *change, double *dv) {
  const double still[N_J] = {0};
  double w[N_L];
  Loads end;
  get_loads(m, still, &end);
  for (int i = 0; i < N_L; i++) w[i] = s->mass[i];
  for (int i = 0, at = 0; i < N_J; i++, at += i + 1) {
    if (end.slope[i] < 0.0) w[at] -= 0.5 * s->h * end.slope[i];
    if (end.stiffness[i] < 0.0) w[at] -= s->h * s->h / 6.0 * end.stiffness[i];
    dv[i] = 0.5 * s->h * change[i];
  }
  if (!model_factor(w)) return 2.0 * CLOSE;
  model_solve(w, dv);
  return largest(m, dv, m->now.value + AT_QD);
}

/* Adds a small change to the speeds at a span's end, and what it adds to the positions. Elements of
   presliding stay: those that slip would take a step back for a reversal. */
static void correct(Instance *m, const Span *s, const double *dv) {
  double *v = m->now.value;
  for (int i = 0; i < N_J; i++) v[AT_X + i] += s->h / 3.0 * dv[i], v[AT_QD + i] += dv[i];
}

/* One step: sweeps through it until the rest at its end is known; 0 where it is not found. */
static int swept_step(Instance *m, Span *s, double *h) {
  double *v = m->now.value, start[N_X], rest_end[N_J], change[N_J], dv[N_J];
  const double first = *h;
  for (int i = 0; i < N_X; i++) start[i] = v[AT_X + i];
  for (int i = 0; i < N_J; i++) v[AT_X + i] += 0.5 * s->h * v[AT_QD + i];
  get_mass(m, s->mass);
  for (int i = 0; i < N_L; i++) s->factored[i] = s->mass[i];
  if (!model_factor(s->factored)) return 0;
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    for (int i = 0; i < N_X; i++) v[AT_X + i] = start[i];
    *h = first;
    if (!follow(m, s, h)) break;
    model_rest(v, m->now.constant, rest_end);
    for (int i = 0; i < N_J; i++) {
      change[i] = rest_end[i] - s->rest_end[i];
      s->rest_end[i] = rest_end[i];
    }
    if (effect(m, s, change, dv) <= CLOSE) {
      correct(m, s, dv);
      return 1;
    }
  }
  for (int i = 0; i < N_X; i++) v[AT_X + i] = start[i];
  *h = first;
  return 0;
}

/* Steps no longer than given, shorter ones where sweeps do not agree. */
static int implicit_steps(Instance *m, double time, double length, double longest) {
  double *v = m->now.value, done = 0.0, most = longest, slope[N_J] = {0};
  double h = m->now.friction_step > 0.0 ? m->now.friction_step : longest;
  Span s;
  if (length / longest > MOST_STEPS) return complain(m, "solver_step is too short");
  model_rest(v, m->now.constant, s.rest);
  while (done < length * (1.0 - 1e-12)) {
    const double left = length - done;
    s.h = left / (double)(long)(left / most + 1.0 - 1e-9);
    v[0] = time + done;
    for (int i = 0; i < N_J; i++) s.rest_end[i] = s.rest[i] + s.h * slope[i];
    if (!swept_step(m, &s, &h)) {
      if (s.h < SHORTEST * longest)
        return complain(m, "the solver found no speeds: a torque is out of range");
      most = 0.5 * s.h;
      continue;
    }
    for (int i = 0; i < N_J; i++) {
      slope[i] = (s.rest_end[i] - s.rest[i]) / s.h;
      s.rest[i] = s.rest_end[i];
    }
    done += s.h;
    if (most < longest) most = 2.0 * most < longest ? 2.0 * most : longest;
  }
  m->now.friction_step = h;
  return 1;
}
