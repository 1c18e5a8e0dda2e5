#include "live.h"

#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>

/* Open addressing: a block stands at the first free slot after its own place, without gaps in between. */
static void **slots;
static size_t room, used; /* room: a power of two, at least twice `used` */
static int64_t bytes, most, began;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Not wrapped: where nothing wraps them, this file is not linked. */
void *__real_calloc(size_t count, size_t size);
void __real_free(void *block);

static size_t place(const void *block) {
  return (size_t)(((uintptr_t)block >> 4) * 0x9E3779B97F4A7C15u >> 20) & (room - 1);
}

/* The slot of the block, or the free one where it would go. */
static size_t find(const void *block) {
  size_t at = place(block);
  while (slots[at] && slots[at] != block) at = (at + 1) & (room - 1);
  return at;
}

static void grow(void) {
  void **old = slots;
  size_t old_room = room;
  room = room ? 2 * room : 1024;
  slots = __real_calloc(room, sizeof *slots);
  if (!slots) abort();
  for (size_t i = 0; i < old_room; i++)
    if (old[i]) slots[find(old[i])] = old[i];
  __real_free(old);
}

void live_add(void *block) {
  if (!block) return;
  pthread_mutex_lock(&lock);
  if (2 * used >= room) grow();
  slots[find(block)] = block;
  used++;
  bytes += (int64_t)malloc_usable_size(block);
  if (bytes > most) most = bytes;
  pthread_mutex_unlock(&lock);
}

bool live_drop(void *block) {
  if (!block) return false;
  pthread_mutex_lock(&lock);
  size_t at = room ? find(block) : 0;
  bool found = room && slots[at];
  if (found) {
    slots[at] = NULL;
    used--;
    bytes -= (int64_t)malloc_usable_size(block);
    /* those behind it may have stood there because of it */
    for (size_t next = (at + 1) & (room - 1); slots[next]; next = (next + 1) & (room - 1)) {
      void *moved = slots[next];
      slots[next] = NULL;
      slots[find(moved)] = moved;
    }
  }
  pthread_mutex_unlock(&lock);
  return found;
}

int64_t live_count(void) {
  pthread_mutex_lock(&lock);
  int64_t count = (int64_t)used;
  pthread_mutex_unlock(&lock);
  return count;
}

void live_begin(void) {
  pthread_mutex_lock(&lock);
  most = began = bytes;
  pthread_mutex_unlock(&lock);
}

int64_t live_peak(void) {
  pthread_mutex_lock(&lock);
  int64_t peak = most - began;
  pthread_mutex_unlock(&lock);
  return peak;
}
