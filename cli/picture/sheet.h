/*
 * A sheet for gnuplot on which everything has its place before it is drawn: lengths in points from the lower
 * left corner, texts of a known width at most, and boxes for the panels. Texts, dots, lines and boxes are
 * those of the next plot, which sheet_next ends.
 */
#ifndef LAVDM_CLI_SHEET_H
#define LAVDM_CLI_SHEET_H

#include "picture/drawing.h"

typedef struct {
  double x, y, width, height;
} rect_t;

typedef struct {
  const drawing *to;
  double width, height, em; /* em: the size of the font */
  bool headings;            /* of panels */
  int texts, boxes, lines;
} sheet_t;

enum { INK = 0x222222, SOFT = 0x777777, FAINT = 0xdddddd, BLUE = 0x0072b2, ORANGE = 0xd55e00 };
enum { CIRCLE = 7, TRIANGLE = 9 };

sheet_t sheet_begin(const drawing *to, const paper_t *paper, const char *title, rect_t *room);
void sheet_end(sheet_t *sheet);

/* How wide a text is at most, in the widest of usual fonts. */
double text_width(const char *text, double em);

/* Cuts it to this width: what stands in brackets, then as much as needed, with an ellipsis. */
void text_fit(char *text, double room, double em);

/* Of the text, quotes and what gnuplot would read are taken away. `at`: l, c or r of it lies at x; upright:
 * it reads upwards, and c is its middle. */
void sheet_text(sheet_t *sheet, double x, double y, char at, double em, int rgb, const char *text);
void sheet_upright(sheet_t *sheet, double x, double y, const char *text);
void sheet_dot(sheet_t *sheet, double x, double y, int shape, double radius, int rgb);
void sheet_box(sheet_t *sheet, rect_t box, int rgb);
void sheet_line(sheet_t *sheet, double x0, double y0, double x1, double y1, double wide, int rgb);

/* Where the next plot has its data, and their ranges; without border or ticks. */
void sheet_place(sheet_t *sheet, rect_t inner, const double low[2], const double high[2]);
void sheet_next(sheet_t *sheet);

/* Cells of `count` panels within a room, in as many columns as makes them largest; the widths of a row are as
 * `share` (count). */
void sheet_cells(rect_t room, int count, const double *share, rect_t *cell);

#endif
