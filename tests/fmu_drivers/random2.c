/* Calls an FMI 2 model's functions in random order with good and bad arguments.

   It is compiled with the model's source and the sanitizers: whatever the order, no call may
   touch memory that is not its own, overflow, or leave memory behind. */
#include "fmi2.c"
#include <stdarg.h>
#include <stdint.h>
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
static void logger(void *e, fmi2String name, fmi2Status s, fmi2String category, fmi2String text, ...) {
  char line[1024];
  va_list arguments;
  va_start(arguments, text);
  vsnprintf(line, sizeof line, text, arguments);
  va_end(arguments);
  (void)e, (void)s;
  messages += (long)(strlen(name) + strlen(category) + strlen(line) > 0);
}
static const fmi2CallbackFunctions callbacks = {logger, calloc, free, 0, 0};
static const fmi2CallbackFunctions silent = {0, 0, 0, 0, 0};

enum { MANY = 64 };
static unsigned vr[MANY];
static double real[MANY];
static int whole[MANY];
static char *text[MANY];

static size_t fill(void) {
  const size_t n = pick(12);
  for (size_t i = 0; i < n; i++)
    vr[i] = pick(20) ? pick(N_VALUES) : pick(4) * 0x3fffffffu, real[i] = number(), whole[i] = (int)pick(5) - 2;
  return n;
}

static fmi2Component make(void) {
  const char *tokens[] = {MODEL_TOKEN, MODEL_TOKEN, MODEL_TOKEN, MODEL_TOKEN, "{no}", 0, ""};
  const char *names[] = {"a", "a", "b", "b", "", 0,
                         "a very long name that goes on and on beyond sixty-four characters, and on"};
  const fmi2CallbackFunctions *functions[] = {&callbacks, &callbacks, &callbacks, &silent, 0};
  return fmi2Instantiate(names[pick(7)], (fmi2Type)pick(2), tokens[pick(7)], 0, functions[pick(5)], 0,
                         (int)pick(2));
}

int main(int count, char **words) {
  fmi2Component model[4] = {0};
  fmi2FMUstate state[4] = {0};
  fmi2Component owner[4] = {0};
  char bytes[sizeof(State) + 256];
  long fine = 0;
  (void)owner;
  seed = count > 1 ? (uint64_t)atoll(words[1]) : 1;
  for (long call = 0; call < (count > 2 ? atol(words[2]) : 100000); call++) {
    fmi2Component *c = model + pick(4), m = pick(50) ? *c : 0;
    fmi2FMUstate *s = state + pick(4);
    fmi2EventInfo info;
    fmi2Boolean b1, b2;
    fmi2Status status = fmi2OK;
    size_t n = fill(), size = 0;
    const unsigned *refs = pick(30) ? vr : 0;
    if (!*c) { *c = make(); continue; }
    switch (pick(43)) {
      case 0: if (!pick(20)) fmi2FreeInstance(*c), *c = 0; break;
      case 1: status = fmi2SetupExperiment(m, 0, 0, number(), 0, 0); break;
      case 2: case 3: status = fmi2EnterInitializationMode(m); break;
      case 4: case 5: status = fmi2ExitInitializationMode(m); break;
      case 6: if (!pick(10)) status = fmi2Terminate(m); break;
      case 7: if (!pick(5)) status = fmi2Reset(m); break;
      case 8: case 9: status = fmi2GetReal(m, refs, n, pick(30) ? real : 0); break;
      case 10: status = fmi2GetInteger(m, refs, n, whole); break;
      case 11: status = fmi2GetBoolean(m, refs, n, whole); break;
      case 12: status = fmi2GetString(m, refs, n, (fmi2String *)text); break;
      case 13: case 14: case 15: status = fmi2SetReal(m, refs, n, pick(30) ? real : 0); break;
      case 16: status = fmi2SetInteger(m, refs, n, whole); break;
      case 17: status = fmi2SetBoolean(m, refs, n, whole); break;
      case 18: status = fmi2SetString(m, refs, n, (fmi2String *)text); break;
      case 19: status = fmi2GetFMUstate(m, pick(30) ? s : 0); break;
      case 20: status = fmi2SetFMUstate(m, *s); break;
      case 21: status = fmi2FreeFMUstate(m, pick(30) ? s : 0); break;
      case 22: status = fmi2SerializedFMUstateSize(m, *s, pick(30) ? &size : 0); break;
      case 23: status = fmi2SerializeFMUstate(m, *s, bytes, pick(2) ? sizeof bytes : pick(50)); break;
      case 24: case 25:
        if (fmi2SerializedFMUstateSize(m, *s, &size) == fmi2OK &&
            fmi2SerializeFMUstate(m, *s, bytes, size) == fmi2OK) {
          if (!pick(4)) bytes[pick((unsigned)size)] ^= (char)(1 << pick(8));
          status = fmi2DeSerializeFMUstate(m, bytes, pick(5) ? size : pick(60), s);
        }
        break;
      case 26: status = fmi2GetDirectionalDerivative(m, refs, n, vr, pick(12), real, pick(20) ? real : 0); break;
      case 27: status = fmi2EnterEventMode(m); break;
      case 28: status = fmi2NewDiscreteStates(m, pick(20) ? &info : 0); break;
      case 29: case 30: status = fmi2EnterContinuousTimeMode(m); break;
      case 31: status = fmi2CompletedIntegratorStep(m, 0, &b1, pick(20) ? &b2 : 0); break;
      case 32: status = fmi2SetTime(m, number()); break;
      case 33: status = fmi2SetContinuousStates(m, pick(20) ? real : 0, pick(3) ? N_X : pick(MANY)); break;
      case 34: status = fmi2GetDerivatives(m, real, pick(3) ? N_X : pick(MANY)); break;
      case 35: status = fmi2GetContinuousStates(m, real, pick(3) ? N_X : pick(MANY)); break;
      case 36: status = fmi2GetEventIndicators(m, real, pick(2)); break;
      case 37: status = fmi2GetNominalsOfContinuousStates(m, real, pick(2) ? N_X : 3); break;
      case 38: case 39: case 40: {
        const double lengths[] = {1e-3, 2e-3, 1e-2, 0.0, -1.0, __builtin_nan(""), 1e300};
        status = fmi2DoStep(m, pick(9) && m ? ((Instance *)m)->now.value[0] : number(), lengths[pick(7)], 1);
        break;
      }
      case 41: status = fmi2SetDebugLogging(m, (int)pick(2), n, 0); break;
      default: {
        double value;
        int flag;
        fmi2GetRealStatus(m, (fmi2StatusKind)pick(4), pick(9) ? &value : 0);
        fmi2GetBooleanStatus(m, (fmi2StatusKind)pick(4), pick(9) ? &flag : 0);
        status = fmi2CancelStep(m);
      }
    }
    fine += status == fmi2OK;
  }
  for (int i = 0; i < 4; i++) free_state((State **)&state[i]), fmi2FreeInstance(model[i]);
  printf("%ld calls succeeded, %ld messages\n", fine, messages);
  return 0;
}
