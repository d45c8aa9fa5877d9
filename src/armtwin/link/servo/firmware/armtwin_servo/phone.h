// The two dialects of phone apps for such arms, both at 9600 baud and without line ends.
//
// Text:  s1NNN ... s6NNN (degrees), ssNN (ms per degree), SAVE, RUN, PAUSE, RESET
// Bytes: 16..27 jog until another byte comes, 12 save, 13 reset, 14 run, 15 pause,
//        102..249 speed (a tenth of it: ms per degree), 0 end of a jog
#pragma once

#include <stdint.h>

void phone_take(uint8_t character);
void phone_idle(uint16_t silence_ms); // a number without end is complete when the line is quiet
void phone_let_go();                  // ends a jog
