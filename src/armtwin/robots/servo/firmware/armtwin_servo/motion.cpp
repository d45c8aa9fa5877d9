#include "motion.h"

#include "memory.h"
#include "pulses.h"

static constexpr uint8_t FINE = 16;          // positions are kept in sixteenths of a tick
static constexpr uint8_t SWITCH_FRAMES = 4;  // axes are switched on 80 ms apart: less current
static constexpr uint8_t RAMP_FRAMES = 5;    // following reaches its speed in 100 ms
static constexpr uint8_t ALL = (1 << AXES) - 1;
static constexpr uint32_t ONE = 65536;       // 1.0 in a path's fixed point

struct Axis {
  int32_t at, goal; // fine
  int32_t from;     // fine: where the path started
  int16_t speed, limit, ramp; // fine per frame
  bool following;
};

static Axis axes[AXES];
static uint16_t path_frames, path_frame; // path_frames 0: no path
static bool wanted;                      // somebody wants the arm to be switched on
static uint8_t switch_wait;

static void show(uint8_t axis) { pulses_set(axis, motion_at(axis)); }

uint16_t motion_at(uint8_t axis) { return (axes[axis].at + FINE / 2) / FINE; }

uint16_t motion_within(uint8_t axis, uint16_t ticks) {
  const AxisConfig &limits = memory_config().axes[axis];
  return ticks < limits.low ? limits.low : ticks > limits.high ? limits.high : ticks;
}

void motion_begin() {
  for (uint8_t n = 0; n < AXES; ++n) {
    axes[n].at = axes[n].goal = (int32_t)memory_config().axes[n].home * FINE;
    axes[n].following = false;
    show(n);
  }
  path_frames = 0;
}

bool motion_following() {
  for (const Axis &axis : axes) {
    if (axis.following) {
      return true;
    }
  }
  return false;
}

bool motion_busy() { return path_frames || motion_following(); }

void motion_hold() {
  path_frames = 0;
  for (Axis &axis : axes) {
    axis.goal = axis.at;
    axis.speed = 0;
    axis.following = false;
  }
}

void motion_relax() {
  motion_hold();
  wanted = false;
  pulses_switch(0);
}

// 10 u^3 - 15 u^4 + 6 u^5 at u = frame / frames: rest, speed and acceleration are smooth at
// both ends; its greatest slope is 15/8.
static uint32_t blend(uint16_t frame, uint16_t frames) {
  const uint32_t u = ((uint32_t)frame * ONE + frames / 2) / frames; // below ONE: it never arrives
  const uint32_t u2 = (u * u + ONE / 2) / ONE, u3 = (u2 * u + ONE / 2) / ONE;
  return (uint64_t)u3 * (10 * ONE - 15 * u + 6 * u2) / ONE;
}

static int32_t between(int32_t from, int32_t goal, uint32_t share) {
  const uint32_t way = goal > from ? goal - from : from - goal; // at most 64000
  const int32_t part = (way * share + ONE / 2) / ONE;
  return goal > from ? from + part : from - part;
}

uint16_t motion_path(const uint16_t goal[AXES], uint16_t least, uint8_t percent) {
  motion_hold();
  wanted = true;
  uint32_t frames = least;
  for (uint8_t n = 0; n < AXES; ++n) {
    Axis &axis = axes[n];
    axis.from = axis.at;
    axis.goal = (int32_t)motion_within(n, goal[n]) * FINE;
    const uint32_t way = axis.goal > axis.at ? axis.goal - axis.at : axis.at - axis.goal;
    // 15/8 way / time <= percent/100 speed, with the time in frames
    const uint32_t speed = (uint32_t)memory_config().axes[n].speed * percent * FINE;
    const uint32_t own = (way * (15UL * 100 * FRAMES_PER_SECOND / 8) + speed - 1) / speed;
    frames = own > frames ? own : frames;
  }
  path_frame = 0;
  path_frames = frames < 1 ? 1 : frames > 60000 ? 60000 : frames;
  return path_frames;
}

void motion_follow(uint8_t n, uint16_t goal, uint16_t speed) {
  if (path_frames) {
    motion_hold();
  }
  wanted = true;
  Axis &axis = axes[n];
  const uint16_t top = memory_config().axes[n].speed;
  axis.goal = (int32_t)motion_within(n, goal) * FINE;
  const uint32_t fine = (uint32_t)(speed < top ? speed : top) * FINE / FRAMES_PER_SECOND;
  axis.limit = fine < 1 ? 1 : fine;
  axis.ramp = axis.limit < RAMP_FRAMES ? 1 : axis.limit / RAMP_FRAMES;
  axis.following = true;
}

// Way of an axis that brakes from speed w: w + (w - ramp) + (w - 2 ramp) + ...
static int32_t braking(int32_t w, int32_t ramp) { return w * (w + ramp) / (2 * ramp); }

void motion_brake() {
  for (Axis &axis : axes) {
    if (axis.following) {
      const int32_t pace = axis.speed < 0 ? -axis.speed : axis.speed;
      const int32_t way = pace > axis.ramp ? braking(pace - axis.ramp, axis.ramp) : 0;
      const int32_t room = axis.goal > axis.at ? axis.goal - axis.at : axis.at - axis.goal;
      const int32_t rest = way < room ? way : room;
      axis.goal = axis.at + (axis.speed < 0 ? -rest : rest);
    }
  }
}

// The speed of the next frame towards a goal `way` ahead, from speed `u` towards it.
static int32_t next_speed(int32_t u, int32_t way, int32_t limit, int32_t ramp) {
  if (u < 0) {
    return u + ramp < 0 ? u + ramp : 0; // still going the other way
  }
  int32_t w = u + ramp < limit ? u + ramp : limit;
  if (braking(w, ramp) > way) {
    w = braking(u, ramp) > way ? u - ramp : u;
  }
  w = w < ramp ? ramp : w;
  return w < way ? w : way;
}

// An axis on its way out stops at its limit, whatever its speed was.
static int32_t not_out(uint8_t n, int32_t from, int32_t to) {
  const int32_t low = (int32_t)memory_config().axes[n].low * FINE;
  const int32_t high = (int32_t)memory_config().axes[n].high * FINE;
  if (to > from && to > high) {
    return from > high ? from : high;
  }
  return to < from && to < low ? (from < low ? from : low) : to;
}

static void follow(uint8_t n) {
  Axis &axis = axes[n];
  const int32_t ahead = axis.goal - axis.at;
  const int8_t sign = ahead < 0 ? -1 : 1;
  axis.speed = sign * next_speed(sign * axis.speed, sign * ahead, axis.limit, axis.ramp);
  const int32_t to = not_out(n, axis.at, axis.at + axis.speed);
  axis.speed = to - axis.at;
  axis.at = to;
  if (axis.at == axis.goal) {
    axis.speed = 0;
    axis.following = false;
  }
}

// Switches the axes on one after the other; returns whether all are on.
static bool switch_on() {
  const uint8_t on = pulses_on();
  if (on == ALL && !switch_wait) {
    return true;
  }
  if (!switch_wait) {
    pulses_switch(on << 1 | 1);
    switch_wait = SWITCH_FRAMES;
  }
  --switch_wait;
  return false;
}

void motion_frame() {
  if (!wanted || !switch_on()) {
    return;
  }
  const bool arrived = path_frames && ++path_frame >= path_frames;
  const uint32_t share = path_frames && !arrived ? blend(path_frame, path_frames) : 0;
  for (uint8_t n = 0; n < AXES; ++n) {
    Axis &axis = axes[n];
    if (arrived) {
      axis.at = axis.goal;
    } else if (path_frames) {
      axis.at = between(axis.from, axis.goal, share);
    } else if (axis.following) {
      follow(n);
    }
    show(n);
  }
  if (arrived) {
    path_frames = 0;
  }
}
