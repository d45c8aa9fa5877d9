#include "phone_motion.h"

#include <Arduino.h>

#include "config.h"
#include "memory.h"
#include "motion.h"
#include "program.h"

static constexpr uint16_t LONGEST_JOG_MS = 5000; // a phone out of reach cannot say "let go"
// Bytes 16..27: the sign of the apps' buttons, in pairs per axis.
static const int8_t JOG_SIGNS[2 * AXES] = {1, -1, -1, 1, 1, -1, -1, 1, -1, 1, 1, -1};

static uint8_t ms_per_degree = 20;
static bool jogging;
static uint32_t jog_started_ms;

static int32_t half_turn(uint8_t axis) {
  const AxisConfig &config = memory_config().axes[axis];
  return (int32_t)config.at_half_turn - config.at_zero;
}

static uint16_t speed_of(uint8_t axis) {
  const int32_t way = half_turn(axis) < 0 ? -half_turn(axis) : half_turn(axis);
  const uint32_t speed = way * 1000 / 180 / ms_per_degree;
  return speed > 0xFFFF ? 0xFFFF : speed;
}

// The share of the top speeds at which no axis is faster than the phone asks.
static uint8_t percent() {
  uint32_t least = 100;
  for (uint8_t axis = 0; axis < AXES; ++axis) {
    const uint32_t share = 100UL * speed_of(axis) / memory_config().axes[axis].speed;
    least = share < least ? share : least;
  }
  return least < 1 ? 1 : least;
}

void phone_set_delay(uint16_t ms) { ms_per_degree = ms < 1 ? 1 : ms > 250 ? 250 : ms; }

static void by_hand() {
  program_pause(); // who touches a slider takes over
  program_watch(false);
}

void phone_go_to(uint8_t axis, uint16_t degrees) {
  by_hand();
  const uint16_t within = degrees > 180 ? 180 : degrees;
  const int32_t goal = memory_config().axes[axis].at_zero + half_turn(axis) * within / 180;
  motion_follow(axis, goal < 0 ? 0 : goal, speed_of(axis));
}

void phone_jog(uint8_t button) {
  by_hand();
  const bool up = (JOG_SIGNS[button] > 0) == (half_turn(button / 2) > 0);
  motion_follow(button / 2, up ? WIDEST : NARROWEST, speed_of(button / 2));
  jogging = true;
  jog_started_ms = millis();
}

void phone_let_go() {
  if (jogging) {
    jogging = false;
    motion_brake();
  }
}

void phone_watch_jog() {
  if (jogging && (!motion_following() || millis() - jog_started_ms > LONGEST_JOG_MS)) {
    phone_let_go();
  }
}

void phone_run() {
  if (memory_steps()) {
    program_run(0, percent(), false);
  }
}
