/* A loop whose threads add to one number without asking each other: the sanitizer must report it. */
#include <stdio.h>

int main(void) {
  long sum = 0;
#pragma omp parallel for num_threads(2) schedule(static)
  for (long i = 0; i < 100000; i++) sum += i;
  printf("%ld\n", sum);
  return 0;
}
