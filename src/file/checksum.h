/*
 * The two checksums of a file. HDF5 asks for lookup3 (32 bits) over each of its
 * headers; the bytes of arrays and texts, for which it has none, are under
 * CRC-64/XZ: the polynomial of ECMA-182, reflected, all ones before and after.
 */
#ifndef LAVDM_FILE_CHECKSUM_H
#define LAVDM_FILE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

uint32_t lookup3(const void *data, size_t bytes);

enum { CRC_STEP = 16 }; /* bytes that are taken at once */

/* table[k][b] is the remainder of byte b with k zero bytes behind it. */
typedef struct {
  uint64_t table[CRC_STEP][256];
} crc64_t;

void crc64_start(crc64_t *crc);

/* The checksum of a longer text from that of its beginning (0 for none). */
uint64_t crc64(const crc64_t *crc, uint64_t sum, const void *data, size_t bytes);

#endif
