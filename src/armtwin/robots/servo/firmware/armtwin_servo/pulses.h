// Servo pulses on pins 5 to 10, one after the other within a frame of 20 ms.
#pragma once

#include <stdint.h>

void pulses_begin();
void pulses_set(uint8_t axis, uint16_t ticks);
void pulses_switch(uint8_t axes); // bit n: axis n gets pulses; without them a servo is limp
uint8_t pulses_on();
bool pulses_frame_over(); // true once a frame, when its last pulse has ended
