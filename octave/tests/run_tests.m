% octave run_tests.m FILE.tst: runs the tests of a file; fails if one of them does, or if there are none.
addpath (getenv ('LAVDM_OCTAVE'));
addpath (fileparts (mfilename ('fullpath')));
warning ('off', 'lavdm:warning');
more off
rand ('twister', 1);
randn ('twister', 1);
file = argv (){end};
[passed, tests] = test (file, 'quiet', stdout);
printf ('%s: %d of %d tests passed\n', file, passed, tests);
exit (double (tests == 0 || passed < tests));
