#pragma once
constexpr int SLEEP_MODE_IDLE = 0;
inline void set_sleep_mode(int) {}
inline void sleep_mode() {}
