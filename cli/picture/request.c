#include "picture/request.h"
#include "base/command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double LEAST = 1, MOST = 40; /* inches of a side */
static const double DOTS = 200;           /* an inch of a .png */

const io_array *result_find(const result_t *r, const char *name, io_type type, int rank) {
  for (int i = 0; i < r->count; i++)
    if (r->all[i].name && !strcmp(r->all[i].name, name) && r->all[i].type == type && r->all[i].rank >= rank &&
        io_array_count(&r->all[i]) > 0)
      return &r->all[i];
  return NULL;
}

const char *result_text(const result_t *r, const char *name) {
  const io_array *found = result_find(r, name, IO_TEXT, 0);
  return found ? found->data : NULL;
}

int request_refuse(const arguments *a, const char *kind, const char *const *names, lavdm_error *error) {
  for (; *names; names++)
    if (arguments_value(a, *names)) return refuse(error, STATUS_USAGE, "--%s is not for %s", *names, kind);
  return LAVDM_OK;
}

/* --------------------------------------------------------------------- size */

/* WxH, then in, cm or px. */
static int read_size(const char *text, bool png, paper_t *out, lavdm_error *error) {
  char *end = NULL, *after = NULL;
  double width = strtod(text, &end), height = *end == 'x' ? strtod(end + 1, &after) : 0, unit = 1;
  bool numbers =
      end != text && after && after != end + 1 && width > 0 && height > 0 && isfinite(width + height);
  const char *name = numbers ? after : "";
  if (numbers && !strcmp(name, "cm"))
    unit = 1 / 2.54;
  else if (numbers && !strcmp(name, "px"))
    unit = 1 / (png ? DOTS : 96);
  else if (!numbers || (*name && strcmp(name, "in")))
    return refuse(error, STATUS_USAGE,
                  "--size is '%.40s': it must be WIDTHxHEIGHT, as 7x3 (inches), 18x8cm or 1400x600px", text);
  out->width = width * unit, out->height = height * unit;
  if (fmin(out->width, out->height) < LEAST || fmax(out->width, out->height) > MOST)
    return refuse(error, STATUS_USAGE,
                  "--size is '%.40s', or %.3g x %.3g inches: sides must be from %g to %g inches long%s", text,
                  out->width, out->height, LEAST, MOST, *name ? "" : "; for pixels write 1400x600px");
  return LAVDM_OK;
}

/* NAME or NAME,SIZE or ,SIZE. */
static int read_font(const char *text, paper_t *out, lavdm_error *error) {
  const char *comma = strrchr(text, ',');
  size_t length = comma ? (size_t)(comma - text) : strlen(text);
  char *end = NULL;
  double size = comma ? strtod(comma + 1, &end) : out->points;
  bool good = length < sizeof out->font && (!comma || (end != comma + 1 && !*end)) && size >= 4 && size <= 40;
  for (size_t k = 0; k < length && good; k++)
    good = strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 -.", text[k]) != NULL;
  if (!good || (!length && !comma))
    return refuse(
        error, STATUS_USAGE,
        "--font is '%.60s': it must be NAME, NAME,SIZE or ,SIZE, of letters and digits and 4 to 40 points",
        text);
  out->points = size;
  if (length) snprintf(out->font, sizeof out->font, "%.*s", (int)length, text);
  return LAVDM_OK;
}

/* --------------------------------------------------------------------- what */

static int read_axes(const char *text, request_t *out, lavdm_error *error) {
  const char *at = text;
  int count = 0;
  for (bool more = true; more && count <= MOST_AXES; count++) {
    char *end;
    long long number = strtoll(at, &end, 10);
    if (end == at || number < 0 || (*end && *end != ',') || count == MOST_AXES) break;
    out->axis[count] = number;
    more = *end == ',';
    at = end + more;
    if (!more && count + 1 == out->axes) {
      out->chosen = true;
      return LAVDM_OK;
    }
  }
  return refuse(error, STATUS_USAGE, "--axes is '%.40s': it must be %s", text,
                out->axes == 3 ? "three numbers, as 1,2,3, with --3d"
                               : "two numbers, as 1,2, or three with --3d");
}

static int read_view(const char *text, view_t *out, lavdm_error *error) {
  char *end, *after = NULL;
  double azimuth = strtod(text, &end), elevation = *end == ',' ? strtod(end + 1, &after) : 0;
  if (end == text || !after || after == end + 1 || *after || !(fabs(azimuth) <= 360) ||
      !(fabs(elevation) <= 90))
    return refuse(error, STATUS_USAGE,
                  "--view is '%.40s': it must be AZIMUTH,ELEVATION in degrees, as -60,25, up to 360 and 90",
                  text);
  *out = (view_t){azimuth, elevation};
  return LAVDM_OK;
}

static int read_spectrum(const char *text, request_t *out, lavdm_error *error) {
  out->spectrum = strcmp(text, "no") != 0;
  out->points = strcmp(text, "only") != 0;
  if (out->spectrum && out->points)
    return refuse(error, STATUS_USAGE, "--spectrum is '%.40s': it must be only or no", text);
  return LAVDM_OK;
}

static int read_field(const char *text, int64_t *out, lavdm_error *error) {
  char *end;
  *out = strtoll(text, &end, 10);
  if (end == text || *end || *out < 0)
    return refuse(error, STATUS_USAGE, "--fields is '%.40s': it must be the number of an eigenvector, from 0",
                  text);
  return LAVDM_OK;
}

int request_read(const arguments *a, request_t *out, lavdm_error *error) {
  const char *size = arguments_value(a, "size"), *font = arguments_value(a, "font"),
             *axes = arguments_value(a, "axes"), *view = arguments_value(a, "view"),
             *field = arguments_value(a, "fields"), *spectrum = arguments_value(a, "spectrum"),
             *title = arguments_value(a, "title");
  bool none = title && !strcmp(title, "none");
  *out = (request_t){.input = a->operand[0],
                     .output = arguments_value(a, "output"),
                     .colour = arguments_value(a, "colour"),
                     .data = arguments_value(a, "data"),
                     .title = none ? NULL : title,
                     .headings = !none,
                     .paper = {0, 0, DOTS, "Helvetica", 8},
                     .axes = arguments_value(a, "3d") ? 3 : 2,
                     .field = -1,
                     .spectrum = true,
                     .points = true,
                     .view = {-60, 25},
                     .seen = view != NULL,
                     .time = a->options.time};
  const char *dot = out->output ? strrchr(out->output, '.') : NULL;
  int status = LAVDM_OK;
  if (size) status = read_size(size, dot && !strcmp(dot, ".png"), &out->paper, error);
  if (status >= 0 && font) status = read_font(font, &out->paper, error);
  if (status >= 0 && axes) status = read_axes(axes, out, error);
  if (status >= 0 && view) status = read_view(view, &out->view, error);
  if (status >= 0 && field) status = read_field(field, &out->field, error);
  if (status >= 0 && spectrum) status = read_spectrum(spectrum, out, error);
  if (status >= 0 && spectrum && !out->points && (axes || field || arguments_value(a, "3d")))
    status = refuse(error, STATUS_USAGE,
                    "--spectrum only draws no points, so that --axes, --3d and --fields have no use");
  if (status >= 0 && field && out->axes == 3)
    status = refuse(error, STATUS_USAGE,
                    "--fields draws in as many dimensions as the points have: leave --3d out");
  if (status >= 0 && field && axes)
    status = refuse(error, STATUS_USAGE,
                    "--fields draws arrows where the points are, and --axes eigenvectors: give one of them");
  return status;
}
