/* Calls an FMI 3 model's functions in random order with good and bad arguments; see random2.c. */
#include "fmi3.c"
#include <stdio.h>
#include <string.h>

static uint64_t seed;
static unsigned pick(unsigned n) {
  seed = seed * 6364136223846793005ull + 1442695040888963407ull;
  return (unsigned)(seed >> 33) % n;
}
static double number(void) {
  const double odd[] = {0.0, -0.0, 1e308, -1e308, 1e-308, __builtin_nan(""), __builtin_inf(),
                        -__builtin_inf(), 1e6, 1e7};
  return pick(8) ? (double)pick(2000) / 1000.0 - 1.0 : odd[pick(10)];
}
static long messages;
static void logger(void *e, fmi3Status s, fmi3String category, fmi3String text) {
  (void)e, (void)s;
  messages += (long)(strlen(category) + strlen(text) > 0);
}

enum { MANY = 64 };
static uint32_t vr[MANY];
static double real[MANY];
static int32_t whole[MANY];
static bool truth[MANY];
static uint8_t bytes[sizeof(State) + 256];

static size_t fill(void) {
  const size_t n = pick(12);
  for (size_t i = 0; i < n; i++)
    vr[i] = pick(20) ? pick(N_VALUES) : pick(4) * 0x3fffffffu, real[i] = number(),
    whole[i] = (int)pick(5) - 2, truth[i] = pick(2);
  return n;
}

static fmi3Instance make(void) {
  const char *tokens[] = {MODEL_TOKEN, MODEL_TOKEN, MODEL_TOKEN, "{no}", 0};
  const char *names[] = {"a", "b", "c", "", 0};
  const char *token = tokens[pick(5)], *name = names[pick(5)];
  fmi3LogMessageCallback log = pick(3) ? logger : 0;
  if (pick(2)) return fmi3InstantiateModelExchange(name, token, 0, false, pick(2), 0, log);
  if (!pick(20)) fmi3InstantiateScheduledExecution(name, token, 0, false, false, 0, log, 0, 0, 0);
  return fmi3InstantiateCoSimulation(name, token, 0, false, pick(2), false, false, 0, 0, 0, log, 0);
}

int main(int count, char **words) {
  fmi3Instance model[4] = {0};
  fmi3FMUState state[4] = {0};
  long fine = 0;
  seed = count > 1 ? (uint64_t)atoll(words[1]) : 1;
  for (long call = 0; call < (count > 2 ? atol(words[2]) : 100000); call++) {
    fmi3Instance *c = model + pick(4), m = pick(50) ? *c : 0;
    fmi3FMUState *s = state + pick(4);
    fmi3Status status = fmi3OK;
    bool b[5];
    double value;
    size_t n = fill(), size = 0, other = pick(20) ? n : pick(MANY);
    const uint32_t *refs = pick(30) ? vr : 0;
    if (!*c) { *c = make(); continue; }
    switch (pick(40)) {
      case 0: if (!pick(20)) fmi3FreeInstance(*c), *c = 0; break;
      case 1: case 2: status = fmi3EnterInitializationMode(m, 0, 0, pick(5) ? 0.0 : number(), 0, 0); break;
      case 3: case 4: status = fmi3ExitInitializationMode(m); break;
      case 5: if (!pick(10)) status = fmi3Terminate(m); break;
      case 6: if (!pick(5)) status = fmi3Reset(m); break;
      case 7: case 8: status = fmi3GetFloat64(m, refs, n, pick(30) ? real : 0, other); break;
      case 9: status = fmi3GetInt32(m, refs, n, whole, other); break;
      case 10: status = fmi3GetBoolean(m, refs, n, truth, other); break;
      case 11: case 12: status = fmi3SetFloat64(m, refs, n, pick(30) ? real : 0, other); break;
      case 13: status = fmi3SetInt32(m, refs, n, whole, other); break;
      case 14: status = fmi3SetBoolean(m, refs, n, truth, other); break;
      case 15: status = fmi3GetInt64(m, refs, n, 0, other); break;
      case 16: status = fmi3SetString(m, refs, n, 0, other); break;
      case 17: status = fmi3GetClock(m, refs, n, 0); break;
      case 18: status = fmi3GetFMUState(m, pick(30) ? s : 0); break;
      case 19: status = fmi3SetFMUState(m, *s); break;
      case 20: status = fmi3FreeFMUState(m, pick(30) ? s : 0); break;
      case 21: case 22:
        if (fmi3SerializedFMUStateSize(m, *s, &size) == fmi3OK &&
            fmi3SerializeFMUState(m, *s, bytes, size) == fmi3OK) {
          if (!pick(4)) bytes[pick((unsigned)size)] ^= (uint8_t)(1 << pick(8));
          status = fmi3DeserializeFMUState(m, bytes, pick(5) ? size : pick(60), s);
        }
        break;
      case 23: status = fmi3GetDirectionalDerivative(m, refs, n, vr, n, real, other, real, n); break;
      case 24: status = fmi3GetAdjointDerivative(m, refs, n, vr, n, real, other, real, n); break;
      case 25: status = fmi3EnterEventMode(m); break;
      case 26: status = fmi3UpdateDiscreteStates(m, b, b + 1, b + 2, b + 3, b + 4, pick(9) ? &value : 0); break;
      case 27: case 28: status = fmi3EnterContinuousTimeMode(m); break;
      case 29: status = fmi3CompletedIntegratorStep(m, 0, b, pick(9) ? b + 1 : 0); break;
      case 30: status = fmi3SetTime(m, number()); break;
      case 31: status = fmi3SetContinuousStates(m, pick(20) ? real : 0, pick(3) ? N_X : pick(MANY)); break;
      case 32: status = fmi3GetContinuousStateDerivatives(m, real, pick(3) ? N_X : pick(MANY)); break;
      case 33: status = fmi3GetContinuousStates(m, real, pick(3) ? N_X : pick(MANY)); break;
      case 34: status = fmi3GetNumberOfContinuousStates(m, pick(9) ? &size : 0); break;
      case 35: status = fmi3GetNumberOfEventIndicators(m, pick(9) ? &size : 0); break;
      case 36: case 37: case 38: {
        const double lengths[] = {1e-3, 2e-3, 1e-2, 0.0, -1.0, __builtin_nan(""), 1e300};
        status = fmi3DoStep(m, pick(9) && m ? ((Instance *)m)->now.value[0] : number(), lengths[pick(7)], 1, b,
                            b + 1, b + 2, pick(20) ? &value : 0);
        break;
      }
      default: status = fmi3EnterStepMode(m); fmi3EnterConfigurationMode(m); fmi3SetDebugLogging(m, pick(2), 0, 0);
    }
    fine += status == fmi3OK;
  }
  for (int i = 0; i < 4; i++) free_state((State **)&state[i]), fmi3FreeInstance(model[i]);
  printf("%ld calls succeeded, %ld messages\n", fine, messages);
  return 0;
}
