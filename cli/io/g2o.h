/*
 * Pose graphs as g2o keeps them: lines
 *
 *     VERTEX_SE2 id x y theta                   VERTEX_SE3:QUAT id x y z qx qy qz qw
 *     EDGE_SE2 i j x y theta I(6)               EDGE_SE3:QUAT i j x y z qx qy qz qw I(21)
 *     FIX id ...                                poses that stay where their VERTEX line has them
 *     EDGE_PRIOR_SE2 i x y theta I(6)           EDGE_SE3_PRIOR i offset x y z qx qy qz qw I(21)
 *     EDGE_PRIOR_SE2_XY i x y I(3)
 *     VERTEX_XY l x y                           VERTEX_TRACKXYZ l x y z
 *     EDGE_SE2_XY i l x y I(3)                  EDGE_SE3_TRACKXYZ i l offset x y z I(6)
 *     EDGE_SE2_POINTXY_OFFSET i l offset x y I(3)
 *     PARAMS_SE2OFFSET id x y theta             PARAMS_SE3OFFSET id x y z qx qy qz qw
 *
 * and as TORO does, with angles for rotations, R = Rz(yaw) Ry(pitch) Rx(roll):
 *
 *     VERTEX2 id x y theta                      VERTEX3 id x y z roll pitch yaw
 *     EDGE2 i j x y theta I11 I12 I22 I33 I13 I23
 *                                               EDGE3 i j x y z roll pitch yaw I(21)
 *
 * An edge says what pose j is in the coordinates of pose i, and I is the upper half of the information
 * matrix, row by row. The offset of a sensor goes into what it measured. Other lines are left alone and
 * counted.
 */
#ifndef LAVDM_CLI_IO_G2O_H
#define LAVDM_CLI_IO_G2O_H

#include "io/pose_graph.h"

/* threads: 0 for as many as there are. */
int g2o_read(const char *path, int64_t threads, pose_graph *out, lavdm_error *error);

/* True if a name ends in .g2o; in .graph or .toro. */
int g2o_is(const char *path);
int toro_is(const char *path);

/*
 * The poses, then points and whatever else the file `rest_of` has, as it stands there; NULL: then the edges
 * of the graph, if it has any with shifts. Whole or not at all. A name that ends in .graph or .toro gets
 * lines as TORO has them.
 */
int g2o_write(const char *path, const pose_result *result, const char *rest_of, lavdm_error *error);

#endif
