#include "phone.h"

#include <Arduino.h>
#include <string.h>

#include "config.h"
#include "memory.h"
#include "phone_motion.h"
#include "program.h"

static constexpr uint16_t QUIET_MS = 50;
static constexpr uint16_t ALONE_MS = 60;         // silence around a byte that unlocks
static constexpr uint16_t APART_MS = 20;         // silence before a byte that moves, saves or runs
static constexpr uint8_t PRESSES = 4;            // of PAUSE that unlock
static constexpr uint16_t PRESS_GAP_MS = 3000;   // longest time between two of them
static constexpr uint16_t ERASE_MS = 10000;      // for those that follow RESET
static constexpr uint32_t LOCK_MS = 600000;      // of silence
static constexpr uint8_t MOST_DIGITS = 3;

enum Dialect : uint8_t { LOCKED, TEXT, BYTES };
enum Word : uint8_t { SAVE_WORD, RUN_WORD, PAUSE_WORD, RESET_WORD };
static const char *const WORDS[] = {"SAVE", "RUN", "PAUSE", "RESET"};
static constexpr uint8_t SAVE_BYTE = 12, RESET_BYTE = 13, RUN_BYTE = 14, PAUSE_BYTE = 15;

static Dialect dialect = LOCKED;
static uint32_t obeyed_ms; // when the unlocked dialect was last used
static uint8_t presses;    // of PAUSE in a row
static Dialect pressed_in; // the dialect of these
static uint32_t pressed_ms;
static bool pause_waits; // a byte PAUSE that has come alone so far
static bool erase_asked;
static uint32_t erase_asked_ms;

static char text[8]; // what has come of a text command
static uint8_t length;

static void set_dialect(Dialect next) {
  dialect = next;
  obeyed_ms = millis();
  digitalWrite(LED_BUILTIN, next != LOCKED);
}

void phone_begin() { pinMode(LED_BUILTIN, OUTPUT); }

// Something else than PAUSE came: it is not in a row any more, and no erasure is confirmed.
static void forget_presses() {
  presses = 0;
  pause_waits = false;
  erase_asked = false;
}

void phone_lock() {
  phone_let_go();
  forget_presses();
  length = 0;
  if (dialect != LOCKED) {
    set_dialect(LOCKED);
  }
}

// Counts a PAUSE; enough of them in a row unlock, or confirm an erasure that was asked for.
static void press_pause(Dialect from) {
  program_pause();
  const bool in_a_row = presses && pressed_in == from && millis() - pressed_ms < PRESS_GAP_MS;
  presses = in_a_row ? presses + 1 : 1;
  pressed_in = from;
  pressed_ms = millis();
  if (presses < PRESSES) {
    return;
  }
  presses = 0;
  if (erase_asked && dialect == from && millis() - erase_asked_ms < ERASE_MS) {
    program_erase();
  }
  erase_asked = false;
  set_dialect(from);
}

static void obey(Word word) {
  if (word == PAUSE_WORD) {
    return press_pause(TEXT);
  }
  forget_presses();
  if (word == SAVE_WORD) {
    program_save();
  } else if (word == RUN_WORD) {
    phone_run();
  } else if (word == RESET_WORD) {
    program_stop(STOPPED);
    erase_asked = true;
    erase_asked_ms = millis();
  }
}

static bool is_digit(uint8_t character) { return character >= '0' && character <= '9'; }

static bool separates(uint8_t character) {
  return character == ' ' || character == '\r' || character == '\n';
}

// Takes a character into the word PAUSE, the only one that is known to a locked board.
static void take_locked(uint8_t character) {
  const char *const word = WORDS[PAUSE_WORD];
  if (length == 0 && separates(character)) {
    presses = pressed_in == BYTES ? 0 : presses; // as a byte it is RESET, or of no button
    return;
  }
  length = character == word[length] ? length + 1 : character == word[0] ? 1 : 0;
  if (length == 0) {
    presses = 0;
  } else if (!word[length]) {
    length = 0;
    press_pause(TEXT);
  }
}

static void take_byte(uint8_t byte, uint16_t silence_ms) {
  if (byte >= 102 && byte <= 249) {
    phone_set_delay(byte / 10);
    return forget_presses();
  }
  if (byte < SAVE_BYTE || byte >= 16 + 2 * AXES) {
    return phone_lock();
  }
  if (byte != PAUSE_BYTE) {
    forget_presses();
  }
  if (silence_ms < APART_MS) {
    return;
  }
  switch (byte) {
  case SAVE_BYTE: return obey(SAVE_WORD);
  case RESET_BYTE: return obey(RESET_WORD);
  case RUN_BYTE: return obey(RUN_WORD);
  case PAUSE_BYTE: return program_pause(); // counted when it has been alone for a while
  default: phone_jog(byte - 16);
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
  forget_presses();
  if (text[1] == 's') {
    phone_set_delay(value);
  } else {
    phone_go_to(text[1] - '1', value);
  }
}

// Takes a character into a word; false if no word goes on like this.
static bool take_into_word(uint8_t character) {
  text[length] = character;
  for (uint8_t word = 0; word < sizeof WORDS / sizeof *WORDS; ++word) {
    if (strncmp(text, WORDS[word], length + 1) == 0) {
      ++length;
      if (length == strlen(WORDS[word])) {
        length = 0;
        obey((Word)word);
      }
      return true;
    }
  }
  return false;
}

static void take_text(uint8_t character) {
  const bool in_number = length && text[0] == 's';
  const bool is_axis = character == 's' || (character >= '1' && character < '1' + AXES);
  if (in_number && (length == 1 ? is_axis : is_digit(character))) {
    text[length++] = character;
    if (length == 2 + MOST_DIGITS) {
      carry_out_number();
    }
    return;
  }
  if (in_number && length == 1) {
    return phone_lock();
  }
  if (in_number) {
    carry_out_number(); // this character ends it and begins the next command
  }
  if (length == 0 && character == 's') {
    text[length++] = 's';
  } else if (!(length == 0 && separates(character)) && !take_into_word(character)) {
    phone_lock();
  }
}

void phone_take(uint8_t character, uint16_t silence_ms) {
  if (!(memory_config().flags & PHONE_ALLOWED)) {
    return phone_lock();
  }
  phone_let_go();
  if (character == 0 && dialect != TEXT) {
    return; // a button let go: apps send it after any byte
  }
  pause_waits = character == PAUSE_BYTE && dialect != TEXT && silence_ms >= ALONE_MS;
  if (dialect == BYTES) {
    obeyed_ms = millis();
    take_byte(character, silence_ms);
  } else if (dialect == TEXT) {
    obeyed_ms = millis();
    take_text(character);
  } else if (!pause_waits) {
    take_locked(character);
  }
}

void phone_idle(uint16_t silence_ms) {
  phone_watch_jog();
  if (dialect != LOCKED && millis() - obeyed_ms > LOCK_MS) {
    phone_lock();
  }
  if (pause_waits && silence_ms >= ALONE_MS) {
    pause_waits = false;
    press_pause(BYTES);
  }
  if (length && silence_ms > QUIET_MS) {
    if (dialect == TEXT && text[0] == 's' && length > 1) {
      carry_out_number();
    }
    length = 0;
  }
}
