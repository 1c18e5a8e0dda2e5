% [...] = lavdm_call (name, ...): lavdm_mex, with strings as char, and warnings raised.
function varargout = lavdm_call (varargin)
  if ~exist ('OCTAVE_VERSION', 'builtin')
    [varargin{:}] = convertStringsToChars (varargin{:});
  end
  varargout = cell (1, max (nargout, 1));
  try
    [varargout{:}] = lavdm_mex (varargin{:});
  catch e
    % Octave puts the name of the MEX function before its sentence.
    message = regexprep (e.message, '^lavdm_mex: ', '');
    identifier = e.identifier;
    if any (strcmp (identifier, {'Octave:bad-alloc', 'MATLAB:nomem'})) || strncmp (message, 'failed to allocate', 18)
      identifier = 'lavdm:memory';
    end
    rethrow (struct ('message', message, 'identifier', identifier, 'stack', e.stack));
  end
  if isstruct (varargout{1}) && isfield (varargout{1}, 'warnings')
    for k = 1:numel (varargout{1}.warnings)
      warning ('lavdm:warning', '%s', varargout{1}.warnings{k});
    end
  end
end
