/* lavdm info of a table: its columns. */
#ifndef LAVDM_CLI_INFO_TABLE_H
#define LAVDM_CLI_INFO_TABLE_H

#include "base/json.h"
#include "io/table.h"

/* A line for each column. */
int info_table_print(io_table *t, lavdm_error *error);

/* The same as a list `columns` of the object. */
int info_table_put(io_table *t, json_builder *object, lavdm_error *error);

#endif
