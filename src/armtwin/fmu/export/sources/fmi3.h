/* The types of FMI 3.0 (fmi-standard.org).

   The standard's own fmi3Functions.h may stand in for this file: include it ahead of fmi3.c
   (cc -include fmi3Functions.h), for instance to give the functions a prefix. */
#ifndef fmi3Functions_h
#define fmi3Functions_h
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#define fmi3True true
#define fmi3False false
#if defined(_WIN32)
#define FMI3_Export __declspec(dllexport)
#else
#define FMI3_Export __attribute__((visibility("default")))
#endif

typedef void *fmi3Instance;
typedef void *fmi3InstanceEnvironment;
typedef void *fmi3FMUState;
typedef uint32_t fmi3ValueReference;
typedef float fmi3Float32;
typedef double fmi3Float64;
typedef int8_t fmi3Int8;
typedef uint8_t fmi3UInt8;
typedef int16_t fmi3Int16;
typedef uint16_t fmi3UInt16;
typedef int32_t fmi3Int32;
typedef uint32_t fmi3UInt32;
typedef int64_t fmi3Int64;
typedef uint64_t fmi3UInt64;
typedef bool fmi3Boolean;
typedef char fmi3Char;
typedef const fmi3Char *fmi3String;
typedef uint8_t fmi3Byte;
typedef const fmi3Byte *fmi3Binary;
typedef bool fmi3Clock;

typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;
typedef enum {
  fmi3Independent, fmi3Constant, fmi3Fixed, fmi3Tunable, fmi3Discrete, fmi3Dependent
} fmi3DependencyKind;
typedef enum {
  fmi3IntervalNotYetKnown, fmi3IntervalUnchanged, fmi3IntervalChanged
} fmi3IntervalQualifier;

typedef void (*fmi3LogMessageCallback)(fmi3InstanceEnvironment, fmi3Status, fmi3String category,
                                       fmi3String message);
typedef void (*fmi3ClockUpdateCallback)(fmi3InstanceEnvironment);
typedef void (*fmi3IntermediateUpdateCallback)(fmi3InstanceEnvironment, fmi3Float64 time,
                                               fmi3Boolean set, fmi3Boolean get,
                                               fmi3Boolean finished, fmi3Boolean can_return,
                                               fmi3Boolean *returns, fmi3Float64 *at);
typedef void (*fmi3LockPreemptionCallback)();
typedef void (*fmi3UnlockPreemptionCallback)();
#endif
