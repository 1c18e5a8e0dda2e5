#include "graph/square.h"
#include "neighbours/landmarks.h"
#include "pipeline/engine.h"

const engine_t engine_cpu = {
    .name = "cpu",
    .order = tiles_build,
    .landmarks = landmarks_choose,
    .frames = frames_estimate,
    .scaling = scaling_compute,
    .gram = gram_compute,
    .fields = gram_fields,
    .square = square_build,
    .normalise = square_normalise,
    .spectrum = spectrum_top,
};
