#!/bin/sh
# pip install ./python, without a network, and a build in place; each used from another folder. The
# sources are copied first, so that nothing is built among them.
# usage: install.sh SOURCE WORK PYTHON
set -eu
source=$1 work=$2 python=$3
rm -rf "$work"
mkdir -p "$work/source"
(cd "$source" && tar cf - --exclude='./build*' --exclude=./.git --exclude=./python/build --exclude='*.egg-info' \
  --exclude='*.so' .) | (cd "$work/source" && tar xf -)
"$python" -m venv --system-site-packages "$work/venv"
unset PYTHONPATH
use='import lavdm, numpy
points = lavdm.sample("sphere", 400)
values = lavdm.VectorDiffusionMap(components=6).fit(points).eigenvalues_
assert numpy.ptp(values) < 0.05 * values[0], values
print(lavdm.__version__, lavdm.__file__)'
PIP_NO_INDEX=1 "$work/venv/bin/python" -m pip --disable-pip-version-check install -q --no-build-isolation \
  "$work/source/python"
cd "$work"
"$work/venv/bin/python" -c "$use" | grep -q "$work/venv/lib"
cd "$work/source/python"
"$python" setup.py -q build_ext --inplace >/dev/null
cd "$work"
PYTHONPATH="$work/source/python" "$python" -c "$use" | grep -q "$work/source/python/lavdm"
rm -rf "$work"
echo "installed by pip, and built in place"
