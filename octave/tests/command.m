% r = command (data, words, ...): what the command lavdm makes of variables, saved in input.mat. In the
% words, IN and OUT stand for the files.
function r = command (data, varargin)
  folder = tempname ();
  mkdir (folder);
  cleaner = onCleanup (@() remove (folder));
  input = fullfile (folder, 'input.mat');
  output = fullfile (folder, 'output.mat');
  save ('-v6', input, '-struct', 'data');
  words = strrep (strrep (varargin, 'IN', input), 'OUT', output);
  [status, text] = system (strjoin ([{getenv('LAVDM')}, words, {'2>&1'}], ' '));
  if status != 0
    error ('the command failed: %s', text);
  end
  r = load (output);
end

function remove (folder)
  confirm_recursive_rmdir (false, 'local');
  rmdir (folder, 's');
end
