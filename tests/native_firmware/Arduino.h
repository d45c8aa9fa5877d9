// The part of the Arduino core that the firmware uses, on this machine.
#pragma once

#include <stdint.h>

constexpr uint8_t OUTPUT = 1, LED_BUILTIN = 13;
uint32_t millis();
inline void pinMode(uint8_t, uint8_t) {}
inline void digitalWrite(uint8_t, uint8_t) {}

struct NativeSerial {
  void begin(long) {}
  int available();
  int read();
  int availableForWrite() { return 63; }
  void write(uint8_t) {}
};
extern NativeSerial Serial;
