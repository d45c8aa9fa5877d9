// What a host may ask in a frame, and who owns the line.
#pragma once

#include <stdint.h>

enum Command : uint8_t {
  // HELLO = 1 (frames.h): -> result, version, axes, most steps
  STATUS = 2,  // -> result, mode, reason, flags, steps, step, config CRC, bad frames, positions
  MOVE = 3,    // 6 positions (0: stay), least time [ms] -> result, time [ms]
  JOG = 4,     // axis, speed [ticks/s] (signed) -> result
  STOP = 5,    // -> result
  RUN = 6,     // rounds (0: for ever), percent of the top speeds, 1 if the host may leave
  PAUSE = 7,   // -> result
  SAVE = 8,    // -> result, steps
  ERASE = 9,   // stops and forgets the saved positions -> result
  AXIS = 10,   // axis, AxisConfig -> result
  GENERAL = 11, // watchdog [ms], flags -> result
  STEP = 12,   // index -> result, 6 positions
  RELAX = 13   // no more pulses -> result
};

enum Result : uint8_t { OK, UNKNOWN, BAD_SIZE, BEYOND_LIMIT, BUSY, FULL, EMPTY, BAD_VALUE };

enum Flag : uint8_t { SWITCHED_ON = 1, WRITING = 2, PHONES = 4, DEFAULT_CONFIG = 8 };

constexpr uint8_t VERSION = 1;

void commands_watch();      // call often: stops host-driven motion when the host fell silent
bool commands_host_owns();  // a host spoke within the last seconds: phones are not heard
