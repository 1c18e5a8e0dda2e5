%% Nothing is left behind: memory, files, open files, whether calls succeed or not.

%!function bytes = resident ()
%!  text = fileread ('/proc/self/statm');
%!  bytes = 4096 * sscanf (text, '%d')(2);
%!endfunction

%!function calls (X, E)
%!  r = lavdm_embed (X, 'components', 4, 'threads', 1);
%!  s = lavdm_extend (r, repmat (X, 5, 1), 'threads', 1);
%!  [d, O] = lavdm_distance (r, 1:5, 6:10);
%!  t = lavdm_sync (E, 'threads', 1);
%!  bad = {@() lavdm_embed(X, 'ambient', true, 'method', 'dm'), @() lavdm_extend(r, X(:,1:2)), ...
%!         @() lavdm_extend(r, X, 'components', 3), @() lavdm_distance(r, 1, 5000), @() lavdm_sync(E, 'group', 'o7'), ...
%!         @() lavdm_embed([X; NaN NaN NaN]), @() lavdm_extend(r.model(1:50), X)};
%!  for k = 1:numel (bad)
%!    failed = false;
%!    try
%!      bad{k} ();
%!    catch
%!      failed = true;
%!    end
%!    assert (failed);
%!  end
%!endfunction

%!test
%! X = lavdm_sample ('sphere', 400);
%! E = struct ('row', 1:3999, 'col', 2:4000, 'element', 0.1*ones (3999, 1), 'kind', 'angle');
%! folder = tempname ();
%! mkdir (folder);
%! before = getenv ('TMPDIR');
%! setenv ('TMPDIR', folder);
%! for k = 1:4
%!   calls (X, E);
%! end
%! files = numel (readdir ('/proc/self/fd'));
%! ## what a round leaves behind every later one leaves too; what the allocator keeps it keeps once
%! grown = Inf;
%! for block = 1:4
%!   first = resident ();
%!   for k = 1:15
%!     calls (X, E);
%!   end
%!   grown = min (grown, resident () - first);
%!   if (grown < 2e6)
%!     break;
%!   end
%! end
%! setenv ('TMPDIR', before);
%! assert (numel (readdir ('/proc/self/fd')), files);
%! assert (numel (dir (folder)), 2);   # . and ..
%! rmdir (folder);
%! ## one model or result that was kept in each round would be 15 x 200 kB and more
%! printf ('    %g bytes more\n', grown);
%! assert (grown < 2e6, sprintf ('%g bytes more', grown));

## points are not copied
%!test
%! X = rand (4e6, 3);
%! X(end) = NaN;
%! peak = @() str2double (regexp (fileread ('/proc/self/status'), 'VmHWM:\s*(\d+)', 'tokens'){1}{1}) * 1024;
%! before = peak ();
%! try
%!   lavdm_embed (X);   # read through, and refused
%! catch e
%!   assert (e.identifier, 'lavdm:data');
%! end
%! assert (peak () - before < 48e6);
