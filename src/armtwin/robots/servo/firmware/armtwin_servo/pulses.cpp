// Timer1 counts half microseconds. Its interrupt comes GUARD ticks before an edge and waits for
// the exact tick there, so neither its own latency nor another interrupt shifts an edge; both
// ends of a pulse are made by the same instructions, so their constant delay cancels.
#include "pulses.h"

#include <avr/interrupt.h>
#include <avr/io.h>
#include <util/atomic.h>

#include "config.h"

static constexpr uint16_t FRAME_TICKS = 2000U * FRAME_MS;
static constexpr uint8_t GUARD = 50; // 25 us: longer than the core's interrupts take together
static constexpr uint8_t PORTD_PINS = 0xE0, PORTB_PINS = 0x07; // pins 5..7 and 8..10

static volatile uint16_t widths[AXES];
static volatile uint8_t switched;
static volatile uint8_t frame_over;
static uint8_t slot; // the axis whose pulse starts at the next edge; AXES: the pause after them
static uint16_t edge, frame_start;

ISR(TIMER1_COMPA_vect) {
  const uint8_t on = slot < AXES ? switched & (1 << slot) : 0;
  const uint8_t d = (PORTD & ~PORTD_PINS) | (uint8_t)(on << 5);
  const uint8_t b = (PORTB & ~PORTB_PINS) | (uint8_t)(on >> 3);
  const uint8_t tick = (uint8_t)edge;
  while ((int8_t)(TCNT1L - tick) < 0) {
  }
  PORTD = d;
  PORTB = b;
  if (slot < AXES) {
    edge += widths[slot++];
  } else {
    edge = frame_start += FRAME_TICKS;
    slot = 0;
    frame_over = 1;
  }
  OCR1A = edge - GUARD;
}

void pulses_begin() {
  DDRD |= PORTD_PINS;
  DDRB |= PORTB_PINS;
  PORTD &= ~PORTD_PINS;
  PORTB &= ~PORTB_PINS;
  for (uint8_t axis = 0; axis < AXES; ++axis) {
    widths[axis] = NARROWEST;
  }
  ATOMIC_BLOCK(ATOMIC_RESTORESTATE) {
    TCCR1A = 0;
    TCCR1B = _BV(CS11); // clock / 8
    TCNT1 = 0;
    edge = frame_start = FRAME_TICKS;
    OCR1A = edge - GUARD;
    TIFR1 = _BV(OCF1A);
    TIMSK1 = _BV(OCIE1A);
  }
}

void pulses_set(uint8_t axis, uint16_t ticks) {
  const uint16_t width = ticks < NARROWEST ? NARROWEST : ticks > WIDEST ? WIDEST : ticks;
  ATOMIC_BLOCK(ATOMIC_RESTORESTATE) { widths[axis] = width; }
}

void pulses_switch(uint8_t axes) { switched = axes; }

uint8_t pulses_on() { return switched; }

bool pulses_frame_over() {
  if (!frame_over) {
    return false;
  }
  frame_over = 0;
  return true;
}
