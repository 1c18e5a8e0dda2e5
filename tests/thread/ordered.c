/* Threads that wait for each other as OpenMP's loops, sums and critical sections do: nothing to report. */
#include <stdio.h>

int main(void) {
  enum { COUNT = 1000 };
  static long value[COUNT];
  long sum = 0, most = 0;
  for (int time = 0; time < 5; time++) {
#pragma omp parallel for num_threads(2) schedule(dynamic, 8) reduction(+ : sum)
    for (long i = 0; i < COUNT; i++) {
      value[i] += i + time;
      sum += value[i];
    }
#pragma omp parallel for num_threads(2) schedule(static)
    for (long i = 0; i < COUNT; i++)
#pragma omp critical
      most = value[i] > most ? value[i] : most;
  }
  printf("%ld %ld\n", sum, most);
  return 0;
}
