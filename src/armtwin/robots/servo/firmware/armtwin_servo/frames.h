// Frames of the serial line: START, each byte as two characters 0x20..0x2F (high half first),
// END. The bytes are: number, command, payload, CRC-16 of all before it (low byte first).
//
// No character of a frame means anything to a phone dialect, so a frame of which a part is lost
// cannot turn into a phone's command.
#pragma once

#include <stdint.h>

constexpr uint8_t FRAME_START = 0xFA, FRAME_END = 0xFB;
constexpr uint8_t MOST_BYTES = 32; // of a frame, before each becomes two characters

// Takes a received character. Returns true if it belongs to a frame, false if it is free.
bool frames_take(uint8_t character);
void frames_idle(uint16_t silence_ms); // forgets half a frame when the line went quiet
void frames_send_some();               // call often; never waits
uint16_t frames_bad();                 // frames dropped since the start
bool frames_sending();

// Implemented in commands.cpp: answers a frame. `size` bytes of payload in, returns those out.
uint8_t command_answer(uint8_t command, const uint8_t *payload, uint8_t size, uint8_t *reply);
constexpr uint8_t REPLY = 0x80; // added to the command in its answer
constexpr uint8_t HELLO = 0x01; // always answered anew
