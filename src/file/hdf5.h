/*
 * The part of HDF5 that a store uses (superblock 2, object headers 2; all
 * numbers little-endian, addresses and lengths of 8 bytes):
 *
 *     superblock     signature, sizes, end of file, address of the root group; lookup3
 *     root group     object header: link info, group info, attribute info, a link for each
 *                    array, an attribute for each number and text, and "checksum"
 *     arrays         an object header each: dataspace, datatype, fill value,
 *                    contiguous layout, attribute info, "checksum"
 *     texts          one global heap, which attributes of type string point into
 *     data           each array at a multiple of 64
 *
 * An object header is OHDR, version, flags, [limits of attributes], length of
 * the messages, the messages (type, length, flags, content), lookup3. The
 * attribute "checksum" of an array is over its data, that of the root group
 * over the heap: CRC-64/XZ, written "crc64xz:" and 16 hexadecimal digits. Attribute info
 * says that attributes are in the header alone; without it, as in files of 0.1, the library of
 * HDF5 finds them all but counts none.
 */
#ifndef LAVDM_FILE_HDF5_H
#define LAVDM_FILE_HDF5_H

#include "file/checksum.h"
#include "file/store.h"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "arrays are mapped as they are in the file, which is little-endian"
#endif

enum {
  SUPERBLOCK_BYTES = 48,
  ALIGNMENT = 64, /* of data */
  HEAP_HEADER = 16,
  HEAP_OBJECT = 16, /* before each text */
  HEAP_LEAST = 4096,
  SUM_BYTES = 24,    /* "crc64xz:0123456789abcdef" */
  TYPE_MOST = 20,    /* bytes of a datatype */
  LISTED_BYTES = 18, /* of link info and attribute info */

  /* types of messages */
  MESSAGE_NIL = 0x00,
  MESSAGE_SPACE = 0x01,
  MESSAGE_LINK_INFO = 0x02,
  MESSAGE_TYPE = 0x03,
  MESSAGE_FILL = 0x05,
  MESSAGE_LINK = 0x06,
  MESSAGE_LAYOUT = 0x08,
  MESSAGE_GROUP_INFO = 0x0A,
  MESSAGE_ATTRIBUTE = 0x0C,
  MESSAGE_ATTRIBUTE_INFO = 0x15,

  OHDR_LIMITS = 0x10, /* flag of an object header: limits of attributes follow */
  MESSAGE_MOST = 65535
};

#define SIGNATURE "\x89HDF\r\n\x1a\n"
#define UNDEFINED UINT64_MAX /* an address that leads nowhere */

/* A datatype as it stands in the file. */
typedef struct {
  int bytes;
  unsigned char code[TYPE_MOST];
  int64_t size; /* of an element in the file */
} hdf5_type;

const hdf5_type *hdf5_type_of(store_type type); /* TEXT: a string of variable length */
const hdf5_type *hdf5_sum_type(void);           /* that of "checksum" */

void hdf5_sum_text(uint64_t sum, char text[SUM_BYTES + 1]);

/* Elements of a shape, or -1 if there cannot be so many. */
int64_t store_elements(int rank, const int64_t *shape);
int64_t store_bytes(const store_item *array); /* of the data of an array whose shape is possible */

#endif
