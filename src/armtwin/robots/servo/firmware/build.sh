#!/usr/bin/env bash
# Builds the sketch for an Arduino UNO without the IDE: build.sh OUTPUT.elf
# Needs avr-gcc and the Arduino core (Debian: gcc-avr avr-libc arduino-core-avr);
# ARDUINO_AVR names the core's folder where it is elsewhere.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
output="$1"
avr="${ARDUINO_AVR:-/usr/share/arduino/hardware/arduino/avr}"
parts="$(mktemp -d)"
trap 'rm -rf "$parts"' EXIT

# gcc 5.4's float.h lacks DECIMAL_DIG in C++, which the core asks for.
flags=(-mmcu=atmega328p -DF_CPU=16000000L -DARDUINO=10819 -DARDUINO_AVR_UNO -DARDUINO_ARCH_AVR
  -DDECIMAL_DIG=__DECIMAL_DIG__ -Os -ffunction-sections -fdata-sections -flto
  -I"$avr/cores/arduino" -I"$avr/variants/standard")
cxx=(-std=gnu++11 -fno-exceptions -fno-threadsafe-statics)

for file in wiring.c wiring_digital.c hooks.c; do
  avr-gcc "${flags[@]}" -w -c "$avr/cores/arduino/$file" -o "$parts/core_$file.o"
done
for file in main.cpp HardwareSerial.cpp HardwareSerial0.cpp Print.cpp abi.cpp; do
  avr-g++ "${flags[@]}" "${cxx[@]}" -w -c "$avr/cores/arduino/$file" -o "$parts/core_$file.o"
done
for file in "$here"/armtwin_servo/*.cpp; do
  avr-g++ "${flags[@]}" "${cxx[@]}" -Wall -Wextra -Werror -c "$file" -o "$parts/$(basename "$file").o"
done
avr-g++ "${flags[@]}" "${cxx[@]}" -Wall -Wextra -Werror -include Arduino.h -x c++ \
  -c "$here/armtwin_servo/armtwin_servo.ino" -o "$parts/sketch.o"
avr-gcc "${flags[@]}" -fuse-linker-plugin -Wl,--gc-sections "$parts"/*.o -lm -o "$output"
avr-size "$output"
