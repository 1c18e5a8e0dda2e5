/* What a user's first program looks like: it sees the installed header alone. */
#include <lavdm.h>

#include <stdio.h>
#include <stdlib.h>

int main(void) {
  enum { N = 1000 };
  static double x[N * 3];
  lavdm_error error;
  if (lavdm_sample("sphere", N, 2, NULL, 0, 1, x, NULL, NULL, &error) < 0) return puts(error.message), 1;
  lavdm_options options;
  lavdm_options_default(&options);
  lavdm_data data = {.points = x, .n = N, .p = 3};
  lavdm_model *model;
  if (lavdm_fit(&data, &options, &model, &error) < 0) return puts(error.message), 1;
  const lavdm_info_t *info = lavdm_info(model);
  printf("lavdm %s: %lld points, q = %lld, leading eigenvalue %.6f\n", lavdm_version(), (long long)info->n,
         (long long)info->q, info->eigenvalues[0]);
  int fine = info->q == 2 && info->eigenvalues[0] > 0.5 && info->eigenvalues[0] < 1;
  lavdm_free(model);
  return !fine;
}
