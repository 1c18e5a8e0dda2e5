%% lavdm_embed: against the command, to the bit, and against slow formulas.

%!function same (r, c, names)
%!  for k = 1:numel (names)
%!    a = r.(names{k});
%!    b = c.(names{k});
%!    assert (class (a), class (b));
%!    assert (isequal (size (a), size (b)) && isequal (a, b), [names{k} ' differs']);
%!  end
%!endfunction

%!function X = points (n)
%!  X = lavdm_sample ('klein', n, 'noise', 0.01);
%!endfunction

## every method gives what the command gives, in both precisions
%!test
%! data.X = points (250);
%! methods = {'dm', 'vdm', 'roseland', 'lavdm', 'nystrom'};
%! for k = 1:numel (methods)
%!   for precision = {'double', 'single'}
%!     r = lavdm_embed (data.X, 'method', methods{k}, 'components', 7, 'threads', 2, 'knn', 20, ...
%!                      'precision', precision{1}, 'time', 1.5);
%!     c = command (data, 'embed IN -o OUT --components 7 --threads 2 --knn 20 --embedding --time 1.5', ...
%!                  '--method', methods{k}, '--precision', precision{1});
%!     same (r, c, {'eigenvalues', 'eigenvectors', 'residuals', 'degrees', 'embedding'});
%!     assert (size (r.eigenvalues), [7 1]);
%!     assert (class (r.eigenvectors), precision{1});
%!     assert (r.chosen.method, methods{k});
%!     assert (r.chosen.epsilon, c.epsilon);
%!     if isfield (c, 'landmark_index')
%!       same (r, c, {'landmarks'});
%!       assert (r.landmark_index, double (c.landmark_index) + 1);
%!       assert (r.landmarks, data.X(r.landmark_index,:), 1e-6);
%!     end
%!     if size (r.eigenvectors, 2) == 1
%!       same (r, c, {'coordinates'});
%!     else
%!       assert (isempty (r.coordinates));
%!       same (r, c, {'frames'});
%!     end
%!   end
%! end

## classes of numbers: single as it is, the others by their values
%!test
%! X = round (40 * points (300));
%! r = lavdm_embed (X, 'threads', 2, 'dim', 2);
%! for class = {'int8', 'int16', 'int32', 'int64', 'single'}
%!   s = lavdm_embed (feval (class{1}, X), 'threads', 2, 'dim', 2);
%!   assert (isequal (s.eigenvectors, r.eigenvectors), class{1});
%! end
%! X = X - min (X(:));
%! r = lavdm_embed (X, 'threads', 2, 'dim', 2);
%! for class = {'uint8', 'uint16', 'uint32', 'uint64'}
%!   s = lavdm_embed (feval (class{1}, X), 'threads', 2, 'dim', 2);
%!   assert (isequal (s.eigenvectors, r.eigenvectors), class{1});
%! end
%! B = points (200) > 0;
%! r = lavdm_embed (B, 'method', 'dm', 'edges', 'complete');
%! s = lavdm_embed (double (B), 'method', 'dm', 'edges', 'complete');
%! assert (isequal (r.eigenvectors, s.eigenvectors));

## single points are read as floats, as the command does
%!test
%! data.X = single (points (300));
%! r = lavdm_embed (data.X, 'components', 5, 'threads', 2);
%! c = command (data, 'embed IN -o OUT --components 5 --threads 2');
%! same (r, c, {'eigenvalues', 'eigenvectors'});

## transposed, cut out of something larger, a range: all are the same numbers
%!test
%! X = points (300);
%! r = lavdm_embed (X, 'threads', 2);
%! Y = X';
%! large = zeros (600, 9);
%! large(2:2:end,3:6) = X;
%! s = lavdm_embed (Y', 'threads', 2);
%! t = lavdm_embed (large(2:2:end,3:6), 'threads', 2);
%! assert (isequal (r.eigenvectors, s.eigenvectors, t.eigenvectors));
%! u = lavdm_embed ((1:100)', 'method', 'dm', 'components', 3);
%! v = lavdm_embed (cumsum (ones (100, 1)), 'method', 'dm', 'components', 3);
%! assert (isequal (u.eigenvectors, v.eigenvectors));

## evenly spaced points of the circle: the Markov matrix is circulant, its eigenvalues are
## Fourier coefficients of the kernel
%!test
%! n = 200;
%! t = 2*pi*(0:n-1)'/n;
%! epsilon = 0.3;
%! r = lavdm_embed ([cos(t) sin(t)], 'method', 'dm', 'edges', 'complete', 'epsilon', epsilon, 'components', 9);
%! w = exp (-(2 - 2*cos (t)) / epsilon);
%! lambda = sort (real (fft (w)) / sum (w), 'descend');
%! assert (r.eigenvalues, lambda(1:9), 1e-12);

## the sphere: six fields alike, the gradients and curls of the coordinates
%!test
%! X = lavdm_sample ('sphere', 2000);
%! r = lavdm_embed (X, 'dim', 2, 'components', 8, 'ambient', true);
%! rate = -log (r.eigenvalues);
%! assert (max (rate(1:6)) < 1.35 * min (rate(1:6)));
%! assert (min (rate(7:8)) > 2 * max (rate(1:6)));
%! U = reshape (permute (r.ambient(:,:,1:6), [2 1 3]), [], 6);
%! G = zeros (3, 2000, 6);
%! for k = 1:3
%!   e = (1:3 == k)';
%!   G(:,:,k) = e - X' .* X(:,k)';
%!   G(:,:,k+3) = cross (repmat (e, 1, 2000), X');
%! end
%! G = orth (reshape (G, [], 6));
%! assert (min (svd (G' * orth (U))) > 0.98);

## a vdm of given edges is the eigenproblem of D^-1/2 S D^-1/2
%!test
%! n = 40;
%! [i, k] = find (triu (rand (n) < 0.5, 1));
%! O = zeros (3, 3, numel (i));
%! S = zeros (3*n);
%! w = 0.5 + rand (numel (i), 1);
%! for e = 1:numel (i)
%!   [O(:,:,e), T] = qr (randn (3));
%!   S(3*i(e)-2:3*i(e), 3*k(e)-2:3*k(e)) = w(e) * O(:,:,e);
%! end
%! S = S + S';
%! d = accumarray ([i; k], [w; w], [n 1]);
%! E = struct ('row', i, 'col', k, 'weight', w, 'element', O);
%! r = lavdm_embed ([], 'edges', E, 'method', 'vdm', 'alpha', 0, 'components', 6);
%! D = kron (diag (1 ./ sqrt (d)), eye (3));
%! lambda = sort (eig (D*S*D), 'descend');
%! assert (r.eigenvalues, lambda(1:6), 1e-10);
%! assert (r.nodes, (1:n)');
%! assert (r.degrees / r.degrees(1), d / d(1), 1e-12);
%! u = reshape (r.eigenvectors(:,:,1)', [], 1);   # D^-1/2 times an eigenvector
%! v = D \ u;
%! assert (norm (D*S*D*v - lambda(1)*v) < 1e-9 * norm (v));

## edges of every kind, as the command reads them from a table; gaps in the numbers
%!test
%! n = 30;
%! [i, k] = find (triu (rand (n) < 0.4, 1));
%! m = numel (i);
%! w = 0.5 + rand (m, 1);
%! a = 2*pi*rand (m, 1);
%! quaternion = randn (m, 4);
%! quaternion ./= norm (quaternion, 'rows');
%! O = zeros (2, 2, m);
%! O(1,1,:) = cos (a);  O(1,2,:) = sin (a);  O(2,1,:) = sin (a);  O(2,2,:) = -cos (a);
%! kinds = {'none', zeros(m,0), []; 'sign', sign(randn (m, 1)), []; 'angle', a, []; ...
%!          'quaternion', quaternion, []; 'matrix', [cos(a) sin(a) sin(a) -cos(a)], O};
%! for c = 1:rows (kinds)
%!   data = struct ('edges', [3*i-3, 3*k-3, w, kinds{c,2}]);
%!   element = kinds{c,2};
%!   if ! isempty (kinds{c,3})
%!     element = kinds{c,3};
%!   end
%!   E = struct ('row', 3*i-2, 'col', 3*k-2, 'weight', w, 'element', element);
%!   r = lavdm_embed ([], 'edges', E, 'method', 'vdm', 'components', 5, 'threads', 2);
%!   s = lavdm_embed ([], 'edges', setfield (E, 'kind', kinds{c,1}), 'method', 'vdm', 'components', 5, 'threads', 2);
%!   t = command (data, 'embed --graph IN -o OUT --method vdm --components 5 --threads 2 --element', kinds{c,1});
%!   same (r, t, {'eigenvalues', 'eigenvectors', 'degrees'});
%!   assert (isequal (r.eigenvectors, s.eigenvectors));
%!   assert (r.nodes, double (t.nodes) + 1);
%! end

## edges with points, rows or columns of numbers, and a graph in two parts
%!test
%! E = struct ('row', [1 2 4 5], 'col', [2 3 5 6]);
%! r = lavdm_embed (zeros (7, 2), 'edges', E, 'method', 'dm', 'components', 3);
%! assert (size (r.eigenvectors), [7 1 3]);
%! assert (r.isolated, 7);
%! assert (r.graph_component, [1 1 1 2 2 2 0]');
%! assert (numel (r.warnings) >= 1);

## landmarks of one's own
%!test
%! X = points (300);
%! index = [5 17 33 70 81 102 150 151 200 222 250 260 280 290 300];
%! r = lavdm_embed (X, 'landmark_index', index, 'dim', 2, 'components', 5);
%! s = lavdm_embed (X, 'landmark_points', X(index,:), 'dim', 2, 'components', 5);
%! assert (r.landmark_index, index');
%! assert (r.landmarks, X(index,:));
%! assert (s.landmarks, X(index,:));
%! assert (r.chosen.design, 'given');
%! assert (isempty (s.landmark_index));
%! assert (r.eigenvalues, s.eigenvalues, 1e-8);
%! assert (class (lavdm_embed (X, 'landmark_points', single (X(index,:)), 'dim', 2).landmarks), 'double');

## images, h x w x n, as the command reads n x h x w
%!function I = images (n)
%!  [x, y] = meshgrid (linspace (-1, 1, 13), linspace (-1, 1, 12));
%!  I = zeros (12, 13, n);
%!  for i = 1:n
%!    a = 2*pi*rand ();
%!    b = rand ();
%!    X = cos (a)*x + sin (a)*y;
%!    Y = -sin (a)*x + cos (a)*y;
%!    I(:,:,i) = exp (-8*((X - 0.5).^2 + Y.^2)) + b*exp (-12*(X.^2 + (Y - 0.6).^2));
%!  end
%!endfunction
%!test
%! I = images (60);
%! data.I = permute (I, [3 1 2]);
%! how = {'bundle', 'rotation', 'components', 5, 'threads', 2, 'landmarks', 20};
%! r = lavdm_embed (I, how{:});
%! c = command (data, 'embed IN -o OUT --bundle rotation --components 5 --threads 2 --landmarks 20');
%! same (r, c, {'eigenvalues', 'eigenvectors', 'degrees'});
%! assert (size (r.landmarks), [12 13 20]);
%! assert (r.landmarks, I(:,:,r.landmark_index), 1e-12);
%! rows = reshape (permute (I, [3 2 1]), 60, []);
%! s = lavdm_embed (rows, how{:}, 'height', 12, 'width', 13);
%! assert (isequal (r.eigenvectors, s.eigenvectors));
%! data.I = single (data.I);
%! t = lavdm_embed (single (I), how{:});
%! c = command (data, 'embed IN -o OUT --bundle rotation --components 5 --threads 2 --landmarks 20');
%! same (t, c, {'eigenvalues', 'eigenvectors', 'degrees'});
%! u = lavdm_embed (I, 'bundle', 'rotation', 'landmark_points', I(:,:,1:3:60), 'components', 5);
%! assert (u.landmarks, I(:,:,1:3:60), 1e-12);
%! assert (isempty (u.landmark_index));
%! v = lavdm_extend (r, I(:,:,1:4));
%! assert (v.eigenvectors, r.eigenvectors(1:4,:,:), 1e-9);
%! v = lavdm_extend (r, I(:,:,7));
%! assert (v.eigenvectors, r.eigenvectors(7,:,:), 1e-9);
%! assert (size (v.eigenvectors), [1 2 5]);

## images as points, and signals
%!test
%! I = images (50);
%! r = lavdm_embed (I, 'method', 'dm', 'components', 4);
%! s = lavdm_embed (reshape (I, [], 50)', 'method', 'dm', 'components', 4);
%! assert (isequal (r.eigenvectors, s.eigenvectors));
%! data.X = lavdm_sample ('signals', 200);
%! t = lavdm_embed (data.X, 'bundle', 'shift', 'components', 4, 'threads', 2);
%! c = command (data, 'embed IN -o OUT --bundle shift --components 4 --threads 2');
%! same (t, c, {'eigenvalues', 'eigenvectors'});

## embedding, coordinates and ambient vectors, by their formulas
%!test
%! X = points (150);
%! r = lavdm_embed (X, 'dim', 2, 'components', 4, 'time', 2, 'ambient', true);
%! u = r.eigenvectors;
%! column = 0;
%! for l = 1:4
%!   for s = l:4
%!     column++;
%!     e = (r.eigenvalues(l)*r.eigenvalues(s))^2 * sum (u(:,:,l).*u(:,:,s), 2) * (1 + (s > l)*(sqrt (2) - 1));
%!     assert (r.embedding(:,column), e, 1e-14);
%!   end
%!   assert (r.ambient(:,:,l), r.frames(:,:,1).*u(:,1,l) + r.frames(:,:,2).*u(:,2,l), 1e-14);
%! end
%! assert (columns (r.embedding), column);
%! r = lavdm_embed (X, 'method', 'roseland', 'components', 4, 'time', 3);
%! assert (r.coordinates, squeeze (r.eigenvectors) .* (r.eigenvalues.^3)', 1e-14);

## what is not asked for is empty, and the fields are always the same
%!test
%! X = points (100);
%! r = lavdm_embed (X, 'embedding', false, 'model', false);
%! s = lavdm_embed (X, 'method', 'dm', 'ambient', false);
%! assert (isempty (r.embedding) && isempty (r.coordinates) && isempty (r.ambient) && isempty (r.model));
%! assert (fieldnames (r), fieldnames (s));
%! both = [r s];
%! assert (isempty (s.frames) && isempty (s.landmarks));
%! assert (class (s.model), 'uint8');

## options: pairs, structs, numbers of any class, texts, upper case, what was chosen
%!test
%! X = points (200);
%! r = lavdm_embed (X, 'Components', int32 (5), 'seed', uint64 (7), 'max_memory', '2G', 'epsilon', '0.5', 'stream', false);
%! assert (numel (r.eigenvalues), 5);
%! assert (r.chosen.seed, 7);
%! assert (r.chosen.max_memory, 2^31);
%! assert (r.chosen.epsilon, 0.5);
%! assert (r.chosen.stream, 'no');
%! s = lavdm_embed (X, r.chosen);
%! assert (isequal (r.eigenvectors, s.eigenvectors));
%! s = lavdm_embed (X, struct ('components', 5, 'seed', 7), 'epsilon', single (0.5));
%! assert (isequal (r.eigenvectors, s.eigenvectors));
%! epsilon = 0.1 + 0.2;   # all of its digits arrive
%! assert (lavdm_embed (X, 'epsilon', epsilon).chosen.epsilon, epsilon);

## warnings are warnings
%!test
%! warning ('on', 'lavdm:warning', 'local');
%! lastwarn ('', '');
%! warning ('off', 'all', 'local');
%! warning ('on', 'lavdm:warning', 'local');
%! evalc ('r = lavdm_embed (zeros (7, 2), ''edges'', struct (''row'', [1 4], ''col'', [2 5]), ''method'', ''dm'');');
%! [text, id] = lastwarn ();
%! assert (id, 'lavdm:warning');
%! assert (text, r.warnings{end});
