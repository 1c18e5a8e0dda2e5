/* Puts right what is under a checksum in a file of store_write. */
#ifndef LAVDM_FUZZ_REPAIR_H
#define LAVDM_FUZZ_REPAIR_H

#include <stddef.h>
#include <stdint.h>

/* The length of the file, and the checksums of texts, arrays and headers. */
void store_repair(uint8_t *data, size_t size);

#endif
