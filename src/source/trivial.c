#include "source/source.h"

source_t REAL(source_trivial)(void) {
  return (source_t){.q = 1};
}
