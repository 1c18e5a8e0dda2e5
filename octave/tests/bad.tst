%% Bad input: the right identifier and sentence, and the next call works.

%!function refused (id, pattern, call, varargin)
%!  try
%!    call (varargin{:});
%!  catch e
%!    assert (strcmp (e.identifier, ['lavdm:' id]), [pattern ' got ' e.identifier ': ' e.message]);
%!    assert (! isempty (regexp (e.message, pattern, 'once')), ['the sentence was: ' e.message]);
%!    assert (isempty (strfind (e.message, 'lavdm_mex')));
%!    return
%!  end
%!  error ('not refused: %s', pattern);
%!endfunction

%!function lavdm_mex_alone ()
%!  try
%!    lavdm_mex ();
%!  catch e
%!    error (e.identifier, '%s', strrep (e.message, 'lavdm_mex: ', ''));
%!  end
%!endfunction

## options
%!test
%! X = lavdm_sample ('sphere', 60);
%! f = @lavdm_embed;
%! refused ('argument', '''landmark'': did you mean ''landmarks''', f, X, 'landmark', 5);
%! refused ('argument', '''ambeint'': did you mean ''ambient''', f, X, 'ambeint', true);
%! refused ('argument', 'there is no option ''something_else''', f, X, 'something_else', 5);
%! refused ('argument', 'must be one of dm\|vdm', f, X, 'method', 'x');
%! refused ('argument', 'whole number', f, X, 'components', 2.5);
%! refused ('argument', 'whole number', f, X, 'components', NaN);
%! refused ('argument', 'from 1 to', f, X, 'components', 0);
%! refused ('argument', 'one number', f, X, 'components', [1 2]);
%! refused ('argument', 'one number', f, X, 'components', []);
%! refused ('argument', 'array of numbers', f, X, 'components', {3});
%! refused ('argument', 'complex', f, X, 'epsilon', 1i);
%! refused ('argument', 'has no value', f, X, 'components');
%! refused ('argument', 'pairs', f, X, 5, 'components');
%! refused ('argument', 'true or false', f, X, 'ambient', 3);
%! refused ('argument', '1 x 1', f, X, struct ('dim', {1, 2}));
%! refused ('argument', 'only 60 points', f, X, 'landmarks', 61);
%! refused ('argument', 'trivial bundle', f, X, 'method', 'dm', 'bundle', 'tangent');
%! refused ('argument', 'kernel_function', f, X, 'kernel', 'callback');
%! refused ('argument', 'a text', f, X, 'method', ['dm'; 'dm'](:,:)(:,1:2)(1:2,:));
%! refused ('memory', 'may be used', f, X, 'max_memory', 1000);
%! refused ('memory', 'may be used', f, X, 'max_memory', 1000, 'embedding', false);
%! refused ('memory', 'the embedding takes', f, rand (1e5, 2), 'components', 1e4, 'max_memory', '1G');
%! refused ('argument', 'no points', f);
%! assert (numel (lavdm_embed (X, 'components', 3).eigenvalues), 3);

## points
%!test
%! X = lavdm_sample ('sphere', 60);
%! f = @lavdm_embed;
%! refused ('data', 'row 3, column 2 is nan', f, [X(1:2,:); 1 NaN 2; X]);
%! refused ('data', 'inf', f, single ([X; Inf 1 2]));
%! refused ('argument', 'sparse', f, sparse (X));
%! refused ('argument', 'complex', f, X + 1i);
%! refused ('argument', 'class cell', f, {X});
%! refused ('argument', 'class char', f, 'points');
%! refused ('argument', 'class struct', f, struct ());
%! refused ('argument', 'dimensions', f, zeros (3, 3, 3, 3));
%! refused ('data', 'no points|nothing to embed', f, []);
%! refused ('data', 'nothing to embed|no points', f, zeros (0, 3));
%! refused ('data', 'nothing to embed|no points', f, zeros (3, 0));
%! refused ('data', 'one point', f, [1 2 3]);
%! refused ('data', 'one point', f, 5);
%! refused ('data', 'no square', f, zeros (10, 7), 'bundle', 'rotation');
%! refused ('argument', 'pixels', f, rand (8, 8, 10), 'bundle', 'rotation', 'height', 5);
%! refused ('data', 'landmark_index is 61', f, X, 'landmark_index', [1 2 61]);
%! refused ('data', 'landmark_index is 0', f, X, 'landmark_index', [1 0 6]);
%! refused ('data', 'landmark_index is 1.5', f, X, 'landmark_index', 1.5);
%! refused ('data', 'coordinates', f, X, 'landmark_points', ones (5, 2));
%! refused ('argument', 'twice', f, X, 'landmark_points', X, 'landmark_index', 1:5);
%! refused ('argument', 'no landmarks', f, X, 'design', 'given');
%! r = lavdm_embed ([0 0; 1 0], 'method', 'dm', 'edges', 'complete');
%! assert (r.eigenvalues(1), 1, 1e-12);
%! r = lavdm_embed ((1:5)', 'method', 'dm');   # one column
%! assert (rows (r.eigenvectors), 5);

## edges
%!test
%! E = struct ('row', [1 2], 'col', [2 3]);
%! f = @(E, varargin) lavdm_embed ([], 'edges', E, 'method', 'vdm', varargin{:});
%! refused ('argument', 'no field ''weights''', f, setfield (E, 'weights', [1 1]));
%! refused ('argument', 'no field ''shift''', f, setfield (E, 'shift', [1 1]));
%! refused ('data', 'row and col are needed', f, struct ('row', 1));
%! refused ('data', 'row and col are needed', f, struct ('row', [], 'col', []));
%! refused ('data', 'the field col has 1 elements', f, setfield (E, 'col', 1));
%! refused ('data', 'the field weight has 3 elements', f, setfield (E, 'weight', [1 1 1]));
%! refused ('data', 'element 1 of the field row is 0', f, setfield (E, 'row', [0 1]));
%! refused ('data', 'must be a vector', f, setfield (E, 'row', [1 2; 3 4]));
%! refused ('data', 'must be 4 x 1', f, struct ('row', 1:4, 'col', 2:5, 'element', eye (2)));
%! refused ('data', 'edge 2 has weight -1', f, setfield (E, 'weight', [1 -1]));
%! refused ('data', 'must be 2 x 1, 2 x 4 or q x q x 2', f, setfield (E, 'element', eye (3)));
%! refused ('data', 'edge 2 has an element that is not orthogonal', f, setfield (E, 'element', cat (3, eye (2), ones (2))));
%! refused ('data', 'shape of quaternions', f, setfield (setfield (E, 'element', ones (2, 4)), 'kind', 'angle'));
%! refused ('data', 'one number an edge', f, setfield (setfield (E, 'element', [1 1]), 'kind', 'matrix'));
%! refused ('data', 'there are no elements', f, setfield (E, 'kind', 'angle'));
%! refused ('argument', 'kind is ''turn''', f, setfield (E, 'kind', 'turn'));
%! refused ('argument', 'one struct', f, [E E]);
%! refused ('argument', 'bundle is not given', f, E, 'bundle', 'tangent');
%! refused ('data', 'edge 2 names point 3, but there are 2', @lavdm_embed, [0; 1], 'edges', E, 'method', 'vdm');
%! refused ('argument', 'made from edges', @lavdm_extend, f (E), [1; 2]);

## models
%!test
%! X = lavdm_sample ('sphere', 100);
%! r = lavdm_embed (X, 'components', 3);
%! f = @lavdm_extend;
%! refused ('argument', 'there is no model', f, 5, X);
%! refused ('argument', 'there is no model', f, struct ('model', []), X);
%! refused ('argument', 'there is no model', f, struct ('a', 1), X);
%! refused ('argument', 'there is no model', f, lavdm_embed (X, 'model', false), X);
%! refused ('argument', 'there is no model', f, lavdm_extend (r, X(1:3,:)), X);
%! refused ('file', 'no such file|No such file', f, '/nowhere/model.h5', X);
%! broken = r;
%! broken.model(end/2) = 255 - broken.model(end/2);
%! refused ('file', '.', f, broken, X);
%! broken.model = r.model(1:100);
%! refused ('file', '.', f, broken, X);
%! refused ('file', '.', f, uint8 (1:100)', X);
%! refused ('argument', 'needed', f, r);
%! refused ('data', 'have 2 coordinates', f, r, X(:,1:2));
%! refused ('data', 'row 1, column 1 is nan', f, r, [NaN 1 2]);
%! refused ('data', '0 rows|no new points|there are no', f, r, zeros (0, 3));
%! refused ('argument', 'epsilon is the model''s', f, r, X, 'epsilon', 5);
%! refused ('argument', 'did you mean ''reference''', f, r, X, 'refrence', 5);
%! refused ('data', 'i is 101', @lavdm_distance, r, 101, 1);
%! refused ('data', 'j is 0', @lavdm_distance, r, 1, 0);
%! refused ('argument', 'pairs', @lavdm_distance, r, [1 2], 1);
%! refused ('argument', 'rank is 4', @lavdm_distance, r, 1, 2, 'rank', 4);
%! refused ('argument', 'time is', @lavdm_distance, r, 1, 2, 'time', -1);
%! folder = getenv ('TMPDIR');
%! setenv ('TMPDIR', '/nowhere');
%! try
%!   refused ('file', 'set TMPDIR', f, r, X);
%! catch e
%! end
%! setenv ('TMPDIR', folder);
%! if exist ('e', 'var'), rethrow (e); end

## synchronisation and samples
%!test
%! E = struct ('row', [1 2], 'col', [2 3], 'element', [0.1 0.2]);
%! f = @lavdm_sync;
%! refused ('argument', 'there are no edges', f);
%! refused ('argument', 'one struct', f, 5);
%! refused ('argument', 'the group is ''so3x''', f, E, 'group', 'so3x');
%! refused ('argument', 'the group is ''c''', f, E, 'group', 'c');
%! refused ('data', 'of size 2, and the group so3 needs 3', f, E, 'group', 'so3');
%! refused ('data', 'nothing to synchronise', f, rmfield (E, 'element'));
%! refused ('data', 'reflection', f, setfield (E, 'element', cat (3, eye (2), diag ([1 -1]))), 'group', 'so');
%! refused ('data', 'shift must be 2 x 2', f, setfield (E, 'shift', [1 2 3]));
%! refused ('data', 'edge 2 has a shift of nan', f, setfield (E, 'shift', [1 2; 3 NaN]));
%! refused ('data', 'whole numbers', f, setfield (E, 'kind', 'step'));
%! refused ('argument', 'epsilon is an option of lavdm_embed', f, E, 'epsilon', 1);
%! refused ('argument', 'did you mean ''robust''', f, E, 'robst', 1);
%! refused ('argument', 'rounds is -1', f, E, 'rounds', -1);
%! refused ('data', 'nodes is 0', f, E, 'nodes', 0);
%! f = @lavdm_sample;
%! refused ('memory', 'out of memory', f, 'sphere', 1e9, 'dim', 1000);
%! refused ('argument', 'how many points', f, 'sphere');
%! refused ('argument', 'n is 0', f, 'sphere', 0);
%! refused ('argument', 'cube', f, 'cube', 5);
%! refused ('argument', 'heap', f, 'sphere', 5, 'density', 'heap');
%! refused ('argument', 'did you mean ''noise''', f, 'sphere', 5, 'niose', 1);
%! refused ('argument', 'use lavdm_embed', @lavdm_mex_alone);

## samples are the command's
%!test
%! c = command (struct (), 'sample torus -n 50 --seed 9 --noise 0.1 --frames --parameters -o OUT --quiet');
%! [X, F, P] = lavdm_sample ('torus', 50, 'seed', 9, 'noise', 0.1);
%! assert (isequal (X, c.points) && isequal (F, c.frames) && isequal (P, c.parameters));
%! assert (size (lavdm_sample ('sphere', 5, 'dim', 4)), [5 5]);
%! assert (any (strcmp ({lavdm_sample().name}, 'klein')));
