#pragma once

#include <stdint.h>

inline uint16_t _crc_xmodem_update(uint16_t crc, uint8_t data) {
  crc ^= (uint16_t)data << 8;
  for (uint8_t bit = 0; bit < 8; ++bit) {
    crc = crc & 0x8000 ? (uint16_t)(crc << 1 ^ 0x1021) : (uint16_t)(crc << 1);
  }
  return crc;
}
