#include "commands.h"

#include <Arduino.h>

#include "frames.h"
#include "memory.h"
#include "motion.h"
#include "program.h"
#include "pulses.h"

static constexpr uint16_t OWNED_MS = 3000;

static uint32_t heard_ms;
static bool heard;

static uint16_t word_at(const uint8_t *bytes) { return bytes[0] | (uint16_t)bytes[1] << 8; }

static uint8_t *put(uint8_t *bytes, uint16_t word) {
  *bytes++ = word & 0xFF;
  *bytes++ = word >> 8;
  return bytes;
}

static uint16_t silence_ms() {
  const uint32_t silence = millis() - heard_ms;
  return silence > 0xFFFF ? 0xFFFF : silence;
}

bool commands_host_owns() { return heard && silence_ms() < OWNED_MS; }

void commands_watch() {
  const uint16_t silence = silence_ms();
  program_check_host(silence);
  if (silence > 0x8000) {
    heard = false;
    heard_ms = millis() - 0x8000; // keeps the difference from wrapping around
  }
}

static uint8_t *put_status(uint8_t *out) {
  *out++ = program_mode();
  *out++ = program_reason();
  *out++ = (pulses_on() ? SWITCHED_ON : 0) | (memory_writing() ? WRITING : 0) |
           (memory_config().flags & PHONE_ALLOWED ? PHONES : 0) |
           (memory_config_is_default() ? DEFAULT_CONFIG : 0);
  *out++ = memory_steps();
  *out++ = program_step();
  out = put(out, memory_config_check());
  out = put(out, frames_bad());
  for (uint8_t axis = 0; axis < AXES; ++axis) {
    out = put(out, motion_at(axis));
  }
  return out;
}

static Result move(const uint8_t *in, uint8_t *&out) {
  uint16_t goal[AXES];
  for (uint8_t axis = 0; axis < AXES; ++axis) {
    goal[axis] = word_at(in + 2 * axis);
    if (goal[axis] == 0) {
      goal[axis] = motion_at(axis);
    } else if (goal[axis] != motion_within(axis, goal[axis])) {
      return BEYOND_LIMIT;
    }
  }
  const uint16_t least = word_at(in + 2 * AXES) / FRAME_MS;
  program_stop(NO_REASON);
  program_watch(true);
  const uint32_t time = (uint32_t)motion_path(goal, least, 100) * FRAME_MS;
  out = put(out, time > 0xFFFF ? 0xFFFF : time);
  return OK;
}

static Result jog(const uint8_t *in) {
  const uint8_t axis = in[0];
  const int16_t speed = word_at(in + 1);
  if (axis >= AXES || speed == INT16_MIN) {
    return BAD_VALUE;
  }
  if (program_mode() == RUNNING || program_mode() == MOVING) {
    return BUSY;
  }
  program_watch(true);
  if (speed == 0) {
    motion_brake();
  } else {
    motion_follow(axis, speed > 0 ? WIDEST : NARROWEST, speed > 0 ? speed : -speed);
  }
  return OK;
}

static Result run(const uint8_t *in) {
  if (in[1] < 1 || in[1] > 100 || in[2] > 1) {
    return BAD_VALUE;
  }
  if (memory_steps() == 0) {
    return EMPTY;
  }
  program_run(in[0], in[1], in[2] == 0);
  return OK;
}

static Result set_axis(const uint8_t *in) {
  const AxisConfig values = {word_at(in + 1), word_at(in + 3), word_at(in + 5),
                             word_at(in + 7), word_at(in + 9), word_at(in + 11)};
  if (motion_busy()) {
    return BUSY;
  }
  if (in[0] >= AXES || !is_sound(values)) {
    return BAD_VALUE;
  }
  memory_set_axis(in[0], values);
  if (!pulses_on()) {
    motion_begin(); // the arm will be switched on at its new home
  }
  return OK;
}

static Result set_general(const uint8_t *in) {
  if (word_at(in) < 100) {
    return BAD_VALUE;
  }
  memory_set_general(word_at(in), in[2]);
  return OK;
}

static Result save(uint8_t *&out) {
  if (motion_busy()) {
    return BUSY;
  }
  const bool saved = program_save();
  *out++ = memory_steps();
  return saved ? OK : FULL;
}

static Result read_step(const uint8_t *in, uint8_t *&out) {
  if (in[0] >= memory_steps()) {
    return EMPTY;
  }
  for (uint8_t axis = 0; axis < AXES; ++axis) {
    out = put(out, memory_step(in[0])[axis]);
  }
  return OK;
}

static int8_t payload_size(uint8_t command) {
  switch (command) {
  case MOVE: return 2 * AXES + 2;
  case JOG: case RUN: case GENERAL: return 3;
  case AXIS: return 1 + sizeof(AxisConfig);
  case STEP: return 1;
  case HELLO: case STATUS: case STOP: case PAUSE: case SAVE: case ERASE: case RELAX: return 0;
  default: return -1;
  }
}

static Result carry_out(uint8_t command, const uint8_t *in, uint8_t *&out) {
  switch (command) {
  case HELLO: *out++ = VERSION; *out++ = AXES; *out++ = MOST_STEPS; return OK;
  case STATUS: out = put_status(out); return OK;
  case MOVE: return move(in, out);
  case JOG: return jog(in);
  case STOP: program_stop(STOPPED); return OK;
  case RUN: return run(in);
  case PAUSE: program_pause(); return OK;
  case SAVE: return save(out);
  case ERASE: program_erase(); return OK;
  case AXIS: return set_axis(in);
  case GENERAL: return set_general(in);
  case STEP: return read_step(in, out);
  case RELAX: program_stop(STOPPED); motion_relax(); return OK;
  default: return UNKNOWN;
  }
}

uint8_t command_answer(uint8_t command, const uint8_t *payload, uint8_t size, uint8_t *reply) {
  heard_ms = millis();
  heard = true;
  if (reply == nullptr) {
    return 0; // a repeated frame: the host is there, nothing else
  }
  uint8_t *out = reply + 1;
  const int8_t expected = payload_size(command);
  reply[0] = expected < 0 ? UNKNOWN
             : size != expected ? BAD_SIZE
                                : carry_out(command, payload, out);
  return out - reply;
}
