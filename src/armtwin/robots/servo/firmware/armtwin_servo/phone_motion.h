// What phones can move: one axis to an angle, one axis while a button is held, the program.
#pragma once

#include <stdint.h>

void phone_set_delay(uint16_t ms_per_degree); // of all motion that phones ask for
void phone_go_to(uint8_t axis, uint16_t degrees);
void phone_jog(uint8_t button);  // 0..11, in pairs per axis
void phone_let_go();             // ends a jog
void phone_watch_jog();          // call often: ends a jog that lasts too long
void phone_run();                // the saved positions, if there are any
