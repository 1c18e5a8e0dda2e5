/* Files that are not read here, and the command that makes of them one that is. */
#include "io/formats.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static const struct {
  const char *end, *what, *how; /* %s: the file */
} others[] = {
    {".parquet", "a Parquet table", "pandas.read_parquet('%s').to_csv('%s.csv')"},
    {".pq", "a Parquet table", "pandas.read_parquet('%s').to_csv('%s.csv')"},
    {".feather", "a Feather table", "pandas.read_feather('%s').to_csv('%s.csv')"},
    {".arrow", "an Arrow table", "pandas.read_feather('%s').to_csv('%s.csv')"},
    {".pkl", "a Python pickle (which may run any program: open none of strangers)",
     "pandas.read_pickle('%s').to_csv('%s.csv')"},
    {".pickle", "a Python pickle (which may run any program: open none of strangers)",
     "pandas.read_pickle('%s').to_csv('%s.csv')"},
    {".xlsx", "an Excel table", "pandas.read_excel('%s').to_csv('%s.csv')"},
    {".xls", "an Excel table", "pandas.read_excel('%s').to_csv('%s.csv')"},
    {".ods", "a spreadsheet", "pandas.read_excel('%s').to_csv('%s.csv')"},
    {".jsonl", "JSON", "pandas.read_json('%s', lines=True).to_csv('%s.csv')"},
    {".json", "JSON", "pandas.read_json('%s').to_csv('%s.csv')"},
    {".dta", "a Stata table", "pandas.read_stata('%s').to_csv('%s.csv')"},
    {".sav", "an SPSS table", "pandas.read_spss('%s').to_csv('%s.csv')"},
};

int convert_hint(const char *path, lavdm_error *error) {
  size_t length = strlen(path);
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    size_t end = strlen(others[i].end);
    if (length <= end || strcasecmp(path + length - end, others[i].end)) continue;
    char words[700];
    /* a quote would end the command early: such names are left to the user */
    const char *name = length > 120 || strpbrk(path, "'\"\\`$") ? "FILE" : path;
    snprintf(words, sizeof words, others[i].how, name, name);
    return io_fail(error, LAVDM_ERROR_ARGUMENT, path,
                   "is %s, which is not read; make a CSV of it: python3 -c \"import pandas; %s\"",
                   others[i].what, words);
  }
  if (length > 4 && !strcasecmp(path + length - 4, ".rds"))
    return io_fail(
        error, LAVDM_ERROR_ARGUMENT, path,
        "is an object of R, which is not read; make a CSV of it: Rscript -e \"write.csv(readRDS('FILE'), "
        "'FILE.csv')\"");
  if (length > 5 && !strcasecmp(path + length - 5, ".star"))
    return io_fail(error, LAVDM_ERROR_ARGUMENT, path,
                   "is a STAR file, which is not read yet; give the stack of images that it names (.mrcs)");
  return LAVDM_OK;
}
