/* Puts right what is under a checksum in a file of store_write. */
#ifndef LAVDM_FUZZ_REPAIR_H
#define LAVDM_FUZZ_REPAIR_H

#include <stddef.h>
#include <stdint.h>

/* A mutation for LLVMFuzzerCustomMutator: mostly in place, as what moves is no
 * longer where the addresses in the file say; mostly repaired. */
size_t store_mutate(uint8_t *data, size_t size, size_t most, unsigned seed);

/* The length of the file, and the checksums of texts, arrays and headers. */
void store_repair(uint8_t *data, size_t size);

#endif
