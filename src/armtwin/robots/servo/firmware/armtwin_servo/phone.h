// The two dialects of phone apps for such arms, both at 9600 baud.
//
// Text:  s1NNN ... s6NNN (degrees), ssNN (ms per degree), SAVE, RUN, PAUSE, RESET
// Bytes: 16..27 jog until another byte comes, 12 save, 13 reset, 14 run, 15 pause,
//        102..249 speed (a tenth of it: ms per degree), 0 end of a jog
//
// Noise and serial monitors must not move the arm, so phones are locked out at first. Only PAUSE
// is obeyed then. Four PAUSE in a row unlock the dialect that they were sent in; as bytes each has
// to come alone, with silence before and after it. The first character that is foreign to the
// unlocked dialect locks again, and so do a frame of a computer and ten minutes of silence.
//
// RESET stops the program. It erases the saved positions only if four PAUSE follow it within ten
// seconds and nothing else comes in between.
#pragma once

#include <stdint.h>

void phone_begin();
void phone_take(uint8_t character, uint16_t silence_ms); // with the silence of the line before it
void phone_idle(uint16_t silence_ms); // call often: what is complete once the line is quiet
void phone_lock();                    // ends a jog; phones have to unlock anew
