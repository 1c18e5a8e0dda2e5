% Diffusion maps, vector diffusion maps, ROSELAND and LA-VDM.
%
%   r = lavdm_embed (X)
%   r = lavdm_embed (X, 'name', value, ...)
%   r = lavdm_embed (X, options)
%   r = lavdm_embed ([], 'edges', E, ...)
%
% Embeds the rows of X (n x p; double, single, integers or logicals), the images
% of X (h x w x n), or the nodes of a graph. Options are pairs or a struct; those
% of the library, all that 'lavdm options' and docs/options.md explain, such as
%   'method'      'dm', 'vdm', 'roseland', 'lavdm' or 'nystrom' ['lavdm']
%   'bundle'      'auto', 'trivial', 'tangent', 'orientation', 'given',
%                 'rotation' (images) or 'shift' (signals) ['auto']
%   'dim'         dimension of the manifold ['auto']
%   'landmarks'   how many ['auto']
%   'epsilon'     bandwidth, a squared distance ['auto']
%   'components'  eigenpairs ['auto': 20]
%   'time'        diffusion time of the embedding [1]
%   'threads', 'seed', 'precision', 'max_memory' ...
% and besides them:
%   'landmark_index'   rows of X that are the landmarks, from 1
%   'landmark_points'  the landmarks themselves: m x p, or h x w x m
%   'edges'            a graph of your own, a struct (below); a text is the
%                      library's option of that name
%   'height', 'width'  of images that are given as rows of X
%   'embedding'        false leaves out embedding and coordinates, which are
%                      large for many points [true]
%   'ambient'          true: eigenvectors as vectors in space [false]
%   'model'            false leaves out the model, without which r cannot be
%                      extended [true]; 'compact', true makes it small: it can
%                      then be extended with a reference alone
%   'progress'         true prints a line for each stage [false]
%
% Images: X(:,:,i) is image i. With 'bundle', 'rotation' they are compared
% whichever way they are turned. Turns are counted from the direction of
% growing columns to that of growing rows. In a matrix X (n x p) a row has the
% pixels of an image row by row, as in reshape (image.', 1, []).
%
% The struct E has a row for each edge; nodes are numbered from 1:
%   row, col   the nodes; for 'lavdm' and 'roseland' col is a landmark
%   weight     positive [ones]
%   element    what takes a vector at col to one at row: a vector of signs or
%              of angles, count x 4 unit quaternions w x y z, or orthogonal
%              matrices q x q x count [none]
%   kind       'sign', 'angle', 'quaternion' or 'matrix' [from the shape; one
%              number an edge is a sign if all of them are +1 or -1]
%
% The result has always the same fields; what does not apply is empty:
%   eigenvalues      (c x 1), residuals (c x 1), c components
%   eigenvectors     (n x q x c): fields of q numbers at each point
%   degrees          (n x 1)
%   frames           (n x p x d) tangent frames
%   landmarks        (m x p, of images h x w x m), landmark_index (m x 1, from 1),
%                    landmark_frames (m x p x d)
%   nodes            the numbers of the nodes of a graph; landmark_nodes
%   graph_component  (n x 1), from 1; 0 for an isolated point
%   isolated         the isolated points
%   pca_basis, pca_mean   of the option 'pca'
%   embedding        (n x c(c+1)/2): Euclidean distance between rows is vector
%                    diffusion distance at the chosen time
%   coordinates      (n x c), the classical ones, if q = 1
%   ambient          (n x p x c), if asked for
%   chosen           a struct of all options as the run used them; it may be
%                    given to lavdm_embed as options
%   warnings         (cell of texts), which are raised as lavdm:warning too
%   seconds          of the run
%   model            (uint8) the model's file, for lavdm_extend and
%                    lavdm_distance; fwrite makes a file of it that the
%                    command lavdm reads
%
% Errors have the identifiers lavdm:argument, lavdm:data, lavdm:memory,
% lavdm:interrupted, lavdm:numerics and lavdm:file.
%
% Example:
%   X = lavdm_sample ('sphere', 1000);
%   r = lavdm_embed (X, 'dim', 2, 'components', 8);
%   disp (r.eigenvalues')                    % six alike, then a gap
%   scatter3 (X(:,1), X(:,2), X(:,3), 8, r.degrees)
%
% Example:
%   angle = 2*pi*rand (50, 1);               % of 50 nodes, to be found again
%   [i, k] = find (triu (ones (50), 1));
%   E = struct ('row', i, 'col', k, 'element', angle(i) - angle(k), ...
%               'kind', 'angle');
%   r = lavdm_embed ([], 'edges', E, 'method', 'vdm', 'alpha', 0, 'components', 4);
%   u = r.eigenvectors(:,1,1) + 1i*r.eigenvectors(:,2,1);
%   v = u ./ abs (u) / u(1) * abs (u(1));    % exp (1i*(angle - angle(1)))
%   max (abs (v - exp (1i*(angle - angle(1)))))   % 0, but for rounding
%
% See also lavdm_extend, lavdm_distance, lavdm_sync, lavdm_sample.
function r = lavdm_embed (varargin)
  r = lavdm_call ('embed', varargin{:});
end
