#!/bin/sh
# Installs the build, moves it, and builds programs against it in every way: shared and static, by
# pkg-config and by find_package, in C and in C++. Then runs what the README shows.
# usage: run.sh BUILD FOLDER COMPILER
set -eu
build=$1 here=$(cd "$2" && pwd) compiler=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/first" >/dev/null
mv "$work/first" "$work/moved"
prefix=$work/moved
if grep -r "$work/first" "$prefix" >/dev/null; then
  echo "the installed files hold the prefix they were installed to:" && grep -rl "$work/first" "$prefix" && exit 1
fi
pc=$(dirname "$(find "$prefix" -name lavdm.pc)")
lib=$(dirname "$pc")
export PKG_CONFIG_PATH="$pc"

# Nothing but the API is visible.
nm -D --defined-only "$lib/liblavdm.so" | awk '$3 !~ /^lavdm_/ { print "exported: " $3; bad = 1 } END { exit bad }'
nm -g --defined-only "$lib/liblavdm.a" | awk 'NF == 3 && $3 !~ /^lavdm_/ { print "global: " $3; bad = 1 } END { exit bad }'
readelf -d "$lib/liblavdm.so" | grep -q 'SONAME.*liblavdm[.]so[.]0[.]2\]'

# The eigenvalue that programs compare with is that of the command.
"$prefix/bin/lavdm" sample sphere -n 1000 -o "$work/sphere.npy" >/dev/null 2>&1
eigenvalue=$("$prefix/bin/lavdm" embed "$work/sphere.npy" --threads 1 --json -o "$work/sphere.npz" |
  tr -d '\n' | sed -n 's/.*"eigenvalues": *\[ *\([0-9.e+-]*\).*/\1/p')
[ -n "$eigenvalue" ]
use() { # name, libraries...
  name=$1
  shift
  # shellcheck disable=SC2046
  "$compiler" -DEIGENVALUE="$eigenvalue" "$here/main.c" $(pkg-config --cflags lavdm) -o "$work/$name" "$@" -lm
  LD_LIBRARY_PATH="$lib" "$work/$name"
  if ldd "$work/$name" | grep -q liblavdm; then linked=shared; else linked=static; fi
  echo "  $name: $linked"
}
# shellcheck disable=SC2046
use pkg-config-shared $(pkg-config --libs lavdm)
[ "$linked" = shared ]
# The static archive among shared ones, chosen by its name, or because there is no other.
# shellcheck disable=SC2046
use pkg-config-static $(pkg-config --static --libs lavdm | sed 's/-llavdm/-l:liblavdm.a/')
[ "$linked" = static ]
mkdir "$work/archive" && cp "$lib/liblavdm.a" "$work/archive"
# shellcheck disable=SC2046
use pkg-config-static-only $(pkg-config --define-variable=libdir="$work/archive" --static --libs lavdm)
[ "$linked" = static ]
# A program without any shared library, where the others have static ones too. What openblas needs of
# Fortran is not all in its own file, nor what CHOLMOD needs of SuiteSparse.
all=yes
more="-lquadmath -lcholmod -lamd -lcolamd -lccolamd -lcamd -lmetis -lsuitesparseconfig -lopenblas -lm"
# shellcheck disable=SC2086
for flag in $(pkg-config --static --libs-only-l lavdm) $more; do
  [ "$flag" = -llavdm ] || [ -e "$("$compiler" -print-file-name="lib${flag#-l}.a")" ] || all=no
done
if [ $all = yes ]; then
  # shellcheck disable=SC2046,SC2086
  use pkg-config-all-static -static $(pkg-config --static --libs lavdm) $more 2>"$work/warnings"
  [ "$linked" = static ]
fi

cmake -S "$here" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$compiler" \
  -DEIGENVALUE="$eigenvalue" >/dev/null
cmake --build "$work/cmake" >/dev/null
LD_LIBRARY_PATH="$lib" "$work/cmake/with_lavdm"
ldd "$work/cmake/with_lavdm" | grep -q liblavdm
"$work/cmake/with_lavdm_static"
! ldd "$work/cmake/with_lavdm_static" | grep -q liblavdm || exit 1

if command -v g++ >/dev/null; then
  # shellcheck disable=SC2046
  g++ -std=c++11 -Wall -Wextra -Werror "$here/main.cpp" $(pkg-config --cflags --libs lavdm) -o "$work/cpp"
  LD_LIBRARY_PATH="$lib" "$work/cpp"
fi
"$prefix/bin/lavdm" --version

# What the README shows works as pasted.
flags=$(pkg-config --cflags --libs lavdm)
readme=$here/../../README.md
sed -n '/^```c$/,/^```$/p' "$readme" | grep -v '^```' > "$work/example.c"
# shellcheck disable=SC2086
"$compiler" "$work/example.c" $flags -o "$work/example"
LD_LIBRARY_PATH="$lib" "$work/example"
sed -n '/^```python$/,/^```$/p' "$readme" | grep -v '^```' > "$work/example.py"
[ ! -e "$build/python" ] || PYTHONPATH="$build/python" /usr/bin/python3 -B "$work/example.py"
cd "$work"
ln -s "$prefix/bin" build
sed -n 's/^ *\(build\/lavdm [^#]*\).*/\1/p' "$readme" > commands
[ "$(wc -l < commands)" -ge 5 ]
# The data of one's own that it speaks of.
/usr/bin/python3 -B - <<END
import anndata, numpy, pandas, scipy.io, sklearn.datasets, sklearn.metrics, sklearn.neighbors
iris = sklearn.datasets.load_iris(as_frame=True)
iris.data.assign(species=iris.target_names[iris.target]).to_csv("iris.csv")
numpy.save("d.npy", sklearn.metrics.pairwise_distances(iris.data))
points = numpy.random.default_rng(0).random((900, 2))
weights = sklearn.neighbors.kneighbors_graph(points, 10)
scipy.io.mmwrite("w.mtx", weights.maximum(weights.T))
anndata.AnnData(points.astype("f4")).write("cells.h5ad")
END
sh -e commands
[ -s klein.pdf ] && [ -s klein.npz ] && [ -s iris.png ] && [ -s out.h5ad ]
