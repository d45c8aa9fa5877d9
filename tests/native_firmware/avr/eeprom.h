// An EEPROM of 1 kB, erased at first.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

inline uint8_t *eeprom() {
  static uint8_t bytes[1024];
  static bool erased = false;
  if (!erased) {
    memset(bytes, 0xFF, sizeof bytes);
    erased = true;
  }
  return bytes;
}
inline bool eeprom_is_ready() { return true; }
inline uint8_t eeprom_read_byte(const uint8_t *place) { return eeprom()[(uintptr_t)place]; }
inline void eeprom_write_byte(uint8_t *place, uint8_t value) { eeprom()[(uintptr_t)place] = value; }
inline void eeprom_read_block(void *to, const void *place, size_t size) {
  memcpy(to, eeprom() + (uintptr_t)place, size);
}
