/* Solvers of co-simulation, in steps no longer than the parameter solver_step.

   The classical Runge-Kutta method serves unless friction is stiff: unless it could stop a joint
   within less than a quarter of a step, or has presliding. Then M(q) qdd = load(qd, z) + rest(q,
   qd), with loads (motor torques less friction) of each joint alone, is solved as friction.c
   says. */
#define MOST_STEPS 1e9 /* of one communication step */

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
  if (!(longest > 0.0) || parts > MOST_STEPS) return complain(m, "solver_step is too short");
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
#include "friction.c"

static int integrate(Instance *m, double time, double length) {
  const double longest = m->now.value[AT_SOLVER_STEP];
  const double most = length < longest ? length : longest;
  const double parts = HAS_ELEMENTS ? MILD + 1.0 : fastest_decay(m) * most;
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
