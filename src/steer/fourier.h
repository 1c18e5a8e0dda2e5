/* The discrete Fourier transform of one real signal, of any length. */
#ifndef LAVDM_STEER_FOURIER_H
#define LAVDM_STEER_FOURIER_H

#include "steer/steer.h"

typedef struct steer_fourier steer_fourier;

steer_fourier *REAL(fourier_new)(int64_t samples); /* NULL: no memory */
void REAL(fourier_free)(steer_fourier *fourier);   /* accepts NULL */

/* out (samples/2+1 complex) = sum over s of x_s e^(-2 pi i k s/p); x is lost. */
void REAL(fourier_forward)(const steer_fourier *fourier, real_t *x, real_t *out);
/* out (samples) = the sum over k and -k of x_k e^(2 pi i k s/p); x is lost. */
void REAL(fourier_back)(const steer_fourier *fourier, real_t *x, real_t *out);

#endif
