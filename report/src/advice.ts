// What to do about a warning: from the words of the library's own sentences to advice. What stands in `...` is an option.

export const TABLE: [RegExp, string][] = [
  [/no dimension stands out/, "Give the dimension you expect with `--dim`, or reduce noise first with `--pca`. If the points have no shape of fewer dimensions, `--method dm` or `roseland` needs none."],
  [/the dimension is in doubt/, "Run again with `--dim` at the one and at the other number, and keep the one whose frames align better and whose spectrum has clearer gaps."],
  [/isolated point/, "These points are far from all others: look whether they are outliers. A larger `--epsilon` or `--knn` joins them; they take no part otherwise."],
  [/falls into \d+ components/, "Colour by graph piece to see them. If they should be one, give a larger `--epsilon` or `--knn`; if not, embed each piece by itself."],
  [/nearly perpendicular tangent planes/, "Tangent planes turn too much from point to point: try another `--dim`, fewer neighbours for the frames (`--frame-knn`) or a smaller `--epsilon`; more points help most."],
  [/joined to no landmark|beyond the cut-off of every landmark/, "More `--landmarks` or a larger `--epsilon` brings every point within reach. A few such points do little harm."],
  [/residual above/, "These eigenpairs are not exact: treat the last ones with care, ask for fewer `--components`, or for more than you use."],
  [/zero to rounding/, "There are no more eigenvalues than these: ask for fewer `--components`."],
  [/stopped converging/, "Ask for fewer `--components` or a looser `--tolerance`; with `--precision single` run again in double."],
  [/are at no more places than that/, "Many points are copies of each other; fewer `--landmarks` are all there can be."],
  [/look like a matrix of distances/, "If the numbers are distances, give `--metric precomputed`."],
  [/has no landmarks, so that/, "Give `--method lavdm` or `--method roseland` if landmarks are wanted."],
  [/short cuts between sheets/, "Sheets of the data that lie close are joined across: give a smaller `--epsilon` or `--knn` until this warning goes."],
  [/hides the tangent planes/, "Give a larger `--frame-knn` so that planes average over the noise, or `--pca` to leave directions of noise out."],
  [/do not agree on the eigenvectors/, "Rely on what the samples agree on (green in the spectrum). More points, or more `--landmarks`, make further eigenvectors stable."],
  [/span fewer than/, "The neighbours of these points lie in too few dimensions: a larger `--frame-knn`, or a smaller `--dim`."],
  [/is balanced to/, "The weights are uneven, often at far points: a larger `--epsilon`, or `--normalise degree`."],
  [/nothing that turns stands out of the noise/, "Give a smaller `--noise`, or 0 to take the images as they are."],
  [/no checkpoint was saved/, "The result is not affected. Look whether the disk is full, or name another file with `--checkpoint`."],
  [/every (point|node|landmark) of the model|the eigenvectors are NaN there/, "These new points are unlike those of the model: look at them, or fit a model that has such points."],
  [/from a node to itself/, "Such edges say nothing and may be removed from the file."],
  [/joined to no other/, "These nodes have no edge: their elements are arbitrary."],
  [/nothing relates the elements of one to those of another/, "Compare elements within a component only, or add an edge between the components."],
  [/^the poses did not converge/, "Look at the residuals for edges that contradict the rest, and use `--robust` against them."],
  [/^least squares did not converge/, "Look at the worst edges and at priors that contradict them, and check the units of the information matrices; `--weights isotropic` shows what edges alone say."],
  [/^some information is .* times as large/, "Look at the information of the worst and the best edges: numbers that far apart are mostly a mistake in units. Fixed nodes hold what should not move at all."],
  [/has no gap after its first/, "The answer is one of several that fit as well: more edges decide, or edges that do not contradict each other."],
  [/^positions of up to/, "Take the place of the first fixed node off all fixed poses and priors, and add it again afterwards."],
  [/^priors leave/, "Only differences are known in these directions. If they matter, fix a node, or give a prior with information about them."],
  [/^covariances are those of isotropic weights/, "Run again with `--weights full` for the covariances that follow from the information matrices."],
  [/^there are no covariances/, "Some pose follows from no measurement in some direction: fix a node, or give a prior with information about it."],
];

/** Advice for a warning in the library's words; null for one that is not known here. */
export function adviceFor(warning: string): string | null {
  return TABLE.find(([words]) => words.test(warning))?.[1] ?? null;
}
