#include "checkpoint/list.h"

#include "base/memory.h"

#include <string.h>

void checkpoint_add(checkpoint_list *list, const char *name, store_type type, int64_t count,
                    const void *data) {
  if (!data || count < 1) return;
  list->item[list->count++] =
      (store_item){.name = name, .type = type, .rank = 1, .shape = {count}, .data = data};
}

void checkpoint_text(checkpoint_list *list, const char *name, const char *text) {
  checkpoint_add(list, name, STORE_TEXT, (int64_t)strlen(text), text);
}

static void add_number(checkpoint_list *list, const char *name, store_type type, const void *value) {
  int64_t *kept = &list->number[list->numbers++];
  memcpy(kept, value, sizeof *kept);
  list->item[list->count++] = (store_item){.name = name, .type = type, .rank = 0, .data = kept};
}

void checkpoint_integer(checkpoint_list *list, const char *name, int64_t value) {
  add_number(list, name, STORE_INTEGER, &value);
}

void checkpoint_real(checkpoint_list *list, const char *name, double value) {
  add_number(list, name, STORE_REAL, &value);
}

int64_t *checkpoint_integers(checkpoint_list *list, const char *name, int64_t count) {
  int64_t *made = NEW(int64_t, count);
  if (!made) return NULL;
  list->owned[list->owns++] = made;
  checkpoint_add(list, name, STORE_INTEGER, count, made);
  return made;
}

void checkpoint_free(checkpoint_list *list) {
  for (int i = 0; list && i < list->owns; i++) mem_free(list->owned[i]);
  mem_free(list);
}
