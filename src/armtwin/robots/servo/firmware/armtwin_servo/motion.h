// Where the axes are commanded to be, frame by frame. Nothing here waits.
//
// Two kinds of motion: a path moves all axes together so that they arrive at once; following
// moves one axis on its own towards a goal that may change at any time (sliders, jogging).
#pragma once

#include <stdint.h>

#include "config.h"

void motion_begin();
void motion_frame(); // call once a frame

// Moves all axes to `goal` (within limits) in the same time and returns that time in frames:
// at least `least`, and as long as every axis needs at its share `percent` of its top speed.
uint16_t motion_path(const uint16_t goal[AXES], uint16_t least, uint8_t percent);

// Moves one axis towards `goal` (within limits) no faster than `speed` ticks per second.
void motion_follow(uint8_t axis, uint16_t goal, uint16_t speed);

void motion_brake(); // following axes come to rest smoothly
void motion_hold();  // every axis stays where it is, now
void motion_relax(); // no pulses: the servos are limp

bool motion_busy();
bool motion_following();
uint16_t motion_at(uint8_t axis);
uint16_t motion_within(uint8_t axis, uint16_t ticks); // moved into the axis' limits
