// The true firmware, compiled for this machine, under random bytes.
//
// noise FIRST_SEED LAST_SEED SECONDS STATE PATTERN
//   STATE: "limp" (as after power-up) or "holding" (switched on, at rest)
//   PATTERN: "steady" (the line is full) or "bursts" (1 to 20 bytes, 0 to 300 ms apart)
// Prints for each seed: axes switched on, ticks moved, saved positions, bytes fed.
#include <Arduino.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <deque>
#include <random>

#include "armtwin_servo.ino"

NativeSerial Serial;
static uint32_t now_ms;
static bool frame_is_over;
static uint8_t switched;
static std::deque<uint8_t> line;

uint32_t millis() { return now_ms; }
int NativeSerial::available() { return line.size(); }
int NativeSerial::read() {
  const uint8_t byte = line.front();
  line.pop_front();
  return byte;
}
void pulses_begin() {}
void pulses_set(uint8_t, uint16_t) {}
void pulses_switch(uint8_t axes) { switched = axes; }
uint8_t pulses_on() { return switched; }
bool pulses_frame_over() {
  const bool over = frame_is_over;
  frame_is_over = false;
  return over;
}

static void pass_ms() {
  frame_is_over = ++now_ms % FRAME_MS == 0;
  loop();
}

static void prepare(bool holding) {
  now_ms = 5000;
  setup();
  for (uint8_t n = 0; n < 3; ++n) {
    program_save();
  }
  if (holding) {
    const uint16_t goal[AXES] = {2000, 2500, 3000, 3500, 4000, 2222};
    motion_path(goal, 0, 100);
  }
  for (int ms = 0; ms < 5000; ++ms) {
    pass_ms();
  }
}

static uint16_t moved(const uint16_t *from) {
  uint16_t most = 0;
  for (uint8_t axis = 0; axis < AXES; ++axis) {
    const uint16_t way = abs(motion_at(axis) - from[axis]);
    most = way > most ? way : most;
  }
  return most;
}

static void disturb(unsigned seed, double seconds, bool steady) {
  std::mt19937 random(seed);
  uint16_t from[AXES], farthest = 0;
  uint8_t on = switched;
  for (uint8_t axis = 0; axis < AXES; ++axis) {
    from[axis] = motion_at(axis);
  }
  double credit = 0;
  unsigned left = 0, silence = 0, fed = 0;
  for (uint32_t ms = 0; ms < 1000 * seconds; ++ms) {
    if (!steady && !left && !silence--) {
      left = 1 + random() % 20;
      silence = random() % 300;
    }
    credit = steady || left ? credit + 0.96 : 0.96;
    for (; credit >= 1 && (steady || left); --credit) {
      line.push_back(random());
      left -= !steady;
      ++fed;
    }
    pass_ms();
    on |= switched;
    farthest = moved(from) > farthest ? moved(from) : farthest;
  }
  printf("%u %u %u %u %u\n", seed, on, farthest, memory_steps(), fed);
}

int main(int count, char **words) {
  if (count != 6) {
    return 2;
  }
  const bool holding = !strcmp(words[4], "holding"), steady = !strcmp(words[5], "steady");
  for (unsigned seed = atoi(words[1]); seed <= (unsigned)atoi(words[2]); ++seed) {
    fflush(stdout);
    if (fork() == 0) { // a fresh board for every seed
      prepare(holding);
      disturb(seed, atof(words[3]), steady);
      return 0;
    }
    int status;
    wait(&status);
    if (status) {
      return 1;
    }
  }
  return 0;
}
