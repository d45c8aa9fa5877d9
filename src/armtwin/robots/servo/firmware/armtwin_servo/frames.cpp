#include "frames.h"

#include <Arduino.h>

#include "memory.h"

static constexpr uint8_t HEAD = 2, CHECK = 2;
static constexpr uint16_t QUIET_MS = 50;

enum Place : uint8_t { OUTSIDE, INSIDE, SKIPPING };

static Place place = OUTSIDE;
static uint8_t incoming[MOST_BYTES];
static uint8_t halves; // characters of the frame so far
static uint16_t bad;

static uint8_t outgoing[MOST_BYTES];
static uint8_t out_bytes, out_at; // out_at counts characters: START, two per byte, END
static bool answered;
static uint16_t answered_check; // of the frame answered last
static uint8_t answered_number;

uint16_t frames_bad() { return bad; }

bool frames_sending() { return out_at < 2 * out_bytes + 2 && out_bytes; }

static void drop(Place next) {
  if (bad < 0xFFFF) {
    ++bad;
  }
  place = next;
}

static void send(uint8_t size) {
  const uint16_t check = crc16(0xFFFF, outgoing, HEAD + size);
  outgoing[HEAD + size] = check & 0xFF;
  outgoing[HEAD + size + 1] = check >> 8;
  out_bytes = HEAD + size + CHECK;
  out_at = 0;
}

static void answer() {
  const uint8_t size = halves / 2;
  place = OUTSIDE;
  if (halves % 2 || size < HEAD + CHECK) {
    return drop(OUTSIDE);
  }
  const uint16_t check = crc16(0xFFFF, incoming, size - CHECK);
  if (incoming[size - 2] != (check & 0xFF) || incoming[size - 1] != check >> 8) {
    return drop(OUTSIDE);
  }
  const bool again = answered && answered_number == incoming[0] && answered_check == check;
  if (again && incoming[1] != HELLO) {
    out_at = 0; // the answer was lost: the same again, without doing it again
    command_answer(0, nullptr, 0, nullptr);
    return;
  }
  answered = true;
  answered_number = outgoing[0] = incoming[0];
  answered_check = check;
  outgoing[1] = incoming[1] | REPLY;
  send(command_answer(incoming[1], incoming + HEAD, size - HEAD - CHECK, outgoing + HEAD));
}

static void take_inside(uint8_t character) {
  if (character == FRAME_END) {
    answer();
  } else if ((character & 0xF0) != 0x20 || halves >= 2 * MOST_BYTES) {
    drop(SKIPPING);
  } else {
    const uint8_t half = character & 0x0F;
    uint8_t &byte = incoming[halves / 2];
    byte = halves % 2 ? byte | half : half << 4;
    ++halves;
  }
}

bool frames_take(uint8_t character) {
  if (character == FRAME_START) {
    if (place == INSIDE) {
      drop(INSIDE);
    }
    place = INSIDE;
    halves = 0;
    return true;
  }
  if (place == INSIDE) {
    take_inside(character);
    return true;
  }
  if (place == SKIPPING) {
    place = character == FRAME_END ? OUTSIDE : SKIPPING;
    return true;
  }
  return false;
}

void frames_idle(uint16_t silence_ms) {
  if (silence_ms > QUIET_MS && place != OUTSIDE) {
    if (place == INSIDE) {
      drop(OUTSIDE);
    }
    place = OUTSIDE;
  }
}

static uint8_t character_at(uint8_t n) {
  if (n == 0) {
    return FRAME_START;
  }
  if (n > 2 * out_bytes) {
    return FRAME_END;
  }
  const uint8_t byte = outgoing[(n - 1) / 2];
  return 0x20 | (n % 2 ? byte >> 4 : byte & 0x0F);
}

void frames_send_some() {
  while (frames_sending() && Serial.availableForWrite() > 0) {
    Serial.write(character_at(out_at++));
  }
}
