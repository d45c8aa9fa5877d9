// The saved positions as a program: run, pause, stop; and why the arm last came to rest.
#pragma once

#include <stdint.h>

enum Mode : uint8_t { HOLDING, MOVING, FOLLOWING, RUNNING, PAUSED };
enum Reason : uint8_t { NO_REASON, ARRIVED, STOPPED, WATCHDOG, PHONE };

void program_run(uint8_t rounds, uint8_t percent, bool watched); // rounds 0: for ever
void program_pause();
void program_stop(Reason reason); // whatever moves, stops now
void program_erase();
bool program_save(); // appends where the arm is; false when the memory is full
void program_frame(); // call once a frame

void program_watch(bool watched); // whether the motion now started needs the host's presence
void program_check_host(uint16_t silence_ms);

Mode program_mode();
Reason program_reason();
uint8_t program_step();
