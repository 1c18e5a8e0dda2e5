%% The help texts: of all functions, and their examples run.

%!function names = functions ()
%!  files = dir (fullfile (getenv ('LAVDM_OCTAVE'), '*.m'));
%!  names = strrep ({files.name}, '.m', '');
%!endfunction

%!function examples = examples_of (text)
%!  lines = strsplit (text, "\n");
%!  examples = {};
%!  inside = false;
%!  for k = 1:numel (lines)
%!    if strcmp (strtrim (lines{k}), 'Example:')
%!      inside = true;
%!      examples{end+1} = '';
%!    elseif inside && ! isempty (lines{k}) && isempty (regexp (lines{k}, '^   ', 'once'))
%!      inside = false;
%!    elseif inside
%!      examples{end} = [examples{end} lines{k} "\n"];
%!    end
%!  end
%!endfunction

## without its pictures, in a workspace of its own
%!function printed = output_of (text)
%!  printed = evalc (regexprep (text, 'scatter3[^\n]*', ''));
%!endfunction

%!test
%! names = functions ();
%! assert (sort (names(:)'), {'lavdm_distance', 'lavdm_embed', 'lavdm_extend', 'lavdm_sample', 'lavdm_sync'});
%! ran = 0;
%! for k = 1:numel (names)
%!   text = get_help_text (names{k});
%!   assert (! isempty (strfind (text, [names{k} ' (']) ));
%!   found = examples_of (text);
%!   assert (! isempty (found), names{k});
%!   for e = 1:numel (found)
%!     printed = output_of (found{e});
%!     ran++;
%!     shown = regexp (found{e}, '%\s*(\d+ x \d+ x \d+)\s', 'tokens');
%!     for s = 1:numel (shown)
%!       assert (! isempty (strfind (regexprep (printed, '\s+', ' '), strrep (shown{s}{1}, ' x', ''))));
%!     end
%!   end
%! end
%! assert (ran >= 6);

## the examples show what they say
%!test
%! text = examples_of (get_help_text ('lavdm_sync')){1};
%! assert (strtrim (evalc (text)), "SO(3)\n1");
%! text = regexprep (examples_of (get_help_text ('lavdm_embed')){2}, '\n   max .*', '');
%! eval (text);
%! assert (max (abs (v - exp (1i*(angle - angle(1))))) < 1e-8);

## every field of a result is explained
%!test
%! r = lavdm_embed (lavdm_sample ('sphere', 50));
%! text = get_help_text ('lavdm_embed');
%! for name = fieldnames (r)'
%!   assert (! isempty (regexp (text, ['\<' name{1} '\>'], 'once')), name{1});
%! end
%! s = lavdm_sync (struct ('row', 1, 'col', 2, 'element', 1));
%! text = get_help_text ('lavdm_sync');
%! for name = fieldnames (s)'
%!   assert (! isempty (regexp (text, ['\<' name{1} '\>'], 'once')), name{1});
%! end
