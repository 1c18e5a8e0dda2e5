%% lavdm_extend, lavdm_distance, and models as bytes.

%!function X = points (n, seed)
%!  X = lavdm_sample ('klein', n, 'seed', seed, 'noise', 0.01);
%!endfunction

## points of the data come back; new ones are what the command says
%!test
%! X = points (400, 1);
%! Y = points (50, 2);
%! for method = {'dm', 'vdm', 'roseland', 'lavdm', 'nystrom'}
%!   r = lavdm_embed (X, 'method', method{1}, 'components', 6, 'threads', 2);
%!   s = lavdm_extend (r, X(11:30,:));
%!   assert (s.eigenvectors, r.eigenvectors(11:30,:,:), 1e-9);
%!   assert (s.embedding, r.embedding(11:30,:), 1e-9);
%!   assert (fieldnames (s), fieldnames (r));
%!   assert (isempty (s.model));
%!   file = [tempname() '.h5'];
%!   cleaner = onCleanup (@() unlink (file));
%!   id = fopen (file, 'w');
%!   fwrite (id, r.model);
%!   fclose (id);
%!   c = command (struct ('Y', Y), 'extend', file, 'IN -o OUT --threads 2');
%!   s = lavdm_extend (r, Y, 'threads', 2);
%!   assert (isequal (s.eigenvectors, c.eigenvectors));
%!   assert (isequal (s.embedding, c.embedding));
%!   t = lavdm_extend (file, Y, 'threads', 2);
%!   assert (isequal (t.eigenvectors, s.eigenvectors));
%!   u = lavdm_extend (r.model, Y, 'threads', 2);
%!   assert (isequal (u.eigenvectors, s.eigenvectors));
%! end

## a model of the command
%!test
%! X = points (300, 1);
%! file = [tempname() '.h5'];
%! cleaner = onCleanup (@() unlink (file));
%! data = [tempname() '.mat'];
%! cleaner2 = onCleanup (@() unlink (data));
%! save ('-v6', data, 'X');
%! [status, text] = system ([getenv('LAVDM') ' embed ' data ' -o ' file ' --components 5 --compact --quiet']);
%! assert (status, 0);
%! r = lavdm_embed (X, 'components', 5);
%! s = lavdm_extend (file, X(1:9,:), 'reference', X);
%! assert (s.eigenvectors, r.eigenvectors(1:9,:,:), 1e-9);
%! fail ('lavdm_extend (file, X(1:9,:))', 'give them as reference');

## compact, saved in a .mat file, and of single precision
%!test
%! X = points (300, 1);
%! r = lavdm_embed (X, 'components', 5, 'landmarks', 35, 'compact', true);
%! full = lavdm_embed (X, 'components', 5, 'landmarks', 35);
%! assert (numel (r.model) < 0.5 * numel (full.model));
%! file = [tempname() '.mat'];
%! cleaner = onCleanup (@() unlink (file));
%! save ('-v7', file, 'r');
%! kept = load (file).r;
%! s = lavdm_extend (kept, X(1:9,:), 'reference', X);
%! assert (s.eigenvectors, r.eigenvectors(1:9,:,:), 1e-9);
%! single_one = lavdm_embed (X, 'components', 5, 'precision', 'single');
%! s = lavdm_extend (single_one, X(1:9,:));
%! assert (class (s.eigenvectors), 'single');
%! assert (s.eigenvectors, single_one.eigenvectors(1:9,:,:), single (1e-4));

## out of reach: NaN, named, warned about
%!test
%! r = lavdm_embed (points (300, 1), 'method', 'roseland', 'components', 4);
%! s = lavdm_extend (r, [points(2, 3); 1e3*ones(1, 4); points(1, 4)]);
%! assert (s.isolated, 3);
%! assert (all (isnan (s.eigenvectors(3,:))));
%! assert (! any (isnan (s.eigenvectors([1 2 4],:))(:)));
%! assert (! isempty (s.warnings));

## time and ambient of new points; one new point
%!test
%! r = lavdm_embed (points (300, 1), 'components', 4, 'dim', 2);
%! s = lavdm_extend (r, points (1, 2), 'time', 3, 'ambient', true);
%! assert (s.chosen.time, 3);
%! assert (size (s.ambient), [1 4 4]);
%! u = s.eigenvectors;
%! assert (s.embedding(1), r.eigenvalues(1)^6 * sum (u(1,:,1).^2), 1e-14);
%! t = lavdm_extend (r, points (1, 2), 'embedding', false);
%! assert (isempty (t.embedding));

## distances are those between rows of the embedding; alignments are orthogonal
%!test
%! r = lavdm_embed (points (200, 1), 'dim', 2, 'components', 6);
%! i = [1 5 9 200];
%! j = [2 5 100 1];
%! [d, O] = lavdm_distance (r, i, j);
%! assert (d, norm (r.embedding(i,:) - r.embedding(j,:), 'rows'), 1e-12);
%! assert (size (O), [2 2 4]);
%! for k = 1:4
%!   A = zeros (2);
%!   for l = 1:6
%!     A += r.eigenvalues(l)^2 * squeeze (r.eigenvectors(i(k),:,l))' * squeeze (r.eigenvectors(j(k),:,l));
%!   end
%!   [U, S, V] = svd (A);
%!   assert (O(:,:,k), U*V', 1e-8);
%! end
%! d2 = lavdm_distance (r, 1, 2, 'time', 2, 'rank', 3);
%! s = lavdm_embed (points (200, 1), 'dim', 2, 'components', 6, 'time', 2);
%! u = s.eigenvectors(1:2,:,1:3);
%! e = zeros (2, 0);
%! for l = 1:3
%!   for m = 1:3
%!     e(:,end+1) = (s.eigenvalues(l)*s.eigenvalues(m))^2 * sum (u(:,:,l).*u(:,:,m), 2);
%!   end
%! end
%! assert (d2, norm (e(1,:) - e(2,:)), 1e-14);
