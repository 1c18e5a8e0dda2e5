#!/bin/sh
# Builds the site into BUILD and checks it.
# usage: run.sh BUILD
set -eu
source=$(cd "$(dirname "$0")/../.." && pwd)
if ! /usr/bin/python3 -c 'import sphinx, myst_parser, sphinx_copybutton' 2>/dev/null; then
  echo "Sphinx is not there: tools/install-dependencies site" && exit 1
fi
"$source/tools/site/build" "$1"
exec /usr/bin/python3 -B "$source/tests/site/check.py" "$1/site" "$source/include"
