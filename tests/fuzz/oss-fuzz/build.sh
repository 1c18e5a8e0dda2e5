#!/bin/bash -eu
# Builds the targets as OSS-Fuzz asks for them: $CC, $CFLAGS and $LIB_FUZZING_ENGINE say how, $SRC/lavdm has the
# sources, $WORK takes what is in between, and $OUT gets the programs, their seeds and the libraries they need.
cmake -S "$SRC/lavdm" -B "$WORK/build" -G Ninja -DCMAKE_BUILD_TYPE=None -DCMAKE_C_COMPILER="$CC" \
  -DCMAKE_C_FLAGS="$CFLAGS" -DLAVDM_FUZZ=ON -DLAVDM_NATIVE=OFF -DBUILD_SHARED_LIBS=OFF -DCMAKE_BUILD_WITH_INSTALL_RPATH=ON \
  -DCMAKE_INSTALL_RPATH='$ORIGIN/lib'
ninja -C "$WORK/build" fuzzers

mkdir -p "$OUT/lib"
fuzz=$SRC/lavdm/tests/fuzz
grep -v '^#' "$fuzz/targets.txt" | while read -r target _ longest options; do
  program=$WORK/build/tests/fuzz/fuzz_$target
  cp "$program" "$OUT/"
  # libraries of the system that the machine which runs them may not have
  ldd "$program" | grep -o '/[^ ]*' | grep -v '/ld-linux\|/lib[cm]\.so\|/libpthread\|/libdl\|/librt' | xargs -I @ cp -nL @ "$OUT/lib"
  [ ! -e "$fuzz/corpus/$target" ] || (cd "$fuzz/corpus/$target" && zip -qr "$OUT/fuzz_${target}_seed_corpus.zip" .)
  {
    echo "[libfuzzer]"
    echo "max_len = $longest"
    for option in $options; do echo "${option#-}" | sed 's/=/ = /'; done
  } >"$OUT/fuzz_$target.options"
done
