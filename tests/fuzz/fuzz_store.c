/* Files of named arrays (src/file/store.h); mutations get their checksums repaired. */
#include "fuzz.h"
#include "mutate.h"
#include "file/hdf5.h"

#include <string.h>

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
  return hdf5_mutate(data, size, most, seed);
}

static void check_item(const store_t *store, const store_item *item) {
  static volatile unsigned char sum;
  const unsigned char *bytes = item->data;
  bool text = item->type == STORE_TEXT;
  PROMISE(item->name && item->name[0], "an item has a name");
  PROMISE(store_find(store, item->name) == item, "an item is found by its name");
  int64_t count = store_elements(item->rank, item->shape);
  PROMISE(count >= 0, "a shape is possible");
  PROMISE(!text || (item->rank == 1 && strlen(item->data) == (size_t)count), "a text ends where it should");
  PROMISE(text || item->rank == 0 || (uintptr_t)bytes % ALIGNMENT == 0, "an array is aligned");
  PROMISE(text || (uintptr_t)bytes % (uintptr_t)hdf5_type_of(item->type)->size == 0, "a number is aligned");
  for (int64_t i = 0, length = text ? count : store_bytes(item); i < length; i++)
    sum = (unsigned char)(sum + bytes[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  store_t *store = NULL;
  lavdm_error error = {0};
  int status = store_open(fuzz_file(".h5", data, size), &store, &error);
  fuzz_check_error(status, &error);
  PROMISE((status >= 0) == (store != NULL), "there is a store or an error");
  for (int i = 0; store && i < store_count(store); i++) check_item(store, store_at(store, i));
  store_close(store);
  return 0;
}
