#include "source/source.h"

source_t source_trivial(void) {
  return (source_t){.q = 1};
}
