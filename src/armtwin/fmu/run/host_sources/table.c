/* CSV tables: numbers read exactly, and written so that they read back exactly. */
#include <locale.h>
#include <math.h>
#include <stdlib.h>

typedef unsigned long long U;
typedef struct { U mantissa; int exponent; } Power; /* mantissa 2^exponent, top bit set */
enum { LEAST = -345, MOST = 345 };
static Power powers[MOST - LEAST + 1];

static Power times(Power a, Power b) {
  const unsigned __int128 product = (unsigned __int128)a.mantissa * b.mantissa;
  const int shift = (U)(product >> 127) ? 64 : 63;
  const U rounded = (U)(product >> shift) + ((U)(product >> (shift - 1)) & 1);
  return (Power){rounded, a.exponent + b.exponent + shift};
}

static Power over(Power a) { /* 1 / a */
  U m = (U)(((unsigned __int128)1 << 127) / a.mantissa);
  int e = -a.exponent - 127;
  while (!(m >> 63)) m <<= 1, e--;
  return (Power){m, e};
}

/* Powers of ten from 10^(1, 2, 4, ...): exact up to 10^19, good to 1e-18 beyond. */
static void make_pairs(void);
static void make_powers(void) {
  make_pairs();
  Power base[9] = {{10ull << 60, -60}};
  for (int i = 1; i < 9; i++) base[i] = times(base[i - 1], base[i - 1]);
  for (int k = 0; k <= MOST; k++) {
    Power p = {1ull << 63, -63};
    for (int i = 0; i < 9; i++)
      if (k >> i & 1) p = times(p, base[i]);
    powers[k - LEAST] = p;
    powers[-k - LEAST] = k ? over(p) : p;
  }
}

static char pairs[200]; /* "00" "01" ... "99" */

static void make_pairs(void) {
  for (int i = 0; i < 100; i++) pairs[2 * i] = (char)('0' + i / 10), pairs[2 * i + 1] = (char)('0' + i % 10);
}

/* Writes 8 digits. */
static void put_eight(char *out, unsigned d) {
  for (int i = 6; i >= 0; i -= 2, d /= 100) memcpy(out + i, pairs + 2 * (d % 100), 2);
}

/* Writes the digits of d (17 of them, the first at 10^place) without trailing zeros. */
static long put_digits(char *out, U d, int place) {
  char digit[20];
  long n = 0;
  int count = 17;
  digit[0] = (char)('0' + d / 10000000000000000ull);
  d %= 10000000000000000ull;
  put_eight(digit + 1, (unsigned)(d / 100000000u));
  put_eight(digit + 9, (unsigned)(d % 100000000u));
  while (count > 1 && digit[count - 1] == '0') count--;
  if (place < -5 || place > 16) {
    out[n++] = digit[0];
    if (count > 1) out[n++] = '.';
    for (int i = 1; i < count; i++) out[n++] = digit[i];
    return n + sprintf(out + n, "e%d", place);
  }
  if (place < 0) {
    out[n++] = '0', out[n++] = '.';
    for (int i = -1; i > place; i--) out[n++] = '0';
  }
  for (int i = 0; i <= place; i++) out[n++] = i < count ? digit[i] : '0';
  if (place >= 0 && place < count - 1) out[n++] = '.';
  const int rest = place < 0 ? 0 : place + 1;
  if (count > rest) memcpy(out + n, digit + rest, (size_t)(count - rest)), n += count - rest;
  return n;
}

static const double TENS[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                              1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* Writes x with 15 digits where they say it exactly, else with 17; returns the length. */
static long put_number(char *out, double x) {
  long n = 0;
  if (x != x) return memcpy(out, "nan", 3), 3;
  if (signbit(x)) out[n++] = '-', x = -x;
  if (x == 0) return out[n++] = '0', n;
  if (x - x != 0) return memcpy(out + n, "inf", 3), n + 3;
  int e;
  const U m = (U)ldexp(frexp(x, &e), 64);
  const double guess = (e - 1) * 0.30102999566398120; /* log10 of a power of two below x */
  int place = (int)guess - (guess < (int)guess), k;
  U d;
  for (;; place++) {
    k = 16 - place;
    const Power p = powers[k - LEAST];
    const unsigned __int128 product = (unsigned __int128)m * p.mantissa;
    const int shift = -(e - 64 + p.exponent); /* value = product / 2^shift */
    d = (U)(product >> shift) + ((U)(product >> (shift - 1)) & 1);
    if (d < 100000000000000000ull) break;
  }
  const U short_d = (d + 50) / 100;
  const int scale = k - 2;
  if (scale >= -22 && scale <= 22) {
    const double back = scale >= 0 ? (double)short_d / TENS[scale] : (double)short_d * TENS[-scale];
    if (back == x && short_d < 1000000000000000ull) d = short_d * 100;
  }
  return n + put_digits(out + n, d, place);
}

/* Rows of time and values; column c is taken from row k + ahead[c] of the values. */
EXPORT long host_write_csv(const double *time, const double *values, long width, const char *ahead,
                           long from, long to, char *out) {
  long n = 0;
  if (!powers[0].mantissa) make_powers();
  for (long k = from; k < to; k++) {
    n += put_number(out + n, time[k]);
    for (long c = 0; c < width; c++) {
      out[n++] = ',';
      n += put_number(out + n, values[(k + ahead[c]) * width + c]);
    }
    out[n++] = '\n';
  }
  return n;
}

/* digits 10^exponent, rounded to the nearest double; 0 where 64 bits do not decide it. */
static int scaled(U digits, int exponent, double *value) {
  if (!digits) return *value = 0.0, 1;
  if (digits <= 9007199254740992ull && exponent >= -22 && exponent <= 22) {
    *value = exponent < 0 ? (double)digits / TENS[-exponent] : (double)digits * TENS[exponent];
    return 1;
  }
  if (exponent < -280 || exponent > 280) return 0;
  const int zeros = __builtin_clzll(digits);
  const Power p = powers[exponent - LEAST];
  U top = (U)((unsigned __int128)(digits << zeros) * p.mantissa >> 64);
  int e = p.exponent - zeros + 64;
  if (!(top >> 63)) top <<= 1, e--;
  const unsigned low = (unsigned)(top & 2047); /* beyond the 53 bits; top is good to a few units */
  if (low > 1024 - 64 && low < 1024 + 64) return 0;
  *value = ldexp((double)((top >> 11) + (low >> 10)), e + 11);
  return 1;
}

/* Reads one number at *p; 0 where there is none. */
static int take_number(const char **p, const char *end, char decimal, double *value) {
  char copy[416];
  const char *s = *p;
  long n = 0;
  U digits = 0;
  int count = 0, scale = 0, exponent = 0, negative = 0, seen_point = 0;
  while (s < end && (*s == ' ' || *s == '"')) s++;
  const char *begin = s;
  if (s < end && (*s == '-' || *s == '+')) negative = *s++ == '-';
  for (; s < end; s++) {
    if (*s >= '0' && *s <= '9') {
      if (count < 19) digits = digits * 10 + (U)(*s - '0');
      count += digits != 0;
      scale += seen_point;
    } else if (*s == decimal && !seen_point) seen_point = 1;
    else break;
  }
  if (s == begin + (begin < end && (*begin == '-' || *begin == '+')) || (s - begin == 1 && seen_point))
    return 0;
  if (s < end && (*s == 'e' || *s == 'E')) {
    int minus = 0, found = 0;
    if (++s < end && (*s == '-' || *s == '+')) minus = *s++ == '-';
    for (; s < end && *s >= '0' && *s <= '9'; s++, found = 1)
      if (exponent < 10000) exponent = exponent * 10 + (*s - '0');
    if (!found) return 0;
    if (minus) exponent = -exponent;
  }
  exponent -= scale;
  if (count <= 19 && scaled(digits, exponent, value)) {
    if (negative) *value = -*value;
  } else {
    if (s - begin >= (long)sizeof copy || *localeconv()->decimal_point != '.') return 0;
    for (const char *c = begin; c < s; c++) copy[n++] = *c == decimal ? '.' : *c;
    copy[n] = 0;
    *value = strtod(copy, 0);
  }
  while (s < end && (*s == ' ' || *s == '"')) s++;
  *p = s;
  return 1;
}

/* Reads rows of `width` numbers, one of them the time; returns how many rows, or -1 - row where
   a row is anything else or there are more than `most`. */
EXPORT long host_read_csv(const char *text, long size, long delimiter, long decimal, long width,
                          long time_column, long most, double *time, double *data) {
  const char *p = text, *end = text + size;
  long rows = 0;
  if (!powers[0].mantissa) make_powers();
  while (p < end) {
    if (*p == '\n' || *p == '\r') { p++; continue; }
    if (rows == most) return -1 - rows;
    for (long c = 0; c < width; c++) {
      if (!take_number(&p, end, (char)decimal, c == time_column ? time++ : data++)) return -1 - rows;
      if (c < width - 1 && (p >= end || *p++ != (char)delimiter)) return -1 - rows;
    }
    if (p < end && *p != '\n' && *p != '\r') return -1 - rows;
    rows++;
  }
  return rows;
}
