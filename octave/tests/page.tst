%% docs/octave.md: what its examples print is what it says.

## lines after '>> ' run one by one, in one workspace; the lines that follow are what they print
%!function [commands, printed] = blocks (text)
%!  commands = printed = {};
%!  inside = false;
%!  for line = strsplit (text, "\n")
%!    if strncmp (line{1}, '```', 3)
%!      inside = ! inside;
%!    elseif inside && strncmp (line{1}, '>> ', 3)
%!      commands{end+1} = line{1}(4:end);
%!      printed{end+1} = '';
%!    elseif inside
%!      printed{end} = [printed{end} line{1} "\n"];
%!    end
%!  end
%!endfunction

%!test
%! [commands_, printed_] = blocks (fileread (fullfile (getenv ('LAVDM_SOURCE'), 'docs', 'octave.md')));
%! assert (numel (commands_) > 10);
%! for k_ = 1:numel (commands_)
%!   assert (evalc (commands_{k_}), printed_{k_});
%! end
