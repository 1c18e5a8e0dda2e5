% Points of a manifold that is known exactly.
%
%   X = lavdm_sample (shape, n)
%   [X, frames, parameters] = lavdm_sample (shape, n, 'name', value, ...)
%   shapes = lavdm_sample ()
%
% Draws n points, X (n x p), with exact orthonormal tangent frames (n x p x d)
% and the parameters of the points on the manifold (n x d). Point i depends on
% the seed and i alone. Without arguments: a struct array of the shapes there
% are, with the fields name, densities and help.
%
% Options:
%   'dim'      dimension of a sphere [2]
%   'density'  how points are spread: 'uniform' (by area), or another one that
%              the list of shapes shows ['uniform']
%   'noise'    standard deviation of Gaussian noise in each coordinate [0]
%   'seed'     of the random numbers [1]
%
% Example:
%   [X, frames] = lavdm_sample ('torus', 1000, 'noise', 0.01, 'seed', 7);
%   size (frames)                        % 1000 x 3 x 2
%   shapes = lavdm_sample ();
%   disp ({shapes.name})
%
% See also lavdm_embed.
function varargout = lavdm_sample (varargin)
  varargout = cell (1, max (nargout, 1));
  [varargout{:}] = lavdm_call ('sample', varargin{:});
end
