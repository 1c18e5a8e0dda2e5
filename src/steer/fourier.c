/*
 * By FFTW. Its planner keeps a state of its own and serves one thread at a time; plans
 * are the same for every run (ESTIMATE), and may be used by all threads.
 */
#include "steer/fourier.h"

#include "base/memory.h"

#include <fftw3.h>

#ifdef LAVDM_SINGLE
#define FFTW(name) fftwf_##name
#else
#define FFTW(name) fftw_##name
#endif

struct steer_fourier {
  FFTW(plan) forward, back;
};

steer_fourier *REAL(fourier_new)(int64_t samples) {
  steer_fourier *fourier = NEW(steer_fourier, 1);
  real_t *x = NEW(real_t, samples + 2), *a = NEW(real_t, samples + 2);
  if (fourier && x && a) {
    unsigned flags = FFTW_ESTIMATE | FFTW_UNALIGNED | FFTW_DESTROY_INPUT;
#pragma omp critical(lavdm_steer_plan)
    {
      fourier->forward = FFTW(plan_dft_r2c_1d)((int)samples, x, (FFTW(complex) *)a, flags);
      fourier->back = FFTW(plan_dft_c2r_1d)((int)samples, (FFTW(complex) *)a, x, flags);
    }
  }
  mem_free(x);
  mem_free(a);
  if (fourier && fourier->forward && fourier->back) return fourier;
  REAL(fourier_free)(fourier);
  return NULL;
}

void REAL(fourier_free)(steer_fourier *fourier) {
  if (!fourier) return;
#pragma omp critical(lavdm_steer_plan)
  {
    if (fourier->forward) FFTW(destroy_plan)(fourier->forward);
    if (fourier->back) FFTW(destroy_plan)(fourier->back);
  }
  mem_free(fourier);
}

void REAL(fourier_forward)(const steer_fourier *fourier, real_t *x, real_t *out) {
  FFTW(execute_dft_r2c)(fourier->forward, x, (FFTW(complex) *)out);
}

void REAL(fourier_back)(const steer_fourier *fourier, real_t *x, real_t *out) {
  FFTW(execute_dft_c2r)(fourier->back, (FFTW(complex) *)x, out);
}
