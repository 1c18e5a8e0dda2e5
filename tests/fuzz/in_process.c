/*
 * What is otherwise done in a child process (cli/io/isolate.c), in this one: the
 * arrays that the work sends become the list at once. A child that breaks off comes
 * back here, without what it held.
 */
#include "fuzz.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

struct sender {
  io_list *list;
  io_array *array; /* under way */
  column_walk walk;
  bool columns;
  int64_t got; /* bytes of it */
};

static jmp_buf back;
static bool inside;

int __wrap_isolate(const isolate_terms *terms, isolated_work work, void *user, io_list *list,
                   lavdm_error *error);
_Noreturn void __real__exit(int code);
_Noreturn void __wrap__exit(int code);
void __wrap_send_array(sender *to, const io_array *array, bool columns, bool data);
void __wrap_send_bytes(sender *to, const void *data, int64_t bytes);
void __wrap_sender_allow(sender *to, int64_t bytes);

_Noreturn void __wrap__exit(int code) {
  if (!inside) __real__exit(code);
  longjmp(back, 1);
}

static int64_t width(const io_array *array) {
  return array->type == IO_TEXT ? 1 : 8;
}

static void check_whole(const sender *to) {
  const io_array *a = to->array;
  PROMISE(!a || !a->data || to->got == io_array_count(a) * width(a), "an array is sent whole");
}

void __wrap_send_array(sender *to, const io_array *array, bool columns, bool data) {
  check_whole(to);
  PROMISE(array->name && shape_count(array->rank, array->shape) >= 0, "an array can be announced");
  PROMISE(array->type != IO_TEXT || !data || (array->rank == 1 && !columns), "a text is a row");
  to->array = list_add(to->list);
  bool made = to->array && array_describe(to->array, array->name, array->type, array->rank, array->shape) &&
              (!data || array_allocate(to->array));
  if (!made) longjmp(back, 2);
  to->columns = columns;
  to->got = 0;
  to->walk = column_start(array->type, array->rank, array->shape);
}

void __wrap_send_bytes(sender *to, const void *data, int64_t bytes) {
  io_array *a = to->array;
  if (bytes <= 0) return;
  PROMISE(a && a->data && to->got + bytes <= io_array_count(a) * width(a), "bytes are those of an array");
  if (to->columns)
    column_put(&to->walk, a->data, data, bytes / 8);
  else
    memcpy((char *)a->data + to->got, data, (size_t)bytes);
  to->got += bytes;
}

void __wrap_sender_allow(sender *to, int64_t bytes) {
  (void)to;
  PROMISE(bytes >= 0, "memory is not taken back");
}

int __wrap_isolate(const isolate_terms *terms, isolated_work work, void *user, io_list *list,
                   lavdm_error *error) {
  sender to = {.list = list};
  lavdm_error own = {0};
  PROMISE(terms->label && terms->verdict, "a verdict is prepared");
  int broken = setjmp(back), status = 0;
  inside = !broken;
  if (!broken) status = work(&to, user, &own);
  inside = false;
  if (broken == 2) return io_memory(error, terms->label, 0);
  if (broken) return io_fail(error, terms->status, terms->label, "%s", terms->verdict);
  PROMISE(status <= 0, "a child has a status that its parent takes");
  if (status >= 0) check_whole(&to);
  if (status < 0 && error) *error = own;
  return status;
}
