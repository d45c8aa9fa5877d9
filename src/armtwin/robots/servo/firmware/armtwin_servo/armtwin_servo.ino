// Firmware of a desktop arm: five servos and a gripper on an Arduino UNO, 9600 baud.
// What it understands stands in frames.h, commands.h and phone.h; docs/servo_arm.md tells more.
#include <avr/sleep.h>

#include "commands.h"
#include "frames.h"
#include "memory.h"
#include "motion.h"
#include "phone.h"
#include "program.h"
#include "pulses.h"

static uint32_t received_ms;

void setup() {
  Serial.begin(9600);
  memory_begin();
  pulses_begin();
  motion_begin();
  phone_begin();
  set_sleep_mode(SLEEP_MODE_IDLE);
}

static uint16_t silence_ms() {
  const uint32_t silence = millis() - received_ms;
  return silence > 0xFFFF ? 0xFFFF : silence;
}

static void receive() {
  while (Serial.available()) {
    const uint8_t character = Serial.read();
    const uint16_t silence = silence_ms();
    received_ms = millis();
    if (!frames_take(character) && !commands_host_owns()) {
      phone_take(character, silence);
    }
  }
  if (commands_host_owns()) {
    phone_lock();
  }
  frames_idle(silence_ms());
  phone_idle(silence_ms());
}

void loop() {
  receive();
  commands_watch();
  if (pulses_frame_over()) {
    motion_frame();
    program_frame();
  }
  memory_write_some();
  frames_send_some();
  sleep_mode(); // until the next interrupt, at most a millisecond away
}
