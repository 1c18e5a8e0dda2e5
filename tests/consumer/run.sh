#!/bin/sh
# Installs the build into an empty prefix and builds programs against it,
# through pkg-config and through find_package; then runs what the README shows.
set -eu
build=$1 here=$(cd "$2" && pwd) compiler=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/prefix" >/dev/null
pc=$(dirname "$(find "$work/prefix" -name lavdm.pc)")
lib=$(dirname "$pc")
export PKG_CONFIG_PATH="$pc"
# the .pc file names the prefix of the configuration; pkg-config can move it
flags=$(pkg-config --define-variable=prefix="$work/prefix" --cflags --libs lavdm)
# shellcheck disable=SC2086
"$compiler" "$here/main.c" $flags -o "$work/by-pkg-config"
LD_LIBRARY_PATH="$lib" "$work/by-pkg-config"
cmake -S "$here" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_C_COMPILER="$compiler" >/dev/null
cmake --build "$work/cmake" >/dev/null
LD_LIBRARY_PATH="$lib" "$work/cmake/consumer"
"$work/prefix/bin/lavdm" --version

# What the README shows works as pasted.
readme=$here/../../README.md
sed -n '/^```c$/,/^```$/p' "$readme" | grep -v '^```' > "$work/example.c"
# shellcheck disable=SC2086
"$compiler" "$work/example.c" $flags -o "$work/example"
LD_LIBRARY_PATH="$lib" "$work/example"
sed -n '/^```python$/,/^```$/p' "$readme" | grep -v '^```' > "$work/example.py"
[ ! -e "$build/python" ] || PYTHONPATH="$build/python" /usr/bin/python3 -B "$work/example.py"
cd "$work"
ln -s "$work/prefix/bin" build
sed -n 's/^ *\(build\/lavdm [^#]*\).*/\1/p' "$readme" > commands
[ "$(wc -l < commands)" -ge 5 ]
sh -e commands
[ -s klein.png ] && [ -s klein.npz ]
