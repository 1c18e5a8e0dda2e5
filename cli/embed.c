/* lavdm embed: points or edges in, eigenvalues, fields and embedding out. */
#include "checkpoint.h"
#include "base/command.h"
#include "output/cells.h"
#include "output/deliver.h"
#include "output/page.h"
#include "input/estimate.h"
#include "input/input.h"
#include "base/progress.h"

#include <inttypes.h>
#include <stdio.h>

static int check_arguments(const arguments *a, const lavdm_options *options, lavdm_error *error) {
  const char *output = arguments_value(a, "output");
  if (!output && !arguments_value(a, "json") && !arguments_value(a, "report"))
    return refuse(
        error, STATUS_USAGE,
        "where to? Give -o OUTPUT (.h5, .npz, .mat, .npy or .csv), --report FILE.html for a page to "
        "look at, or --json to print alone");
  if (arguments_value(a, "ambient") && options->bundle != LAVDM_BUNDLE_AUTO &&
      options->bundle != LAVDM_BUNDLE_TANGENT)
    return refuse(error, STATUS_USAGE, "--ambient needs --bundle tangent: no other has frames in space");
  if (arguments_value(a, "compact") && (!output || !io_is_h5(output)))
    return refuse(error, STATUS_USAGE,
                  "--compact needs -o FILE.h5: only such a file is a model to be opened again");
  if (arguments_value(a, "cover") && options->bundle != LAVDM_BUNDLE_ORIENTATION)
    return refuse(error, STATUS_USAGE,
                  "--cover needs --bundle orientation: the double cover is made of signs");
  if (!output) return LAVDM_OK;
  if (io_is_cells(output)) return cells_check(a, output, error);
  static const char *const more[] = {"ambient", "embedding", "cover"};
  for (int i = 0; i < 3; i++)
    if (result_alone(output) && arguments_value(a, more[i]) && !(i == 1 && io_writes_table(output)))
      return refuse(error, STATUS_USAGE,
                    "%.200s holds the eigenvectors alone; --%s needs a file .h5, .npz or .mat", output,
                    more[i]);
  int status = result_check(output, NULL, true, error);
  for (int i = 0; i < a->operands && status >= 0; i++)
    status = result_check(output, a->operand[i], true, error);
  const char *others[] = {arguments_value(a, "graph"), a->design_file};
  for (int i = 0; i < 2 && status >= 0; i++)
    if (others[i]) status = result_check(output, others[i], true, error);
  return status;
}

/* Images are compared as they are, or whichever way they are turned: only the user knows which. dm and
 * roseland leave no choice. */
static int check_images(const input *in, const lavdm_options *options, lavdm_error *error) {
  bool images = in->data.height > 1 && in->data.width > 1;
  bool scalar = options->method == LAVDM_METHOD_DM || options->method == LAVDM_METHOD_ROSELAND;
  if (!images || scalar || options->bundle != LAVDM_BUNDLE_AUTO) return LAVDM_OK;
  return refuse(
      error, LAVDM_ERROR_DATA,
      "%.150s is a stack of %" PRId64 " images of %" PRId64 " x %" PRId64
      ": which bundle? --bundle rotation compares images whichever way they are turned; --bundle trivial "
      "takes the pixels as coordinates: lavdm embed %.60s --bundle rotation, or lavdm embed %.60s "
      "--method dm",
      in->name, in->data.n, in->data.height, in->data.width, in->name, in->name);
}

static int run_embed(const arguments *a, lavdm_error *error) {
  input in = {0};
  lavdm_model *model = NULL;
  lavdm_options options = a->options, asked;
  cover_t cover = {0};
  result_extras extras = {.ambient = arguments_value(a, "ambient") != NULL,
                          .embedding = arguments_value(a, "embedding") != NULL,
                          .compact = arguments_value(a, "compact") != NULL,
                          .cover = arguments_value(a, "cover") ? &cover : NULL,
                          .table = &in.table,
                          .cells = a->operands ? a->operand[0] : NULL};
  char saved[32];
  double began = seconds_now();
  int status = check_arguments(a, &options, error);
  if (status >= 0) status = page_check(a, error);
  if (status >= 0) status = checkpoint_check(a, saved, error);
  if (status < 0) return status;

  if (!arguments_value(a, "quiet")) progress_show();
  status = input_read(a, &options, &in, error);
  asked = options;
  asked.bundle = a->options.bundle;
  asked.stream = a->options.stream;
  if (status >= 0) status = check_images(&in, &options, error);
  if (status >= 0) status = result_fits(&in.data, &options, &extras, error);
  if (status >= 0) {
    input_tell(a);
    options.progress = progress_report;
    options.checkpoint = arguments_value(a, "checkpoint");
    estimate_print(a, &in.data, &options);
    progress_enter(PHASE_RUN, "starting", NULL);
    status = lavdm_fit(&in.data, &options, &model, error);
    if (status >= 0 && extras.cover) status = cover_make(&in.data, model, &options, &cover, error);
    status = input_explain(&in, &options, status, error);
    if (status >= 0) status = input_unchanged(&in, error);
  }
  if (status >= 0 && progress_interrupted()) status = LAVDM_ERROR_INTERRUPTED;
  progress_clear();
  if (status >= 0) {
    run_facts facts = {.asked = &asked,
                       .model = model,
                       .cover = extras.cover,
                       .table = &in.table,
                       .data = &in.data,
                       .input = in.name,
                       .saved = saved,
                       .began = began,
                       .output = arguments_value(a, "output"),
                       .read_seconds = in.seconds};
    status = deliver(a, &facts, &extras, error);
    if (status >= 0) checkpoint_remove(a);
  }
  cover_free(&cover);
  lavdm_free(model);
  input_free(&in);
  return status;
}

static bool takes_all(const char *option) {
  (void)option;
  return true;
}

static const flag flags[] = {
    {"output", 'o', "OUTPUT",
     "the result: .h5, .npz or .mat; .npy, .csv or .tsv for the eigenvectors alone; .h5ad for a copy of an "
     ".h5ad INPUT with them in it; may be left out with --json"},
    TABLE_FLAGS,
    STANDARDISE_FLAG,
    {"format", 0, "csv|npy", "of -o -, the standard output [csv]; with INPUT - alone, what that must be"},
    {"graph", 0, "FILE",
     "a graph of your own, edges or a matrix of weights; implies --bundle given, and INPUT may be left out"},
    {"form", 0, "FORM", "what a table is: edges|affinity [told apart, and asked for where both could be]"},
    {"ends", 0, "WHAT",
     "what second numbers of edges name: nodes|landmarks [landmarks for roseland and lavdm, unless "
     "--landmarks or --design asks for some]"},
    {"element", 0, "KIND",
     "what an edge carries: auto|none|sign|angle|matrix|quaternion [auto: from the columns]"},
    {"embedding", 0, NULL,
     "write `embedding` (n, r(r+1)/2), and `coordinates` (n, r) if q = 1; to .csv the last of these alone"},
    {"ambient", 0, NULL, "write `ambient` (n, p, r): the fields as vectors in the space of the points"},
    {"cover", 0, NULL,
     "with --bundle orientation: write `cover` (2n, r), coordinates of the orientable double cover"},
    {"compact", 0, NULL,
     "leave out of OUTPUT.h5 what the points themselves got; the model can still be extended"},
    {"checkpoint", 0, "FILE",
     "save there after each stage; after a crash the same command goes on from it; removed at the end"},
    {"json", 0, NULL, "print one JSON object on the standard output, and nothing else"},
    CONFIG_FLAG,
    LIKE_FLAGS,
    REPORT_FLAG,
    {"quiet", 'q', NULL, "no summary and no progress; warnings stay"},
    {0},
};

const command embed_command = {
    .name = "embed",
    .usage = "INPUT... -o OUTPUT [options]",
    .summary = "embed points or a graph: dm, vdm, roseland or lavdm",
    .about =
        "Reads points (rows of INPUT), fits a diffusion map (dm), a vector diffusion map (vdm), or their "
        "landmark versions (roseland, lavdm), and writes eigenvalues, eigenvectors as fields (n, q, r), "
        "frames, landmarks, degrees, and every option as it was used. OUTPUT that ends in .npy holds the "
        "eigenvectors alone, (n, q, r), and in .csv or .tsv as a table with ids, labels and q*r columns; one "
        "that "
        "ends in .h5 is also the model itself, to be opened again.\n\n"
        "INPUT is .npy, .npz, .csv, .tsv, .mat or .h5, the vertices of .ply, .obj, .stl, .off, .xyz, .asc, "
        ".pcd or .las, or a stack of images: .mrc, .mrcs, the pages of a .tif, a folder of pictures or a "
        "list "
        "of them, all of one size, in the order of their names, which are stored as `ids`; file.npz:name, "
        "file.mat:name or file.h5:/dataset picks one array of several.\n\n"
        "In a table (.csv, .tsv, .txt, or these packed as .gz) columns of numbers are coordinates, the first "
        "of text the labels, and an index, or a first column of texts that all differ, the ids of the rows; "
        "what was recognised is said, and --columns, --drop, --labels and --ids say otherwise. Of an .h5ad "
        "file obsm/X_pca is taken, or else X; file.h5ad:layers/counts picks another; --labels and --ids name "
        "columns of obs. A model (.h5) keeps the names of the columns, and what --standardise and --missing "
        "median did, for new points.\n\n"
        "With --stream "
        "yes, or if memory is short, the points of an .npy file in C order or of an .mrc file stay in it and "
        "are read as they are needed. With --bundle rotation INPUT is such a stack, or an array n x height x "
        "width "
        "or n x p, p a square, and images are compared whichever way they are turned; with --bundle shift "
        "rows "
        "are periodic signals. With --design FILE the landmarks are your own: "
        "whole numbers are indices into "
        "the points, from 0, and other numbers are points.\n\n"
        "With --metric precomputed INPUT is distances: a square matrix in any of these formats; or, for "
        "--method dm, those to the neighbours of each row: an .npz, .mat or .h5 file with arrays indices and "
        "distances (n x k), or a sparse matrix that scipy.sparse.save_npz wrote.\n\n"
        "A graph of your own (--graph FILE, or INPUT with --bundle given) has one edge a row: `i k`, "
        "`i k weight` or `i k weight element...`, numbered from 0, '#' before a comment. The element, which "
        "takes a vector at k to one at i, is a sign (every one +1 or -1), an angle, a unit quaternion "
        "w x y z, or q*q numbers of an orthogonal matrix, row by row. For vdm and dm i and k are nodes of "
        "one "
        "kind; for lavdm and roseland k is a landmark, unless --landmarks M, --design or --ends nodes asks "
        "for "
        "landmarks among the nodes. A matrix of weights has a row for each node.",
    .example =
        "@ sample klein -n 2000 -o klein.npy && @ embed klein.npy -o klein.npz\n"
        "@ embed klein.npy --method vdm --dim 2 --components 10 --json\n"
        "@ sample signals -n 1000 --noise 0.05 -o signals.npy && @ embed signals.npy --bundle shift "
        "-o signals.h5\n"
        "@ sample projections -n 1000 --size 32 --snr 1/2 -o stack.mrcs && @ embed stack.mrcs --bundle "
        "rotation -o stack.h5",
    .flags = flags,
    .takes = takes_all,
    .most = ANY_NUMBER,
    .run = run_embed,
};
