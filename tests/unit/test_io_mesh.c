/* .ply and .obj: what is read, what is refused and where, files cut short anywhere. */
#include "io_support.h"

#include <locale.h>
#include <math.h>

static const double corners[] = {0, 0, 0, 1.5, 0, -2, 0, 1e3, 0.25, -1, 2, 3};
enum { CORNERS = 4 };

static void holds(const char *path, int64_t n, const double *want) {
  io_array a = take(path);
  assert_int_equal(a.type, IO_REAL);
  assert_int_equal(a.rank, 2);
  assert_int_equal(a.shape[0], n);
  assert_int_equal(a.shape[1], 3);
  for (int64_t i = 0; i < 3 * n; i++)
    if (((double *)a.data)[i] != want[i])
      fail_msg("%s: %d is %g, not %g", path, (int)i, ((double *)a.data)[i], want[i]);
  io_array_free(&a);
}

static void reads(const char *name, const char *text, int64_t n, const double *want) {
  save(in(name), text, strlen(text));
  holds(in(name), n, want);
}

static void refuses(const char *name, const char *text, const char *words) {
  save(in(name), text, strlen(text));
  refused(in(name), LAVDM_ERROR_DATA, words);
}

/* ------------------------------------------------------------------ PLY */

#define XYZ         "property float x\nproperty float y\nproperty float z\n"
#define HEAD(count) "ply\nformat ascii 1.0\nelement vertex " count "\n" XYZ

static void ply_text(void **state) {
  (void)state;
  const char *const text[] = {
      (HEAD("4") "end_header\n0 0 0\n1.5 0 -2\n0 1e3 .25\n-1 2 3\n"),
      (HEAD("4") "end_header\n0 0 0\n1.5 0 -2\n0 1e3 .25\n-1 2 3"),
      ("ply\r\nformat ascii 1.0\r\ncomment a word\r\nobj_info another\r\nelement vertex 4\r\nproperty double "
       "x\r\n"
       "property int8 flag\r\nproperty double y\r\nproperty double z\r\nproperty uchar red\r\nelement face "
       "1\r\n"
       "property list uchar int vertex_indices\r\nend_header\r\n0 7 0 0 1\r\n\r\n1.5 7 0 -2 2\r\n 0\t7 1e3 "
       ".25 3 \r\n"
       "-1 7 2 3 4\r\n3 0 1 2\r\n\r\n"),
      ("ply\nformat ascii 1.0\n\nelement edge 2\nproperty int a\nelement none 9\nelement vertex 4\n"
       "property list int float u\n" XYZ
       "end_header\n1\n2\n0 0 0 0\n2 9 9 1.5 0 -2\n1 9 0 1e3 .25\n0 -1 2 3\n"),
      ("ply\rformat ascii 1.0\relement vertex 4\rproperty float32 z\rproperty float64 y\rproperty int16 m\r"
       "property float32 x\rend_header\r0 0 0 0\r-2 0 0 1.5\r.25 1e3 0 0\r3 2 0 -1\r"),
  };
  for (size_t i = 0; i < sizeof text / sizeof *text; i++) reads("a.ply", text[i], CORNERS, corners);
  reads("a.ply", HEAD("0") "end_header\n", 0, NULL);
  io_array a;
  save(in("n.ply"), HEAD("1") "end_header\nnan inf 2\n", strlen(HEAD("1") "end_header\nnan inf 2\n"));
  a = take(in("n.ply"));
  assert_true(isnan(((double *)a.data)[0]) && isinf(((double *)a.data)[1]));
  io_array_free(&a);
}

static void put(bytes_t *b, const void *value, size_t size, bool big) {
  const uint16_t one = 1;
  bool here_big = *(const unsigned char *)&one == 0;
  unsigned char turned[8];
  for (size_t i = 0; i < size; i++)
    turned[i] = ((const unsigned char *)value)[big == here_big ? i : size - 1 - i];
  add(b, turned, size);
}

typedef struct {
  const char *name, *other;
  size_t size;
  char kind;
} scalar;

static const scalar scalars[] = {
    {"char", "int8", 1, 'i'},     {"uchar", "uint8", 1, 'u'},    {"short", "int16", 2, 'i'},
    {"ushort", "uint16", 2, 'u'}, {"int", "int32", 4, 'i'},      {"uint", "uint32", 4, 'u'},
    {"float", "float32", 4, 'f'}, {"double", "float64", 8, 'f'},
};

static void put_scalar(bytes_t *b, const scalar *s, double value, bool big) {
  union {
    double real;
    float single;
    int64_t whole;
  } u = {.real = value};
  const uint16_t one = 1;
  bool here_big = *(const unsigned char *)&one == 0;
  if (s->kind != 'f')
    u.whole = (int64_t)value;
  else if (s->size == 4)
    u.single = (float)value;
  put(b, (char *)&u + (s->kind != 'f' && here_big ? 8 - s->size : 0), s->size, big);
}

/* A mesh as bytes: vertices with a list and a flag among the coordinates, two
 * faces, three edges. `ending` is that of a line. */
static bytes_t mesh(const scalar *s, const char *type, bool big, const char *ending, const double *xyz,
                    int n) {
  bytes_t b = {0};
  char text[800], *at = text;
  const char *const line[] = {"ply",
                              big ? "format binary_big_endian 1.0" : "format binary_little_endian 1.0",
                              "comment made up",
                              "",
                              "property list uint8 short weights",
                              "",
                              "property uchar flag",
                              "",
                              "",
                              "element face 2",
                              "property list uchar int vertex_indices",
                              "element edge 3",
                              "property int a",
                              "property double b",
                              "end_header"};
  for (int i = 0; i < 15; i++) {
    if (i == 3)
      at += sprintf(at, "element vertex %d%s", n, ending);
    else if (!*line[i])
      at += sprintf(at, "property %s %c%s", type, i == 5 ? 'x' : i == 7 ? 'y' : 'z', ending);
    else
      at += sprintf(at, "%s%s", line[i], ending);
  }
  add(&b, text, (size_t)(at - text));
  for (int i = 0; i < n; i++) {
    unsigned char count = (unsigned char)(i % 3), flag = '\n';
    add(&b, &count, 1);
    add(&b, "\n\r\n\r", 2 * (size_t)count);
    put_scalar(&b, s, xyz[3 * i], big);
    add(&b, &flag, 1);
    put_scalar(&b, s, xyz[3 * i + 1], big);
    put_scalar(&b, s, xyz[3 * i + 2], big);
  }
  for (int i = 0; i < 2; i++) {
    unsigned char count = (unsigned char)(3 + i);
    add(&b, &count, 1);
    for (int32_t k = 0; k < count; k++) put(&b, &k, 4, big);
  }
  for (int i = 0; i < 3; i++) add(&b, "............", 12);
  return b;
}

static void ply_bytes(void **state) {
  (void)state;
  const double whole[] = {0, 1, 2, 3, 100, 5, 6, 7, 8};
  const char *const endings[] = {"\n", "\r\n", "\r"};
  for (size_t k = 0; k < sizeof scalars / sizeof *scalars; k++)
    for (int big = 0; big < 2; big++)
      for (int e = 0; e < 3; e++) {
        const scalar *s = &scalars[k];
        bytes_t b = mesh(s, e ? s->name : s->other, big, endings[e], whole, 3);
        if (e == 1) add(&b, "\n", 1);
        save(in("b.ply"), b.data, b.size);
        holds(in("b.ply"), 3, whole);
        drop(&b);
        const double below[] = {-1, -2, -3};
        if (s->kind == 'u') continue;
        b = mesh(s, s->name, big, "\n", below, 1);
        save(in("b.ply"), b.data, b.size);
        holds(in("b.ply"), 1, below);
        drop(&b);
      }
}

/* Cut anywhere, a file of bytes is refused; with a byte too many as well. */
static void ply_cut(void **state) {
  (void)state;
  bytes_t b = mesh(&scalars[6], "float", true, "\n", corners, CORNERS);
  for (size_t size = 0; size < b.size; size++) {
    save(in("cut.ply"), b.data, size);
    refused(in("cut.ply"), LAVDM_ERROR_DATA, size < 3 ? "is not a PLY file" : "cut.ply");
  }
  save(in("cut.ply"), b.data, b.size - 1);
  refused(in("cut.ply"), LAVDM_ERROR_DATA, "its header promises 3 rows of 'edge', and 2 are whole");
  save(in("cut.ply"), b.data, b.size - 37);
  refused(in("cut.ply"), LAVDM_ERROR_DATA, "its header promises 2 rows of 'face', and 1 are whole");
  save(in("cut.ply"), b.data, b.size - 36 - 13 - 17 - 1);
  refused(in("cut.ply"), LAVDM_ERROR_DATA, "its header promises 4 rows of 'vertex', and 3 are whole");
  add(&b, "x", 1);
  save(in("cut.ply"), b.data, b.size);
  refused(in("cut.ply"), LAVDM_ERROR_DATA, "has 1 bytes more");
  drop(&b);
}

/* As text, the last number alone can be cut short unseen. */
static void ply_text_cut(void **state) {
  (void)state;
  const char text[] =
      HEAD("3") "element face 1\nproperty list uchar int i\nend_header\n0 0 1\n2 3 4\n5 6 7\n3 0 1 2\n";
  size_t whole = strlen(text) - 1;
  const double want[] = {0, 0, 1, 2, 3, 4, 5, 6, 7};
  for (size_t size = 0; size < whole; size++) {
    save(in("cut.ply"), text, size);
    refused(in("cut.ply"), LAVDM_ERROR_DATA, "cut.ply");
  }
  save(in("cut.ply"), text, whole);
  holds(in("cut.ply"), 3, want);
}

static void ply_headers(void **state) {
  (void)state;
  refuses("h.ply", "", "is not a PLY file: its first line is not 'ply'");
  refuses("h.ply", "plywood\n", "is not a PLY file");
  refuses("h.ply", "ply\nformat ascii 1.0\n", "ends within its header");
  refuses("h.ply", "ply\nelement vertex 0\n" XYZ "end_header\n",
          "line 6: the header ends without a line 'format'");
  refuses("h.ply", "ply\nformat text 1.0\n", "line 2: the format must be ascii");
  refuses("h.ply", "ply\nformat ascii\n", "line 2: the format must be ascii");
  refuses("h.ply", "ply\nformat ascii 2.0\n", "line 2: '2.0' is a version that is not known");
  refuses("h.ply", HEAD("1") "format ascii 1.0\n", "line 7: the format must come before");
  refuses("h.ply", "ply\nformat ascii 1.0\nelement vertex\n", "line 3: an element needs a name and a number");
  refuses("h.ply", "ply\nformat ascii 1.0\nelement vertex -1\n", "line 3: '-1' is no number of rows");
  refuses("h.ply", "ply\nformat ascii 1.0\nelement vertex 1.0\n", "line 3: '1.0' is no number of rows");
  refuses("h.ply", "ply\nformat ascii 1.0\nelement vertex 99999999999999999999\n", "is no number of rows");
  refuses("h.ply", "ply\nformat ascii 1.0\nproperty float x\n",
          "line 3: a property comes before any element");
  refuses("h.ply", HEAD("1") "property float\n", "line 7: a property is 'property TYPE NAME'");
  refuses("h.ply", HEAD("1") "property list uchar i\n", "line 7: a property is 'property TYPE NAME'");
  refuses("h.ply", HEAD("1") "property flot a\n", "line 7: 'flot' is no type; known are char");
  refuses("h.ply", HEAD("1") "property list uchar flot a\n", "line 7: 'flot' is no type");
  refuses("h.ply", HEAD("1") "property list float int a\n", "line 7: 'float' cannot be the type of a length");
  refuses("h.ply", HEAD("1") "property float x\n", "line 7: 'x' is there twice");
  refuses("h.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty list int int x\n",
          "line 4: 'x' of a vertex cannot be a list");
  refuses("h.ply", HEAD("1") "element vertex 2\n", "line 7: there is a second element 'vertex'");
  refuses("h.ply", HEAD("1") "elements 2\n", "line 7: 'elements' is not known in the header");
  refuses("h.ply", "ply\nformat ascii 1.0\nelement face 0\nend_header\n", "names no element 'vertex'");
  refuses("h.ply",
          "ply\nformat ascii 1.0\nelement vertex 0\nproperty float x\nproperty float y\nelement n 0\n"
          "property float z\nend_header\n",
          "its vertices have no property 'z'");
  refuses("h.ply", "\xFF\xFEp\0", "UTF-16");
  refused(in("nowhere.ply"), LAVDM_ERROR_ARGUMENT, "no such file");
  refused(in("h.ply:x"), LAVDM_ERROR_ARGUMENT, "holds one array without a name");
}

static void ply_rows(void **state) {
  (void)state;
  refuses("r.ply", HEAD("3") "end_header\n1 2 3\n4 5\n", "line 9: vertex 2 has fewer numbers");
  refuses("r.ply", HEAD("3") "end_header\n1 2 3\n4 5 6 7\n", "line 9: vertex 2 has more numbers");
  refuses("r.ply", HEAD("3") "end_header\n1 2 3\n\n4 5 six\n", "line 10: 'six' is not a number");
  refuses("r.ply", HEAD("3") "end_header\n1 2 3\n4 5 6,5\n", "'6,5' is not a number (decimals need a point");
  refuses("r.ply", HEAD("3") "end_header\n1 2 3\n4 5 6\n", "promises 3 rows of 'vertex', and 2 are whole");
  refuses("r.ply", HEAD("9000000000000000000") "end_header\n1 2 3\n",
          "9000000000000000000 rows of 'vertex', and 1 are");
  refuses("r.ply", HEAD("1") "end_header\n1 2 3\n4 5 6\n",
          "line 9: there are more rows than the header promises");
  refuses("r.ply", HEAD("1") "element face 2\nproperty list uchar int i\nend_header\n1 2 3\n3 0 0 0\n",
          "promises 2 rows of 'face', and 1 are whole");
  refuses("r.ply", HEAD("1") "element face 1\nproperty list uchar int i\nend_header\n1 2 3\n3 0 0\n",
          "line 11: face 1 has fewer numbers");
  refuses("r.ply",
          "ply\nformat binary_little_endian 1.0\nelement vertex 1\n" XYZ
          "element f 1\nproperty list char int i\nend_header\n............\xFE",
          "f 1 has a list of negative length");
  refuses("r.ply",
          "ply\nformat binary_little_endian 1.0\nelement vertex 8000000000000000000\n" XYZ
          "end_header\n............",
          "8000000000000000000 rows of 'vertex', and 1 are whole");
}

/* ------------------------------------------------------------------ OBJ */

static void obj_text(void **state) {
  (void)state;
  const char *const text[] = {
      ("v 0 0 0\nv 1.5 0 -2\nv 0 1e3 .25\nv -1 2 3\n"),
      ("# made up\nmtllib a.mtl\r\no thing\nv 0 0 0 1.0\r\n\tv\t1.5 0 -2 0.1 0.2 0.3\nvn 0 0 1\nvt 0 1\n"
       "v 0 1e3 .25 # the third\nv -1 2 3 .1 .2 .3 1\nf 1/1/1 2/1/1 3/1/1\nl 1 2\nusemtl v\ns off"),
      ("v \\\n0 0 0\nf 1 2 \\\n v 3\n v 1.5 0 \\ \n -2\nv 0 1e3 .2\\\n\n"),
      ("\xEF\xBB\xBFv 0 0 0\rv 1.5 0 -2\rv 0 1e3 .25\r# C:\\meshes\\\rv -1 2 3\r"),
  };
  reads("a.obj", text[0], CORNERS, corners);
  reads("a.obj", text[1], CORNERS, corners);
  reads("a.obj", text[3], CORNERS, corners);
  const double three[] = {0, 0, 0, 1.5, 0, -2, 0, 1e3, 0.2};
  reads("a.obj", text[2], 3, three);
  const char *const comma[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE.utf8"};
  for (int i = 0; i < 3 && !setlocale(LC_ALL, comma[i]); i++) continue;
  reads("a.obj", text[0], CORNERS, corners);
  setlocale(LC_ALL, "C");
}

static void obj_refusals(void **state) {
  (void)state;
  refuses("a.obj", "", "holds no vertices: lines 'v x y z'");
  refuses("a.obj", "vn 1 2 3\nf 1 2 3\n", "holds no vertices");
  refuses("a.obj", "v 1 2 3\n\nv 1 2\n", "line 3: vertex 2 has 2 numbers where 3 to 7");
  refuses("a.obj", "v\n", "line 1: vertex 1 has 0 numbers");
  refuses("a.obj", "v 1 \\\n", "line 1: vertex 1 has 1 number where");
  refuses("a.obj", "v 1 2 3 4 5 6 7 8 9\n", "line 1: vertex 1 has 8 or more numbers");
  refuses("a.obj", "v 1 2 3\nv 1 \\\n zwei 3\n", "line 3: 'zwei' is not a number");
  refuses("a.obj", "v 1,0 2,0 3,0\n", "'1,0' is not a number (decimals need a point, not a comma)");
  refused(in("a.obj:v"), LAVDM_ERROR_ARGUMENT, "a .obj file holds one array without a name");
  lavdm_error error;
  assert_false(io_can_write("a.obj", false, &error));
  assert_false(io_can_write("a.ply", false, &error));
}

/* What is left of a file is refused, or read as the vertices that are in it. */
static void obj_cut(void **state) {
  (void)state;
  const char text[] = "# c\nv 1 2 3\nv 4 5 \\\n6\nvn 0 0 1\nv 7 8 9 1\nf 1 2 3\n";
  const double want[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  for (size_t size = 0; size <= strlen(text); size++) {
    io_array a;
    lavdm_error error = {0};
    save(in("cut.obj"), text, size);
    if (io_read(in("cut.obj"), &a, &error) < 0) {
      assert_true(strstr(error.message, "vert") != NULL);
      continue;
    }
    assert_in_range(a.shape[0], 1, 3);
    assert_memory_equal(a.data, want, (size_t)a.shape[0] * 3 * sizeof *want);
    io_array_free(&a);
  }
}

static void damage_at_random(void **state) {
  (void)state;
  const char text[] =
      HEAD("3") "element face 1\nproperty list uchar int i\nend_header\n0 0 1\n2 3 4\n5 6 7\n3 0 1 2\n";
  save(in("m.ply"), text, strlen(text));
  mutate(in("m.ply"), NULL, 3000);
  bytes_t b = mesh(&scalars[7], "double", true, "\r", corners, CORNERS);
  save(in("m.ply"), b.data, b.size);
  mutate(in("m.ply"), NULL, 3000);
  drop(&b);
  const char object[] = "# c\nv 1 2 3\nv 4 5 \\\n6\nvn 0 0 1\nv 7 8 9 1\nf 1 2 3\n";
  save(in("m.obj"), object, strlen(object));
  mutate(in("m.obj"), NULL, 2000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ply_text),         cmocka_unit_test(ply_bytes),    cmocka_unit_test(ply_cut),
      cmocka_unit_test(ply_text_cut),     cmocka_unit_test(ply_headers),  cmocka_unit_test(ply_rows),
      cmocka_unit_test(obj_text),         cmocka_unit_test(obj_refusals), cmocka_unit_test(obj_cut),
      cmocka_unit_test(damage_at_random),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
