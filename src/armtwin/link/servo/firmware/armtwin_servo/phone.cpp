#include "phone.h"

#include <Arduino.h>
#include <string.h>

#include "config.h"
#include "memory.h"
#include "motion.h"
#include "program.h"

static constexpr uint16_t QUIET_MS = 50;
static constexpr uint16_t LONGEST_JOG_MS = 5000; // a phone out of reach cannot say "let go"
static constexpr uint8_t MOST_DIGITS = 3;
static const char *const WORDS[] = {"SAVE", "RUN", "PAUSE", "RESET"};

// Bytes 16..27: the sign of the apps' buttons, in pairs per axis.
static const int8_t JOG_SIGNS[2 * AXES] = {1, -1, -1, 1, 1, -1, -1, 1, -1, 1, 1, -1};

static uint8_t ms_per_degree = 20;
static char text[8]; // what has come of a text command
static uint8_t length;
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

static void set_delay(uint16_t ms) { ms_per_degree = ms < 1 ? 1 : ms > 250 ? 250 : ms; }

static void by_hand() {
  program_pause(); // who touches a slider takes over
  program_watch(false);
}

static void go_to(uint8_t axis, uint16_t degrees) {
  by_hand();
  const uint16_t within = degrees > 180 ? 180 : degrees;
  const int32_t goal = memory_config().axes[axis].at_zero + half_turn(axis) * within / 180;
  motion_follow(axis, goal < 0 ? 0 : goal, speed_of(axis));
}

static void jog(uint8_t button) {
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

static void run() {
  if (memory_steps()) {
    program_run(0, percent(), false);
  }
}

static void carry_out_word(uint8_t word) {
  switch (word) {
  case 0: program_save(); break;
  case 1: run(); break;
  case 2: program_pause(); break;
  default: program_erase(); break;
  }
}

static void carry_out_byte(uint8_t byte) {
  if (byte >= 12 && byte <= 15) {
    static const uint8_t words[] = {0, 3, 1, 2};
    carry_out_word(words[byte - 12]);
  } else if (byte >= 16 && byte < 16 + 2 * AXES) {
    jog(byte - 16);
  } else if (byte >= 102 && byte <= 249) {
    set_delay(byte / 10);
  }
}

static void carry_out_number() {
  const uint8_t digits = length - 2;
  length = 0;
  if (digits == 0) {
    return;
  }
  uint16_t value = 0;
  for (uint8_t n = 0; n < digits; ++n) {
    value = 10 * value + (text[2 + n] - '0');
  }
  if (text[1] == 's') {
    set_delay(value);
  } else {
    go_to(text[1] - '1', value);
  }
}

static bool is_digit(uint8_t character) { return character >= '0' && character <= '9'; }

// Takes a character into the number that started with 's'; false if it cannot belong there.
static bool take_into_number(uint8_t character) {
  if (length == 1) {
    const bool fits = character == 's' || (character >= '1' && character <= '0' + AXES);
    if (!fits && !is_digit(character)) {
      carry_out_byte('s'); // was the byte 115, a speed
    }
    length = fits ? length : 0;
    if (!fits) {
      return is_digit(character);
    }
  } else if (!is_digit(character)) {
    if (length == 2 && text[1] == 's') {
      carry_out_byte('s');
    }
    carry_out_number();
    return false;
  }
  text[length++] = character;
  if (length == 2 + MOST_DIGITS) {
    carry_out_number();
  }
  return true;
}

// Takes a character into a word; false if no word goes on like this.
static bool take_into_word(uint8_t character) {
  text[length] = character;
  for (uint8_t word = 0; word < sizeof WORDS / sizeof *WORDS; ++word) {
    if (strncmp(text, WORDS[word], length + 1) == 0) {
      ++length;
      if (length == strlen(WORDS[word])) {
        length = 0;
        carry_out_word(word);
      }
      return true;
    }
  }
  length = 0;
  return false;
}

void phone_take(uint8_t character) {
  if (!(memory_config().flags & PHONE_ALLOWED)) {
    length = 0;
    return;
  }
  phone_let_go();
  if (length && (text[0] == 's' ? take_into_number(character) : take_into_word(character))) {
    return;
  }
  if (character == 's') {
    text[length++] = 's';
  } else if (!take_into_word(character)) {
    carry_out_byte(character);
  }
}

void phone_idle(uint16_t silence_ms) {
  if (jogging && (!motion_following() || millis() - jog_started_ms > LONGEST_JOG_MS)) {
    phone_let_go();
  }
  if (silence_ms <= QUIET_MS || length == 0) {
    return;
  }
  if (text[0] != 's') {
    length = 0;
  } else if (length == 1 || (length == 2 && text[1] == 's')) {
    length = 0;
    carry_out_byte('s');
  } else {
    carry_out_number();
  }
}
