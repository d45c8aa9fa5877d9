/* Solvers of co-simulation, in steps no longer than the parameter solver_step.

   The classical Runge-Kutta method serves unless friction is stiff: unless it could stop a joint
   within less than a step. Then M(q) qdd = load(qd) + rest(q, qd) is solved by the third-order
   additive Runge-Kutta method ARS(4,4,3) of Ascher, Ruuth and Spiteri (1997), which takes loads
   (motor torques less friction) implicitly and the rest explicitly. It damps what is faster than a
   step, so a joint comes to rest inside of the smoothed friction's step in sign and stays there. */
#if N_X > 0
/* One step of the classical Runge-Kutta method; inputs stay as they are. */
static void runge_kutta(Instance *m, double h) {
  double *v = m->now.value, start[N_X], sum[N_X];
  const double time = v[0], weight[] = {1, 2, 2, 1}, reach[] = {0.5, 0.5, 1};
  for (int i = 0; i < N_X; i++) start[i] = v[AT_X + i], sum[i] = 0.0;
  for (int stage = 0; stage < 4; stage++) {
    model_rates(v, m->now.constant);
    for (int i = 0; i < N_X; i++) {
      sum[i] += weight[stage] * v[AT_DX + i];
      v[AT_X + i] = start[i] + (stage < 3 ? reach[stage] * h * v[AT_DX + i] : h / 6.0 * sum[i]);
    }
    v[0] = time + (stage < 3 ? reach[stage] : 1.0) * h;
  }
}

/* Steps of equal length, none longer than given. */
static int explicit_steps(Instance *m, double time, double length, double longest) {
  const double parts = length / longest;
  if (!(longest > 0.0) || parts > 1e9) return complain(m, "solver_step is too short");
  long count = (long)parts;
  if ((double)count < parts * (1.0 - 1e-12)) count++;
  if (!count) count = 1;
  for (long k = 0; k < count; k++) {
    m->now.value[0] = time + length * ((double)k / (double)count);
    runge_kutta(m, length / (double)count);
  }
  return 1;
}
#endif

#if HAS_MOTION
enum { N_J = N_X / 2, AT_QD = AT_X + N_J, STAGES = 5, NEWTON = 30, SEARCH = 20 };
#define MILD 4.0        /* explicit steps into which friction may divide one */
#define SHORTEST 20.0  /* the shortest step over stiff friction: this times tolerance, of a step */
#define CROSSING 0.015 /* the share of it where a joint passes zero speed */
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

static void copy_matrix(double to[N_J][N_J], double from[N_J][N_J]) {
  for (int i = 0; i < N_J; i++)
    for (int k = 0; k < N_J; k++) to[i][k] = from[i][k];
}

/* The fastest decay that friction can cause, at zero speed: at most the trace of M^-1 D [1/s]. */
static double fastest_decay(Instance *m) {
  double *v = m->now.value, speed[N_J], load[N_J], slope[N_J], l[N_J][N_J], sum = 0.0;
  model_mass(v, m->now.constant, &l[0][0]);
  for (int i = 0; i < N_J; i++) speed[i] = v[AT_QD + i], v[AT_QD + i] = 0.0;
  model_loads(v, m->now.constant, load, slope);
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

/* left = M (v - r) - gamma h load(v) at the speeds in the state; returns its size and, beside it,
   the size of its terms. */
static double imbalance(Instance *m, double mass[N_J][N_J], const double *r, double h,
                        double *left, double *slope, double *size) {
  double *v = m->now.value, load[N_J], largest = 0.0;
  model_loads(v, m->now.constant, load, slope);
  *size = 0.0;
  for (int i = 0; i < N_J; i++) {
    double inertial = 0.0;
    for (int k = 0; k < N_J; k++) inertial += mass[i][k] * (v[AT_QD + k] - r[k]);
    left[i] = inertial - GAMMA * h * load[i];
    if (absolute(left[i]) > largest) largest = absolute(left[i]);
    if (absolute(inertial) > *size) *size = absolute(inertial);
    if (absolute(GAMMA * h * load[i]) > *size) *size = absolute(GAMMA * h * load[i]);
  }
  return largest;
}

static double along(const double *left, const double *direction) {
  double sum = 0.0;
  for (int i = 0; i < N_J; i++) sum += left[i] * direction[i];
  return sum;
}

/* Speeds with M (v - r) = gamma h load(v): Newton's method. Friction opposes motion, so the left
   side is monotone along every line, and a search along Newton's direction always converges. */
static int implicit_speeds(Instance *m, double mass[N_J][N_J], const double *r, double h) {
  double *v = m->now.value + AT_QD, left[N_J], slope[N_J], size;
  double largest = imbalance(m, mass, r, h, left, slope, &size);
  for (int round = 0; round < NEWTON; round++) {
    double l[N_J][N_J], d[N_J], from[N_J], low = 0.0, high = 1.0, share = 1.0;
    if (!(largest > 1e-9 * size)) return largest == largest;
    copy_matrix(l, mass);
    for (int i = 0; i < N_J; i++) {
      if (slope[i] < 0.0) l[i][i] -= GAMMA * h * slope[i];
      d[i] = -left[i], from[i] = v[i];
    }
    if (!factor(l)) return 0;
    solve(l, d);
    const double before = along(left, d);
    double at_low = before, at_high = 0.0;
    for (int turn = 0; turn < SEARCH; turn++) {
      for (int i = 0; i < N_J; i++) v[i] = from[i] + share * d[i];
      largest = imbalance(m, mass, r, h, left, slope, &size);
      const double now = along(left, d);
      if (now <= 0.0 && share == 1.0) break;
      if (absolute(now) <= 0.1 * absolute(before)) break;
      if (now > 0.0) high = share, at_high = now;
      else low = share, at_low = now;
      share = turn % 2 ? 0.5 * (low + high) : low - at_low * (high - low) / (at_high - at_low);
    }
  }
  return largest <= 1e-6 * size;
}

/* Accelerations of the rest alone, M^-1 rest, at the state; l is M, factored. */
static void rest_rates(Instance *m, double l[N_J][N_J], double *rates) {
  model_rest(m->now.value, m->now.constant, rates);
  solve(l, rates);
}

/* One step of ARS(4,4,3) from a state with given accelerations of the rest; they are replaced by
   those at its end. Returns the error of the speeds, relative to the tolerance; negative where no
   speeds were found. */
static double friction_step(Instance *m, double h, double *rates) {
  static const double implied[STAGES][STAGES] = {
      {0}, {0, 0.5}, {0, 1.0 / 6, 0.5}, {0, -0.5, 0.5, 0.5}, {0, 1.5, -1.5, 0.5, 0.5}};
  static const double plain[STAGES][STAGES] = {
      {0}, {0.5}, {11.0 / 18, 1.0 / 18}, {5.0 / 6, -5.0 / 6, 0.5}, {0.25, 1.75, 0.75, -1.75}};
  double *v = m->now.value, q[N_J], speed[STAGES][N_J], rest[STAGES][N_J], load[STAGES][N_J];
  double worst = 0.0;
  for (int i = 0; i < N_J; i++) {
    q[i] = v[AT_X + i], speed[0][i] = v[AT_QD + i], rest[0][i] = rates[i], load[0][i] = 0.0;
  }
  for (int stage = 1; stage < STAGES; stage++) {
    double r[N_J], mass[N_J][N_J];
    for (int i = 0; i < N_J; i++) {
      double moved = 0.0, pushed = 0.0;
      for (int k = 0; k < stage; k++) {
        moved += plain[stage][k] * speed[k][i];
        pushed += plain[stage][k] * rest[k][i] + implied[stage][k] * load[k][i];
      }
      v[AT_X + i] = q[i] + h * moved;
      r[i] = speed[0][i] + h * pushed;
    }
    model_mass(v, m->now.constant, &mass[0][0]);
    if (!implicit_speeds(m, mass, r, h) || !factor(mass)) return -1.0;
    for (int i = 0; i < N_J; i++) {
      speed[stage][i] = v[AT_QD + i];
      load[stage][i] = (speed[stage][i] - r[i]) / (GAMMA * h);
    }
    rest_rates(m, mass, rest[stage]);
  }
  for (int i = 0; i < N_J; i++) {
    /* Stages 1 and 3 are both at h / 2, of first and of higher order; the end is compared with the
       straight line through the stages at h / 2 and 2 h / 3. */
    const double half = absolute(speed[3][i] - speed[1][i]);
    const double end = absolute(speed[4][i] - 3.0 * speed[2][i] + 2.0 * speed[3][i]) / 3.0;
    const double off = half > end ? half : end;
    const double allowed = v[AT_TOLERANCE] * (1.0 + absolute(speed[4][i]));
    if (!(off <= worst * allowed)) worst = off / allowed;
    rates[i] = rest[4][i];
  }
  return worst;
}

/* Whether a joint's speed changes sign from one state to another without coming to rest there. */
static int passes_zero(Instance *m, const double *before, double h) {
  double *v = m->now.value, load[N_J], slope[N_J], mass[N_J][N_J];
  model_loads(v, m->now.constant, load, slope);
  model_mass(v, m->now.constant, &mass[0][0]);
  for (int i = 0; i < N_J; i++)
    if (before[i] * v[AT_QD + i] < 0.0 && -slope[i] * h < mass[i][i]) return 1;
  return 0;
}

/* Steps over stiff friction: shorter ones where speeds change quickly or pass zero. */
static int implicit_steps(Instance *m, double time, double length, double longest) {
  double *v = m->now.value, done = 0.0, rates[N_J], mass[N_J][N_J];
  double h = m->now.friction_step > 0.0 ? m->now.friction_step : longest;
  const double shortest = SHORTEST * v[AT_TOLERANCE] * longest;
  model_mass(v, m->now.constant, &mass[0][0]);
  if (!factor(mass)) return complain(m, "the mass matrix is not positive definite");
  rest_rates(m, mass, rates);
  while (done < length * (1.0 - 1e-12)) {
    double start[N_X], before[N_J];
    if (h > longest) h = longest;
    const int last = h >= length - done;
    const double now = last ? length - done : h;
    for (int i = 0; i < N_X; i++) start[i] = v[AT_X + i];
    for (int i = 0; i < N_J; i++) before[i] = rates[i];
    v[0] = time + done;
    const double error = friction_step(m, now, rates);
    const int bad = !(error >= 0.0 && error <= 1.0);
    double scale = error >= 0.0 ? 0.8 / __builtin_sqrt(error + 1e-2) : 0.2;
    if (scale < 0.2 || scale != scale) scale = 0.2;
    if (bad && now > CROSSING * shortest &&
        (now > shortest || error < 0.0 || passes_zero(m, start + N_J, now))) {
      for (int i = 0; i < N_X; i++) v[AT_X + i] = start[i];
      for (int i = 0; i < N_J; i++) rates[i] = before[i];
      h = scale * now;
      continue;
    }
    if (error < 0.0) return complain(m, "the solver found no speeds: a torque is out of range");
    done += now;
    if (bad) scale = 1.0;
    if (!last || scale * now < h) h = scale * now;
  }
  m->now.friction_step = h;
  return 1;
}

static int integrate(Instance *m, double time, double length) {
  const double longest = m->now.value[AT_SOLVER_STEP];
  const double most = length < longest ? length : longest;
  const double parts = fastest_decay(m) * most;
  if (!(parts > MILD)) return explicit_steps(m, time, length, parts > 1.0 ? most / parts : longest);
  return implicit_steps(m, time, length, longest);
}
#elif N_X > 0
static int integrate(Instance *m, double time, double length) {
  return explicit_steps(m, time, length, m->now.value[AT_SOLVER_STEP]);
}
#else
static int integrate(Instance *m, double time, double length) {
  (void)m, (void)time, (void)length;
  return 1;
}
#endif
