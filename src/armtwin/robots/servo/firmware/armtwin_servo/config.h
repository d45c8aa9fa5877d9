// Numbers that describe the arm to the board. Positions are servo pulse widths in half
// microseconds ("ticks": 3000 is 1.5 ms); speeds are ticks per second.
#pragma once

#include <stdint.h>

constexpr uint8_t AXES = 6;          // five joints and the gripper: pins 5, 6, 7, 8, 9, 10
constexpr uint8_t MOST_STEPS = 50;   // saved positions
constexpr uint16_t NARROWEST = 1000; // 0.5 ms: no servo takes less
constexpr uint16_t WIDEST = 5000;    // 2.5 ms: six of them fit into one frame of 20 ms
constexpr uint8_t FRAME_MS = 20;
constexpr uint8_t FRAMES_PER_SECOND = 1000 / FRAME_MS;

constexpr uint8_t PHONE_ALLOWED = 1; // Config.flags: the phone dialects are listened to

struct AxisConfig {
  uint16_t low, high;   // limits of the position
  uint16_t at_zero;     // where a phone's 0 degrees lie
  uint16_t at_half_turn; // where its 180 degrees lie; below at_zero on an inverted mount
  uint16_t home;        // where the axis is switched on
  uint16_t speed;       // the fastest it is moved
};

struct Config {
  AxisConfig axes[AXES];
  uint16_t watchdog_ms; // silence of the host that stops the motion it asked for
  uint8_t flags;
};

// Whether the numbers of an axis can be driven at all.
inline bool is_sound(const AxisConfig &axis) {
  return NARROWEST <= axis.low && axis.low < axis.high && axis.high <= WIDEST &&
         axis.low <= axis.home && axis.home <= axis.high && axis.speed >= FRAMES_PER_SECOND &&
         axis.at_zero != axis.at_half_turn && axis.at_zero <= WIDEST &&
         axis.at_half_turn <= WIDEST;
}
