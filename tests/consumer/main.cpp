// The headers in C++.
#include <lavdm.h>
#include <lavdm/average.h>
#include <lavdm/denoise.h>
#include <lavdm/file.h>
#include <lavdm/images.h>
#include <lavdm/projections.h>
#include <lavdm/report.h>
#include <lavdm/sample.h>
#include <lavdm/sync.h>

#include <cstdio>
#include <vector>

int main() {
  const int64_t n = 300;
  std::vector<double> x(3 * n);
  lavdm_error error;
  lavdm_options options;
  lavdm_options_default(&options);
  lavdm_data data = lavdm_data();
  data.points = x.data(), data.n = n, data.p = 3;
  lavdm_model *model = nullptr;
  if (lavdm_sample("sphere", n, 2, nullptr, 0, 1, x.data(), nullptr, nullptr, &error) < 0 ||
      lavdm_fit(&data, &options, &model, &error) < 0)
    return std::puts(error.message), 1;
  std::printf("C++: %.6f\n", lavdm_info(model)->eigenvalues[0]);
  lavdm_free(model);
}
