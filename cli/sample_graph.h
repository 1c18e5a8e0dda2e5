/* lavdm sample graph: edges with elements of a group, made from elements that are known. */
#ifndef LAVDM_CLI_SAMPLE_GRAPH_H
#define LAVDM_CLI_SAMPLE_GRAPH_H

#include "base/arguments.h"

/* `sample graph`: reads its options, draws the graph, writes FILE and FILE-truth. */
int sample_graph(const arguments *a, lavdm_error *error);

#endif
