#include "program.h"

#include "memory.h"
#include "motion.h"

static Mode program = HOLDING; // HOLDING, RUNNING or PAUSED
static Reason reason = NO_REASON;
static uint8_t step, rounds_left, percent;
static bool endless, is_watched, was_busy;

static void go_to_step() { motion_path(memory_step(step), 0, percent); }

void program_run(uint8_t rounds, uint8_t speed, bool watched) {
  is_watched = watched;
  percent = speed;
  if (program != PAUSED || step >= memory_steps()) {
    step = 0;
    endless = rounds == 0;
    rounds_left = rounds;
  }
  program = RUNNING;
  go_to_step();
}

void program_pause() {
  if (program == RUNNING) {
    program = PAUSED;
    motion_hold();
  }
}

void program_stop(Reason why) {
  motion_hold();
  program = HOLDING;
  was_busy = false;
  reason = why;
}

void program_erase() {
  program_stop(STOPPED);
  memory_erase_steps();
}

bool program_save() {
  uint16_t position[AXES];
  for (uint8_t axis = 0; axis < AXES; ++axis) {
    position[axis] = motion_at(axis);
  }
  return memory_append(position);
}

void program_watch(bool watched) { is_watched = watched; }

void program_check_host(uint16_t silence_ms) {
  const bool at_risk = is_watched && (motion_busy() || program == RUNNING);
  if (at_risk && silence_ms > memory_config().watchdog_ms) {
    program_stop(WATCHDOG);
  }
}

void program_frame() {
  const bool busy = motion_busy();
  if (program == RUNNING && !busy) {
    if (++step >= memory_steps()) {
      step = 0;
      if (!endless && --rounds_left == 0) {
        program_stop(ARRIVED);
        return;
      }
    }
    go_to_step();
  } else if (was_busy && !busy) {
    reason = ARRIVED;
  }
  was_busy = motion_busy();
}

Mode program_mode() {
  if (program == RUNNING || (program == PAUSED && !motion_busy())) {
    return program;
  }
  return motion_following() ? FOLLOWING : motion_busy() ? MOVING : HOLDING;
}

Reason program_reason() { return reason; }

uint8_t program_step() { return step; }
