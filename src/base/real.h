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

#define blocks_of_landmarks blocks_of_landmarks_single
#define blocks_of_square    blocks_of_square_single
#define gram_bytes          gram_bytes_single
#define kept_expected       kept_expected_single
#define objects_basis_bytes objects_basis_bytes_single
#define objects_batch_bytes objects_batch_bytes_single
#define cpu_centre          cpu_centre_single
#define cpu_load            cpu_load_single
#define cpu_unload          cpu_unload_single
#define cpu_drop            cpu_drop_single
#define cpu_sample          cpu_sample_single
#define cpu_nearest         cpu_nearest_single
#define cpu_within          cpu_within_single
#define cpu_copies          cpu_copies_single
#define cpu_dimension       cpu_dimension_single
#define cpu_landmarks       cpu_landmarks_single
#define cpu_load_stack      cpu_load_stack_single
#define cpu_stack_nearest   cpu_stack_nearest_single
#define cpu_stack_within    cpu_stack_within_single
#define cpu_stack_landmarks cpu_stack_landmarks_single
#define cpu_stack_graph     cpu_stack_graph_single
#define cpu_stack_far       cpu_stack_far_single
#define cpu_frames          cpu_frames_single
#define cpu_graph           cpu_graph_single
#define cpu_scale           cpu_scale_single
#define cpu_gram            cpu_gram_single
#define cpu_apply           cpu_apply_single
#define cpu_spectrum        cpu_spectrum_single
#define cpu_fields          cpu_fields_single
#define cpu_extend          cpu_extend_single
#define cpu_blocks          cpu_blocks_single
#define cpu_arrange         cpu_arrange_single
#define cpu_fetch           cpu_fetch_single
#define cpu_put             cpu_put_single
#define cpu_save            cpu_save_single
#define cpu_resume          cpu_resume_single
#define cpu_need            cpu_need_single
#define cpu_rows_bytes      cpu_rows_bytes_single
#define batch_box           batch_box_single
#define beyond              beyond_single
#define block_gather        block_gather_single
#define block_groups        block_groups_single
#define block_moments       block_moments_single
#define block_next          block_next_single
#define block_pick          block_pick_single
#define block_row           block_row_single
#define box_distance2       box_distance2_single
#define count_upto          count_upto_single
#define determinant         determinant_single
#define distance2           distance2_single
#define distances2          distances2_single
#define engine_cpu          engine_cpu_single
#define extension_fields    extension_fields_single
#define extension_free      extension_free_single
#define extension_knows     extension_knows_single
#define extension_sort      extension_sort_single
#define farthest_points     farthest_points_single
#define fourier_back        fourier_back_single
#define fourier_forward     fourier_forward_single
#define fourier_free        fourier_free_single
#define fourier_new         fourier_new_single
#define frame_products      frame_products_single
#define frames_dimension    frames_dimension_single
#define frames_estimate     frames_estimate_single
#define frames_free         frames_free_single
#define gram_compute        gram_compute_single
#define gram_fields         gram_fields_single
#define graph_by_distance   graph_by_distance_single
#define graph_of_edges      graph_of_edges_single
#define graph_work_free     graph_work_free_single
#define graph_work_new      graph_work_new_single
#define items_free          items_free_single
#define items_new           items_new_single
#define kept_bytes          kept_bytes_single
#define kept_free           kept_free_single
#define kept_new            kept_new_single
#define kept_pays           kept_pays_single
#define kernel_weights      kernel_weights_single
#define kmeans_points       kmeans_points_single
#define kmeans_seeds        kmeans_seeds_single
#define kth_smallest        kth_smallest_single
#define landmarks_choose    landmarks_choose_single
#define largest_of          largest_of_single
#define list_moments        list_moments_single
#define near_box            near_box_single
#define nearest             nearest_single
#define nearest_all         nearest_all_single
#define nearest_moments     nearest_moments_single
#define nearest_set         nearest_set_single
#define neighbour_work_free neighbour_work_free_single
#define neighbour_work_new  neighbour_work_new_single
#define objects_batch       objects_batch_single
#define objects_expand      objects_expand_single
#define objects_free        objects_free_single
#define objects_keep        objects_keep_single
#define objects_open        objects_open_single
#define objects_pixels      objects_pixels_single
#define objects_reduce      objects_reduce_single
#define objects_restore     objects_restore_single
#define parts_copy          parts_copy_single
#define parts_free          parts_free_single
#define pca_frames          pca_frames_single
#define pca_small_frames    pca_small_frames_single
#define pca_small_free      pca_small_free_single
#define pca_small_new       pca_small_new_single
#define pca_small_values    pca_small_values_single
#define pca_values          pca_values_single
#define pca_work_free       pca_work_free_single
#define pca_work_new        pca_work_new_single
#define polar_factor        polar_factor_single
#define polar_lanes         polar_lanes_single
#define polar_schulz        polar_schulz_single
#define radius_moments      radius_moments_single
#define rank_select         rank_select_single
#define room_for            room_for_single
#define rows_one            rows_one_single
#define rows_pass           rows_pass_single
#define rule_free           rule_free_single
#define rule_joins          rule_joins_single
#define rule_new            rule_new_single
#define scaling_compute     scaling_compute_single
#define scaling_free        scaling_free_single
#define search_all          search_all_single
#define search_distance     search_distance_single
#define search_next         search_next_single
#define search_start        search_start_single
#define smallest            smallest_single
#define smallest_set        smallest_set_single
#define snap_centres        snap_centres_single
#define source_orientation  source_orientation_single
#define source_tangent      source_tangent_single
#define source_trivial      source_trivial_single
#define square_build        square_build_single
#define stack_build         stack_build_single
#define stack_calls         stack_calls_single
#define stack_free          stack_free_single
#define stack_invariants    stack_invariants_single
#define stack_nearest       stack_nearest_single
#define stack_new           stack_new_single
#define stack_norms         stack_norms_single
#define stack_take          stack_take_single
#define steer_basis_bands   steer_basis_bands_single
#define steer_basis_free    steer_basis_free_single
#define steer_basis_pixels  steer_basis_pixels_single
#define steer_basis_white   steer_basis_white_single
#define steer_circle        steer_circle_single
#define steer_disk          steer_disk_single
#define steer_expand        steer_expand_single
#define steer_grid_free     steer_grid_free_single
#define steer_grid_start    steer_grid_start_single
#define steer_grid_top      steer_grid_top_single
#define steer_match         steer_match_single
#define steer_match_packed  steer_match_packed_single
#define steer_match_pairs   steer_match_pairs_single
#define steer_pack          steer_pack_single
#define steer_packed_free   steer_packed_free_single
#define steer_pca_apply     steer_pca_apply_single
#define steer_pca_fit       steer_pca_fit_single
#define steer_pca_free      steer_pca_free_single
#define steer_refine        steer_refine_single
#define steer_synthesise    steer_synthesise_single
#define steer_work_free     steer_work_free_single
#define steer_work_new      steer_work_new_single
#define tile_product        tile_product_single
#define tiles_build         tiles_build_single
#define tiles_free          tiles_free_single
#define tiles_whole         tiles_whole_single
#define turned_build        turned_build_single
#define turned_distances    turned_distances_single
#define turned_square       turned_square_single
#define wide_gather         wide_gather_single
#define wide_move           wide_move_single
#define wide_queries        wide_queries_single
#define wide_row            wide_row_single
#define within              within_single

#endif

/* 64 bytes of numbers at once; the compiler maps them to what the machine has. */
enum { LANES = 64 / sizeof(real_t) };
typedef real_t lanes_t __attribute__((vector_size(64), may_alias));
typedef real_bits_t lane_mask_t __attribute__((vector_size(64), may_alias));

#endif
