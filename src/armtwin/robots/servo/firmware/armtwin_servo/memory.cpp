#include "memory.h"

#include <avr/eeprom.h>
#include <util/crc16.h>

static constexpr uint8_t MAGIC = 0xA6; // changes with the layout
static constexpr uint8_t BYTES_A_TIME = 32;

struct Step {
  uint16_t at[AXES];
  uint16_t check;
};

struct Image {
  uint8_t magic;
  uint8_t generation; // goes into every step's checksum: erasing is one byte
  Config config;
  uint16_t config_check;
  Step steps[MOST_STEPS];
};

static Image image;
static uint8_t steps;
static bool is_default;
static uint16_t cursor = sizeof(Image);

uint16_t crc16(uint16_t crc, const void *data, uint8_t size) {
  const uint8_t *bytes = static_cast<const uint8_t *>(data);
  while (size--) {
    crc = _crc_xmodem_update(crc, *bytes++);
  }
  return crc;
}

static uint16_t step_check(uint8_t index) {
  const uint8_t head[2] = {image.generation, index};
  return crc16(crc16(0xFFFF, head, sizeof head), image.steps[index].at, sizeof(Step::at));
}

uint16_t memory_config_check() { return crc16(0xFFFF, &image.config, sizeof(Config)); }

static void changed() { cursor = 0; }

bool memory_writing() { return cursor < sizeof(Image) || !eeprom_is_ready(); }

void memory_write_some() {
  if (!eeprom_is_ready()) {
    return;
  }
  const uint8_t *bytes = reinterpret_cast<const uint8_t *>(&image);
  for (uint8_t n = 0; n < BYTES_A_TIME && cursor < sizeof(Image); ++n, ++cursor) {
    uint8_t *place = reinterpret_cast<uint8_t *>(cursor);
    if (eeprom_read_byte(place) != bytes[cursor]) {
      eeprom_write_byte(place, bytes[cursor]);
      ++cursor;
      return;
    }
  }
}

static void use_default_config() {
  for (AxisConfig &axis : image.config.axes) {
    axis = AxisConfig{1200, 4800, 1088, 4800, 3000, 1200};
  }
  image.config.watchdog_ms = 1000;
  image.config.flags = PHONE_ALLOWED;
  is_default = true;
}

static bool config_is_sound() {
  for (const AxisConfig &axis : image.config.axes) {
    if (!is_sound(axis)) {
      return false;
    }
  }
  return image.config_check == memory_config_check();
}

void memory_begin() {
  eeprom_read_block(&image, nullptr, sizeof image);
  if (image.magic != MAGIC) {
    image.magic = MAGIC;
    ++image.generation;
    use_default_config();
    changed();
  } else if (!config_is_sound()) {
    use_default_config();
  }
  while (steps < MOST_STEPS && image.steps[steps].check == step_check(steps)) {
    ++steps;
  }
}

const Config &memory_config() { return image.config; }

bool memory_config_is_default() { return is_default; }

static void config_changed() {
  is_default = false;
  image.config_check = memory_config_check();
  changed();
}

void memory_set_axis(uint8_t axis, const AxisConfig &values) {
  image.config.axes[axis] = values;
  config_changed();
}

void memory_set_general(uint16_t watchdog_ms, uint8_t flags) {
  image.config.watchdog_ms = watchdog_ms;
  image.config.flags = flags;
  config_changed();
}

uint8_t memory_steps() { return steps; }

const uint16_t *memory_step(uint8_t index) { return image.steps[index].at; }

bool memory_append(const uint16_t position[AXES]) {
  if (steps >= MOST_STEPS) {
    return false;
  }
  for (uint8_t axis = 0; axis < AXES; ++axis) {
    image.steps[steps].at[axis] = position[axis];
  }
  image.steps[steps].check = step_check(steps);
  ++steps;
  changed();
  return true;
}

void memory_erase_steps() {
  ++image.generation;
  for (uint8_t index = 0; index < steps; ++index) {
    image.steps[index].check = ~step_check(index);
  }
  steps = 0;
  changed();
}
