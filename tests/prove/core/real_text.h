/* SPDX-License-Identifier: MIT */
/* real_text.h - instead of wg_real.h, which has a driver of its own: any text for which there is room. */
#ifndef WG_REAL_H
#define WG_REAL_H

enum { WG_REAL_TEXT = 32 };

/*@ requires \valid(text + (0 .. WG_REAL_TEXT - 1));
  @ assigns text[0 .. WG_REAL_TEXT - 1] \from value;
  @ ensures \initialized(text + (0 .. WG_REAL_TEXT - 1)) && text[WG_REAL_TEXT - 1] == 0; */
void wg_real_text(double value, double (*reader)(const char *text, char **end), char *text);

#endif
