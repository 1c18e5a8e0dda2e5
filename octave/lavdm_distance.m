% Vector diffusion distances between points of a model, and their alignments.
%
%   d = lavdm_distance (r, i, j)
%   [d, O] = lavdm_distance (r, i, j, 'name', value, ...)
%
% r is what lavdm_embed returned, or the name of a model's file. i and j are as
% many rows of its data, from 1. d(k) is the distance between points i(k) and
% j(k), that between rows of r.embedding, and O(:,:,k) the orthogonal q x q
% matrix that takes a vector at j(k) to one at i(k).
%
% Options:
%   'time'  diffusion time [the model's]
%   'rank'  how many components count [those that the embedding keeps]
%
% Example:
%   r = lavdm_embed (lavdm_sample ('sphere', 500), 'components', 6);
%   [d, O] = lavdm_distance (r, [1 1], [2 3], 'time', 2);
%   size (O)                                 % 2 x 2 x 2
%
% See also lavdm_embed.
function [d, O] = lavdm_distance (varargin)
  if nargout > 1
    [d, O] = lavdm_call ('distance', varargin{:});
  else
    d = lavdm_call ('distance', varargin{:});
  end
end
