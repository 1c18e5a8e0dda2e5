/*
 * The precision of a run. The stages from the points to the tiles of the graph
 * (neighbours, frames, steer, source, graph, operator, pipeline) are compiled twice:
 * with real_t = double, and, with LAVDM_SINGLE, real_t = float. real_t is the
 * type of coordinates, frames, weights and blocks of a tile, and of eigenvectors;
 * sums over tiles (degrees, G) and the whole spectrum are double in both.
 *
 * C has one name space for functions, so those of the second build get the
 * names below. A function that is missing here is "multiply defined" at link.
 */
#ifndef LAVDM_BASE_REAL_H
#define LAVDM_BASE_REAL_H

#include "lavdm.h"

#include <float.h>

#ifndef LAVDM_SINGLE

typedef double real_t;
typedef int64_t real_bits_t;
#define REAL_TYPE    LAVDM_F64
#define REAL_EPSILON DBL_EPSILON
#define REAL_LEAST   DBL_MIN

#define cblas_gemm cblas_dgemm
#define cblas_syrk cblas_dsyrk
#define cblas_gemv cblas_dgemv
#define cblas_dot  cblas_ddot
#define cblas_axpy cblas_daxpy
#define cblas_nrm2 cblas_dnrm2
#define cblas_scal cblas_dscal
#define syevr_work LAPACKE_dsyevr_work

#else

typedef float real_t;
typedef int32_t real_bits_t;
#define REAL_TYPE    LAVDM_F32
#define REAL_EPSILON FLT_EPSILON
#define REAL_LEAST   FLT_MIN

#define cblas_gemm cblas_sgemm
#define cblas_syrk cblas_ssyrk
#define cblas_gemv cblas_sgemv
#define cblas_dot  cblas_sdot
#define cblas_axpy cblas_saxpy
#define cblas_nrm2 cblas_snrm2
#define cblas_scal cblas_sscal
#define syevr_work LAPACKE_ssyevr_work

#define batch_box            batch_box_single
#define beyond               beyond_single
#define block_gather         block_gather_single
#define block_groups         block_groups_single
#define block_moments        block_moments_single
#define block_next           block_next_single
#define block_pick           block_pick_single
#define block_row            block_row_single
#define box_distance2        box_distance2_single
#define choose_bandwidth     choose_bandwidth_single
#define choose_components    choose_components_single
#define choose_dimension     choose_dimension_single
#define choose_edges         choose_edges_single
#define choose_landmarks     choose_landmarks_single
#define choose_neighbours    choose_neighbours_single
#define choose_normalisation choose_normalisation_single
#define choose_past_copies   choose_past_copies_single
#define choose_radius        choose_radius_single
#define chosen_kernel        chosen_kernel_single
#define chosen_rule          chosen_rule_single
#define count_upto           count_upto_single
#define determinant          determinant_single
#define distance2            distance2_single
#define distances2           distances2_single
#define engine_cpu           engine_cpu_single
#define extend_run           extend_run_single
#define extension_fields     extension_fields_single
#define extension_free       extension_free_single
#define extension_knows      extension_knows_single
#define extension_sort       extension_sort_single
#define farthest_points      farthest_points_single
#define fit_run              fit_run_single
#define fourier_back         fourier_back_single
#define fourier_forward      fourier_forward_single
#define fourier_free         fourier_free_single
#define fourier_new          fourier_new_single
#define frame_products       frame_products_single
#define frames_dimension     frames_dimension_single
#define frames_estimate      frames_estimate_single
#define frames_free          frames_free_single
#define gram_compute         gram_compute_single
#define gram_fields          gram_fields_single
#define graph_by_distance    graph_by_distance_single
#define graph_of_edges       graph_of_edges_single
#define graph_work_free      graph_work_free_single
#define graph_work_new       graph_work_new_single
#define items_free           items_free_single
#define items_new            items_new_single
#define keep_all             keep_all_single
#define keep_every_frame     keep_every_frame_single
#define keep_landmarks       keep_landmarks_single
#define keep_objects         keep_objects_single
#define kept_bytes           kept_bytes_single
#define kept_free            kept_free_single
#define kept_new             kept_new_single
#define kept_pays            kept_pays_single
#define kernel_weights       kernel_weights_single
#define kmeans_points        kmeans_points_single
#define kmeans_seeds         kmeans_seeds_single
#define kth_smallest         kth_smallest_single
#define landmarks_choose     landmarks_choose_single
#define largest_of           largest_of_single
#define list_moments         list_moments_single
#define make_blocks          make_blocks_single
#define near_box             near_box_single
#define nearest              nearest_single
#define nearest_all          nearest_all_single
#define nearest_moments      nearest_moments_single
#define nearest_set          nearest_set_single
#define neighbour_work_free  neighbour_work_free_single
#define neighbour_work_new   neighbour_work_new_single
#define nystrom_eigenvectors nystrom_eigenvectors_single
#define nystrom_operator     nystrom_operator_single
#define objects_batch        objects_batch_single
#define objects_expand       objects_expand_single
#define objects_free         objects_free_single
#define objects_keep         objects_keep_single
#define objects_open         objects_open_single
#define objects_pixels       objects_pixels_single
#define objects_reduce       objects_reduce_single
#define objects_restore      objects_restore_single
#define parts_copy           parts_copy_single
#define parts_free           parts_free_single
#define pca_frames           pca_frames_single
#define pca_small_frames     pca_small_frames_single
#define pca_small_free       pca_small_free_single
#define pca_small_new        pca_small_new_single
#define pca_small_values     pca_small_values_single
#define pca_values           pca_values_single
#define pca_work_free        pca_work_free_single
#define pca_work_new         pca_work_new_single
#define polar_factor         polar_factor_single
#define polar_lanes          polar_lanes_single
#define polar_schulz         polar_schulz_single
#define prepare_objects      prepare_objects_single
#define prepare_points       prepare_points_single
#define radius_moments       radius_moments_single
#define rank_select          rank_select_single
#define room_for             room_for_single
#define rows_one             rows_one_single
#define rows_pass            rows_pass_single
#define rule_free            rule_free_single
#define rule_joins           rule_joins_single
#define rule_new             rule_new_single
#define scaling_compute      scaling_compute_single
#define scaling_free         scaling_free_single
#define search_all           search_all_single
#define search_distance      search_distance_single
#define search_next          search_next_single
#define search_start         search_start_single
#define smallest             smallest_single
#define smallest_set         smallest_set_single
#define snap_centres         snap_centres_single
#define source_orientation   source_orientation_single
#define source_tangent       source_tangent_single
#define source_trivial       source_trivial_single
#define square_build         square_build_single
#define stack_build          stack_build_single
#define stack_calls          stack_calls_single
#define stack_free           stack_free_single
#define stack_invariants     stack_invariants_single
#define stack_nearest        stack_nearest_single
#define stack_new            stack_new_single
#define stack_norms          stack_norms_single
#define stack_take           stack_take_single
#define stage_kept           stage_kept_single
#define stage_save           stage_save_single
#define stage_saved          stage_saved_single
#define stage_take           stage_take_single
#define stages_start         stages_start_single
#define steer_basis_bands    steer_basis_bands_single
#define steer_basis_free     steer_basis_free_single
#define steer_basis_pixels   steer_basis_pixels_single
#define steer_basis_white    steer_basis_white_single
#define steer_circle         steer_circle_single
#define steer_disk           steer_disk_single
#define steer_expand         steer_expand_single
#define steer_grid_free      steer_grid_free_single
#define steer_grid_start     steer_grid_start_single
#define steer_grid_top       steer_grid_top_single
#define steer_match          steer_match_single
#define steer_match_packed   steer_match_packed_single
#define steer_match_pairs    steer_match_pairs_single
#define steer_pack           steer_pack_single
#define steer_packed_free    steer_packed_free_single
#define steer_pca_apply      steer_pca_apply_single
#define steer_pca_fit        steer_pca_fit_single
#define steer_pca_free       steer_pca_free_single
#define steer_refine         steer_refine_single
#define steer_synthesise     steer_synthesise_single
#define steer_work_free      steer_work_free_single
#define steer_work_new       steer_work_new_single
#define tell_alignment       tell_alignment_single
#define tell_components      tell_components_single
#define tell_far             tell_far_single
#define tile_product         tile_product_single
#define tiles_build          tiles_build_single
#define tiles_free           tiles_free_single
#define tiles_whole          tiles_whole_single
#define turned_build         turned_build_single
#define turned_distances     turned_distances_single
#define turned_fields        turned_fields_single
#define turned_free          turned_free_single
#define turned_open          turned_open_single
#define turned_square        turned_square_single
#define wide_gather          wide_gather_single
#define wide_move            wide_move_single
#define wide_queries         wide_queries_single
#define wide_row             wide_row_single
#define within               within_single

#endif

/* 64 bytes of numbers at once; the compiler maps them to what the machine has. */
enum { LANES = 64 / sizeof(real_t) };
typedef real_t lanes_t __attribute__((vector_size(64), may_alias));
typedef real_bits_t lane_mask_t __attribute__((vector_size(64), may_alias));

#endif
