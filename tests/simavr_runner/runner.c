// Runs the firmware of an Arduino UNO in simavr, its serial line on a pseudo terminal.
//
//   runner FIRMWARE.elf TERMINAL LOG EEPROM [SPEED]
//
// TERMINAL: a symbolic link made to the pseudo terminal.  EEPROM: read at the start if it exists,
// written on SIGTERM as it is then (a power cut).  SPEED: simulated per real seconds, default 1.
// LOG gets one line per event: "cycle p AXIS LEVEL" for an edge of a servo pulse on pins 5 to 10,
// "cycle r BYTE" and "cycle t BYTE" for serial bytes received and sent, "cycle c" every 2 ms to
// tell the time. A cycle is 1/16 us.
// A file TERMINAL.plan with lines "CYCLES BYTE" is taken and deleted as soon as it is there: each
// byte is received that many cycles later, exact whatever else the machine does; for BYTE -1 LOG
// gets "cycle e".
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include <simavr/avr_eeprom.h>
#include <simavr/avr_ioport.h>
#include <simavr/avr_uart.h>
#include <simavr/sim_avr.h>
#include <simavr/sim_elf.h>

enum { CLOCK = 16000000, CYCLES_PER_BYTE = CLOCK / 960, AXES = 6, EEPROM_SIZE = 1024 };
enum { MOST_PLANNED = 100000 };

static volatile sig_atomic_t ended;
static avr_t *avr;
static FILE *events;
static int terminal;
static int is_full; // simavr's own queue of received bytes, which drains a little slower than 9600
static double speed = 1;
static struct timespec started;
static char plan_path[256];
static struct { unsigned long long due; int byte; } plan[MOST_PLANNED];
static int planned, played;

static void on_signal(int number) {
  (void)number;
  ended = 1;
}

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static void on_edge(avr_irq_t *irq, uint32_t value, void *axis) {
  (void)irq;
  fprintf(events, "%llu p %d %u\n", (unsigned long long)avr->cycle, (int)(long)axis, value & 1);
}

static void on_sent(avr_irq_t *irq, uint32_t value, void *unused) {
  (void)irq, (void)unused;
  const unsigned char byte = value;
  fprintf(events, "%llu t %u\n", (unsigned long long)avr->cycle, byte);
  if (write(terminal, &byte, 1) < 0 && errno != EAGAIN) {
    fail("terminal"); // nobody reads: the byte is lost, as on a wire
  }
}

static void on_queue(avr_irq_t *irq, uint32_t value, void *full) {
  (void)irq, (void)value;
  is_full = full != NULL;
}

static void take_plan(void) {
  FILE *file = fopen(plan_path, "r");
  if (!file) {
    return;
  }
  planned = played = 0;
  unsigned long long later;
  while (planned < MOST_PLANNED && fscanf(file, "%llu %d", &later, &plan[planned].byte) == 2) {
    plan[planned++].due = avr->cycle + later;
  }
  fclose(file);
  unlink(plan_path);
}

static void receive(avr_irq_t *uart, unsigned char byte) {
  fprintf(events, "%llu r %u\n", (unsigned long long)avr->cycle, byte);
  avr_raise_irq(uart + UART_IRQ_INPUT, byte);
}

static avr_cycle_count_t feed(avr_t *core, avr_cycle_count_t when, void *uart) {
  (void)core;
  unsigned char byte;
  if (is_full) {
    return when + CYCLES_PER_BYTE;
  }
  if (played < planned && plan[played].due <= avr->cycle) {
    const int next = plan[played++].byte;
    if (next < 0) {
      fprintf(events, "%llu e\n", (unsigned long long)avr->cycle);
    } else {
      receive(uart, next);
    }
  } else if (read(terminal, &byte, 1) == 1) {
    receive(uart, byte);
  }
  return when + CYCLES_PER_BYTE;
}

// Keeps the simulation from running ahead of the clock on the wall.
static avr_cycle_count_t pace(avr_t *core, avr_cycle_count_t when, void *unused) {
  (void)core, (void)unused;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  const double real = (now.tv_sec - started.tv_sec) + 1e-9 * (now.tv_nsec - started.tv_nsec);
  const double ahead = (double)avr->cycle / CLOCK / speed - real;
  if (ahead > 5e-4) {
    usleep((useconds_t)(1e6 * ahead));
  }
  fprintf(events, "%llu c\n", (unsigned long long)avr->cycle);
  fflush(events);
  take_plan();
  return when + CLOCK / 500;
}

static void no_sleep(avr_t *core, avr_cycle_count_t cycles) { (void)core, (void)cycles; }

static void open_terminal(const char *link) {
  int other;
  char name[256];
  struct termios raw;
  if (openpty(&terminal, &other, name, NULL, NULL)) { // `other` stays open: no hang-ups
    fail("openpty");
  }
  tcgetattr(other, &raw);
  cfmakeraw(&raw);
  tcsetattr(other, TCSANOW, &raw);
  fcntl(terminal, F_SETFL, O_NONBLOCK);
  if (symlink(name, link)) {
    fail(link);
  }
}

static void read_eeprom(const char *path) {
  unsigned char bytes[EEPROM_SIZE];
  FILE *file = fopen(path, "rb");
  if (!file) {
    return;
  }
  if (fread(bytes, 1, sizeof bytes, file) != sizeof bytes) {
    fail(path);
  }
  fclose(file);
  avr_eeprom_desc_t part = {.ee = bytes, .offset = 0, .size = sizeof bytes};
  avr_ioctl(avr, AVR_IOCTL_EEPROM_SET, &part);
}

static void write_eeprom(const char *path) {
  avr_eeprom_desc_t part = {.ee = NULL, .offset = 0, .size = EEPROM_SIZE};
  avr_ioctl(avr, AVR_IOCTL_EEPROM_GET, &part);
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(part.ee, 1, EEPROM_SIZE, file) != EEPROM_SIZE || fclose(file)) {
    fail(path);
  }
}

static void connect_pins(void) {
  static const struct { char port; int pin; } pins[AXES] = {
      {'D', 5}, {'D', 6}, {'D', 7}, {'B', 0}, {'B', 1}, {'B', 2}};
  for (long axis = 0; axis < AXES; ++axis) {
    avr_irq_t *irq =
        avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ(pins[axis].port), pins[axis].pin);
    avr_irq_register_notify(irq, on_edge, (void *)axis);
  }
}

static void connect_uart(void) {
  uint32_t flags = 0;
  avr_ioctl(avr, AVR_IOCTL_UART_SET_FLAGS('0'), &flags);
  avr_irq_t *uart = avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), 0);
  avr_irq_register_notify(uart + UART_IRQ_OUTPUT, on_sent, NULL);
  avr_irq_register_notify(uart + UART_IRQ_OUT_XON, on_queue, NULL);
  avr_irq_register_notify(uart + UART_IRQ_OUT_XOFF, on_queue, &is_full);
  avr_cycle_timer_register(avr, CYCLES_PER_BYTE, feed, uart);
}

int main(int count, char **words) {
  if (count < 5) {
    fprintf(stderr, "use: runner FIRMWARE.elf TERMINAL LOG EEPROM [SPEED]\n");
    return 2;
  }
  speed = count > 5 ? atof(words[5]) : 1;
  elf_firmware_t firmware = {0};
  if (elf_read_firmware(words[1], &firmware)) {
    fail(words[1]);
  }
  strcpy(firmware.mmcu, "atmega328p");
  firmware.frequency = CLOCK;
  avr = avr_make_mcu_by_name(firmware.mmcu);
  if (!avr || !(events = fopen(words[3], "w"))) {
    fail(words[3]);
  }
  avr_init(avr);
  avr_load_firmware(avr, &firmware);
  avr->sleep = no_sleep;
  read_eeprom(words[4]);
  connect_pins();
  connect_uart();
  signal(SIGTERM, on_signal);
  clock_gettime(CLOCK_MONOTONIC, &started);
  avr_cycle_timer_register(avr, CLOCK / 500, pace, NULL);
  snprintf(plan_path, sizeof plan_path, "%s.plan", words[2]);
  open_terminal(words[2]);
  int state = cpu_Running;
  while (!ended && state != cpu_Done && state != cpu_Crashed) {
    state = avr_run(avr);
  }
  write_eeprom(words[4]);
  fclose(events);
  return state == cpu_Crashed;
}
