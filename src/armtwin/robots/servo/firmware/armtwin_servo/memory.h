// What outlives a power cut: the configuration and the saved positions.
//
// The truth is in RAM; a writer brings the EEPROM up to date in the background, one byte at a
// time. Every saved position carries its own checksum, written last, so a cut while one is being
// written loses that one only.
#pragma once

#include <stdint.h>

#include "config.h"

void memory_begin();
void memory_write_some(); // call often; never waits
bool memory_writing();

const Config &memory_config();
bool memory_config_is_default(); // nothing valid was found at the start, nor set since
uint16_t memory_config_check();  // its CRC-16
void memory_set_axis(uint8_t axis, const AxisConfig &values);
void memory_set_general(uint16_t watchdog_ms, uint8_t flags);

uint8_t memory_steps();
const uint16_t *memory_step(uint8_t index);
bool memory_append(const uint16_t position[AXES]); // false when full
void memory_erase_steps();

uint16_t crc16(uint16_t crc, const void *data, uint8_t size); // CCITT, starts with 0xFFFF
