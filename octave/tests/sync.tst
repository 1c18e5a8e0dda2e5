%% lavdm_sync: elements that were hidden in the edges.

%!function [i, k] = graph (n)
%!  [i, k] = find (triu (rand (n) < 0.4, 1) | diag (ones (n-1, 1), 1));
%!endfunction

%!function R = matrices (q, n, rotations)
%!  R = zeros (q, q, n);
%!  for i = 1:n
%!    [R(:,:,i), T] = qr (randn (q));
%!    if rotations && det (R(:,:,i)) < 0
%!      R(:,1,i) *= -1;
%!    end
%!  end
%!endfunction

%!function O = products (R, i, k)
%!  O = zeros (rows (R), rows (R), numel (i));
%!  for e = 1:numel (i)
%!    O(:,:,e) = R(:,:,i(e)) * R(:,:,k(e))';
%!  end
%!endfunction

## R up to an element on the right: R(i) R(1)' is known
%!function worst = off (s, R)
%!  worst = 0;
%!  for i = 1:size (R, 3)
%!    worst = max (worst, norm (s.element(:,:,i) - R(:,:,i)*R(:,:,1)', 'fro'));
%!  end
%!endfunction

%!function R = planar (angle)
%!  R = zeros (2, 2, numel (angle));
%!  R(1,1,:) = R(2,2,:) = cos (angle);
%!  R(2,1,:) = sin (angle);
%!  R(1,2,:) = -sin (angle);
%!endfunction

## without noise, every group is recovered
%!test
%! rand ('seed', 3);  randn ('seed', 3);
%! [i, k] = graph (40);
%! E = struct ('row', i, 'col', k);
%! for q = 1:5
%!   R = matrices (q, 40, q > 1);
%!   s = lavdm_sync (setfield (E, 'element', products (R, i, k)));
%!   assert (off (s, R) < 1e-10);
%!   assert (s.group, {'Z2', 'SO(2)', 'SO(3)', 'SO(4)', 'SO(5)'}{q});
%!   assert (size (s.element), [q q 40]);
%!   assert (max (s.residual) < 1e-7);
%!   assert (s.component, ones (40, 1));
%!   assert (s.node, (1:40)');
%!   R = matrices (q, 40, false);
%!   s = lavdm_sync (setfield (E, 'element', products (R, i, k)), 'group', 'o');
%!   assert (off (s, R) < 1e-10);
%! end
%! sign = 2*(rand (40, 1) > 0.5) - 1;
%! s = lavdm_sync (setfield (E, 'element', sign(i).*sign(k)), 'group', 'z2');
%! assert (squeeze (s.element), sign*sign(1));
%! a = 2*pi*rand (40, 1);
%! s = lavdm_sync (setfield (E, 'element', a(i) - a(k)));
%! assert (off (s, planar (a)) < 1e-10);
%! step = floor (5*rand (40, 1));
%! s = lavdm_sync (setfield (E, 'element', step(i) - step(k)), 'group', 'c5');
%! assert (off (s, planar (2*pi*step/5)) < 1e-10);
%! assert (s.group, 'C5');
%! t = lavdm_sync (setfield (setfield (E, 'element', step(i) - step(k)), 'kind', 'step'), 'group', 'c5');
%! u = lavdm_sync (setfield (setfield (E, 'element', 2*pi*(step(i) - step(k))/5), 'kind', 'angle'), 'group', 'c5');
%! assert (isequal (s.element, t.element));
%! assert (off (u, planar (2*pi*step/5)) < 1e-10);

## quaternions are the rotations w x y z
%!test
%! [i, k] = graph (30);
%! x = randn (30, 4);
%! x ./= norm (x, 'rows');
%! R = zeros (3, 3, 30);
%! for n = 1:30
%!   w = x(n,1);
%!   v = x(n,2:4)';
%!   C = [0 -v(3) v(2); v(3) 0 -v(1); -v(2) v(1) 0];
%!   R(:,:,n) = eye (3) + 2*w*C + 2*C*C;
%! end
%! p = x(i,:);                                # R_i R_k' : x_i times the conjugate of x_k
%! c = x(k,:) .* [1 -1 -1 -1];
%! Q = [p(:,1).*c(:,1) - sum(p(:,2:4).*c(:,2:4), 2), ...
%!      p(:,1).*c(:,2:4) + c(:,1).*p(:,2:4) + cross(p(:,2:4), c(:,2:4), 2)];
%! s = lavdm_sync (struct ('row', i, 'col', k, 'element', Q));
%! assert (off (s, R) < 1e-10);

## the command, to the bit: noise, outliers, weights, robust
%!test
%! rand ('seed', 5);  randn ('seed', 5);
%! [i, k] = graph (60);
%! m = numel (i);
%! a = 2*pi*rand (60, 1);
%! x = a(i) - a(k) + 0.1*randn (m, 1);
%! wrong = rand (m, 1) < 0.2;
%! x(wrong) = 2*pi*rand (nnz (wrong), 1);
%! w = 0.5 + rand (m, 1);
%! s = lavdm_sync (struct ('row', i, 'col', k, 'weight', w, 'element', x), 'robust', true, 'threads', 2);
%! c = command (struct ('E', [i-1, k-1, w, x]), 'sync IN -o OUT --robust --threads 2');
%! assert (isequal (s.residual, c.residuals));
%! assert (isequal (s.trust, c.trust));
%! assert (isequal (s.eigenvalues(:), c.eigenvalues(:)));
%! assert (s.gap, c.gaps);
%! angle = squeeze (atan2 (s.element(2,1,:), s.element(1,1,:)));
%! assert (angle, c.elements(:), 1e-12);
%! assert (median (s.trust(wrong)) < 0.2 && median (s.trust(! wrong)) > 0.5);
%! assert (s.median, median (s.residual), 0.01);
%! t = lavdm_sync (struct ('row', i, 'col', k, 'weight', w, 'element', x), 'rounds', 10, 'threads', 2);
%! assert (isequal (s.element, t.element));
%! t = lavdm_sync (struct ('row', i, 'col', k, 'weight', w, 'element', x), 'refine', false);
%! assert (t.trust, ones (m, 1));

## poses: positions by least squares
%!test
%! [i, k] = graph (25);
%! R = matrices (3, 25, true);
%! p = randn (25, 3);
%! shift = zeros (numel (i), 3);
%! for e = 1:numel (i)
%!   shift(e,:) = (R(:,:,i(e)) * (p(k(e),:) - p(i(e),:))')';
%! end
%! E = struct ('row', i, 'col', k, 'element', products (R, i, k), 'shift', shift, 'shift_weight', ones (numel (i), 1));
%! s = lavdm_sync (E);
%! assert (s.position, (p - p(1,:)) * R(:,:,1)', 1e-8);   # in the coordinates of the first node
%! assert (isempty (lavdm_sync (rmfield (E, {'shift', 'shift_weight'})).position));

## components, nodes of their own, numbers with gaps
%!test
%! E = struct ('row', [10 20 40], 'col', [20 30 50], 'element', [1 -1 -1], 'kind', 'sign');
%! s = lavdm_sync (E, 'nodes', [7 60]);
%! assert (s.node, [7 10 20 30 40 50 60]');
%! assert (s.component, [0 1 1 1 2 2 0]');
%! assert (squeeze (s.element), [1 1 1 -1 1 -1 1]');
%! assert (columns (s.eigenvalues), 2);
%! assert (numel (s.gap), 2);

## one edge: shapes that collide
%!test
%! s = lavdm_sync (struct ('row', 1, 'col', 2, 'element', [0 1 0 0]));           # a quaternion
%! assert (s.element(:,:,1)*s.element(:,:,2)', diag ([1 -1 -1]), 1e-12);
%! [Q, T] = qr (magic (4) + eye (4));
%! s = lavdm_sync (struct ('row', 1, 'col', 2, 'element', Q), 'group', 'o4');     # one matrix
%! assert (s.element(:,:,1)*s.element(:,:,2)', Q, 1e-12);
%! s = lavdm_sync (struct ('row', 1:4, 'col', 2:5, 'element', [0.1 0.2 0.3 0.4])); # four angles in a row
%! assert (s.group, 'SO(2)');
%! s = lavdm_sync (struct ('row', 1:4, 'col', 2:5, 'element', eye (4)));          # four quaternions
%! assert (s.group, 'SO(3)');
%! s = lavdm_sync (struct ('row', 1, 'col', 2, 'element', -1, 'kind', 'matrix'));
%! assert (s.group, 'Z2');

## what is proved, and the ways against wrong edges
%!test
%! n = 12;  angle = linspace (-3, 3, n)';
%! [i, k] = find (triu (ones (n), 1));
%! E = struct ('row', i, 'col', k, 'element', angle(i) - angle(k) + 0.01 * sin (7 * (i + 3 * k)));
%! s = lavdm_sync (E, 'certify', true);
%! assert (s.certified, 1);
%! assert (s.cost - s.bound <= 1e-3 * s.cost);
%! assert (strncmp (s.verdict{1}, 'globally optimal', 16));
%! t = lavdm_sync (E, 'certify', false);
%! assert (t.certified, 0);
%! assert (isnan (t.bound));
%! assert (t.cost, s.cost, 1e-9);
%! for way = {'weights', 'cycles', 'gradual'}
%!   r = lavdm_sync (E, 'robust', way{1});
%!   assert (r.robust, way{1});
%! end
%!error <robust is 'much': it must be true, false, no, auto> lavdm_sync (struct ('row', 1, 'col', 2, 'element', 0.5), 'robust', 'much')
%!error <rounds are of re-weighting> lavdm_sync (struct ('row', 1, 'col', 2, 'element', 0.5), 'robust', 'cycles', 'rounds', 3)
