% A model applied to new points, without a new fit.
%
%   s = lavdm_extend (r, X)
%   s = lavdm_extend (r, X, 'name', value, ...)
%   s = lavdm_extend ('model.h5', X, ...)
%
% r is what lavdm_embed returned (its field model is used), or the name of a
% file that the command 'lavdm embed DATA -o model.h5' wrote. X are points or
% images, as for lavdm_embed; one image alone is h x w. The result is a struct
% of the same fields as r, for the new points; it has no model.
%
% A point too far from every landmark (for dm and vdm: from every point of the
% model) is not guessed: its rows are NaN, s.isolated names it, and there is a
% warning. Points of the data itself come back as they were.
%
% Options:
%   'reference'  points around which tangent frames of the new ones are
%                estimated [those that the model keeps]; needed for a compact
%                model, where it is the data of the fit
%   'time', 'delta'   of the embedding [the model's]
%   'threads', 'max_memory', 'stream'   as for lavdm_embed ['auto']
%   'embedding', 'ambient', 'progress'  as for lavdm_embed
%
% Example:
%   r = lavdm_embed (lavdm_sample ('klein', 2000), 'dim', 2, 'components', 10);
%   s = lavdm_extend (r, lavdm_sample ('klein', 100, 'seed', 2));
%   size (s.eigenvectors)                    % 100 x 2 x 10
%
% See also lavdm_embed, lavdm_distance.
function s = lavdm_extend (varargin)
  s = lavdm_call ('extend', varargin{:});
end
