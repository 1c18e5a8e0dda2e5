% Group synchronisation: an element for each node from those of edges.
%
%   s = lavdm_sync (E)
%   s = lavdm_sync (E, 'name', value, ...)
%
% Every edge of E says what R_i R_k' is, i being its row and k its col, with
% noise, and some of them wrong. R is found up to one element of the group on
% the right for each connected component, which is chosen so that the node of
% the smallest number has the identity.
%
% E is a struct as for lavdm_embed: row, col, weight, element, kind, where one
% number on an edge may also be a 'step', of a cyclic group: s stands for a turn
% by 2 pi s/k, and whole numbers are taken for steps where the group is 'ck'. In
% pose graphs it has besides
%   shift         (count x q) where row sees col: p_col - p_row = R_row' shift
%   shift_weight  (count x 1) [ones]
%
% Options:
%   'group'     'auto', 'z2', 'c4' (any ck), 'u1', 'so', 'so3' (any soq), 'o'
%               or 'o2' (any oq) ['auto': from the elements]
%   'robust'    against wrong edges: true or 'auto' does what predicts edges
%               best that were held back; 'weights' re-weights them by how well
%               they fit, in 10 rounds ('rounds', N: in so many); 'cycles'
%               begins with the cycles that close; 'gradual' is truncated least
%               squares [false]
%   'certify'   true proves that nothing fits better, false does not ['auto':
%               where it takes little time]
%   'covariance'  true gives the covariance of every pose [false]
%   'refine'    false leaves the rounded eigenvectors as they are [true]
%   'nodes'     nodes that no edge names
%   'seed', 'threads', 'progress'   as for lavdm_embed
%
% The result:
%   group        'SO(3)', 'Z2' ...
%   node         (n x 1) the numbers of the nodes, ascending
%   element      (q x q x n): R
%   component    (n x 1) from 1; 0 for a node that no edge joins to another
%   position     (n x q), of pose graphs
%   residual     (edges x 1) how far the element is from R_i R_k': radians for
%                SO(2), SO(3) and cyclic groups, 0 or 1 for Z2, Frobenius norm
%                for others
%   trust        (edges x 1) how far an edge is believed, 0 to 1
%   eigenvalues  (values x components), gap (components x 1): small if the
%                answer is unsure
%   cost, bound  of what was found, and what nothing can cost less than (NaN
%                if that is not known); certified (0 or 1): they agree;
%                verdict: that in words, a line for each component; converged
%   robust, robust_reason   what was done against wrong edges, and why
%   covariance   (d x d x n) position, then rotation in radians, in the world;
%                d = 3 or 6; of pose graphs, if asked for
%   median, most   50 % and 95 % of the residuals are no larger
%   warnings, seconds
%
% Example:
%   n = 60;  R = zeros (3, 3, n);            % rotations, to be found again
%   for i = 1:n
%     [Q, T] = qr (randn (3));
%     R(:,:,i) = Q * det (Q);
%   end
%   [i, k] = find (triu (rand (n) < 0.3, 1));
%   O = zeros (3, 3, numel (i));
%   for e = 1:numel (i)
%     O(:,:,e) = R(:,:,i(e)) * R(:,:,k(e))';
%   end
%   s = lavdm_sync (struct ('row', i, 'col', k, 'element', O));
%   disp (s.group)                           % SO(3)
%   disp (max (s.residual) < 1e-6)           % 1
%
% See also lavdm_embed.
function s = lavdm_sync (varargin)
  s = lavdm_call ('sync', varargin{:});
end
