#!/bin/sh
# Installs the build into an empty prefix and builds a program against it twice:
# through pkg-config and through find_package.
set -eu
build=$1 here=$2 compiler=$3
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
