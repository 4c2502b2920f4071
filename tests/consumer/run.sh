#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sinew authors

# run.sh BUILD_FOLDER WORK_FOLDER COMPILER [FLAGS]: installs a build into a folder of its own, builds a program that finds
# it there, once plainly and once for this machine's instruction set, and compares what both print. Also runs the
# installed program from outside the checkout.

set -euo pipefail

build=$1 work=$2 compiler=$3 flags=${4:-}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
rm -rf "$work"
mkdir -p "$work"
cmake --install "$build" --prefix "$work/prefix" >"$work/install.log"

for module in jobs lab; do
  if [[ -e $work/prefix/include/sinew/$module ]] || compgen -G "$work/prefix/lib*/*sinew_$module*" >/dev/null; then
    echo "the module $module is installed, but it is no part of the library"
    exit 1
  fi
done

use() {
  local name=$1 source=$2
  shift 2
  cmake -S "$source" -B "$work/$name" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER="$compiler" \
    -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_CXX_FLAGS="$*" >"$work/$name.log" || { cat "$work/$name.log"; exit 1; }
  cmake --build "$work/$name" >>"$work/$name.log" || { cat "$work/$name.log"; exit 1; }
}

use plain "$here/project" "$flags"
use native "$here/project" "$flags -march=native"
for name in plain native; do "$work/$name/consumer" >"$work/$name.txt"; done
cat "$work/plain.txt"
[[ $(wc -l <"$work/plain.txt") -ge 7 ]] || { echo "the program printed too little"; exit 1; }
diff "$work/plain.txt" "$work/native.txt" || { echo "-march=native changes the result or the size of a type"; exit 1; }
cd "$work"
prefix/bin/sinew --version
prefix/bin/sinew make human -o figure.glb --vertices 4000 --height 2 --quiet

use example "$here/../../examples/pose_a_character" "$flags"
example/pose_a_character figure.glb walk 0.25
example/pose_a_character figure.glb | grep -q ' x 2.000 x ' || { echo "the example does not print the height"; exit 1; }

use bind_weights "$here/../../examples/bind_weights" "$flags"
bind_weights/bind_weights figure.glb library.glb
prefix/bin/sinew bind figure.glb -o program.glb --method voxel --resolution 128 --falloff 0.4 --max-influences 3 --quiet
cmp library.glb program.glb || { echo "the library and the program bind differently"; exit 1; }
# A mesh rigged by the library is the file that the program writes.
prefix/bin/sinew make human --with mesh --vertices 2500 -o bare_human.glb --quiet
prefix/bin/sinew convert bare_human.glb -o bare.obj --quiet
use rig_example "$here/../../examples/rig_a_mesh" "$flags"
rig_example/rig_a_mesh bare.obj rigged_library.glb | grep -q '^human, confidence' || { echo "the example finds no human"; exit 1; }
prefix/bin/sinew rig bare.obj -o rigged_program.glb --quiet
cmp rigged_library.glb rigged_program.glb || { echo "the library and the program rig a mesh differently"; exit 1; }
# The same transfers by the example and by the program.
prefix/bin/sinew make human -o other.glb --vertices 1500 --vary 0.3 --seed 5 --quiet
prefix/bin/sinew make human -o bare.glb --vertices 1500 --vary 0.3 --seed 5 --with mesh --quiet
use transfer_a_rig "$here/../../examples/transfer_a_rig" "$flags"
for target in other bare; do
  transfer_a_rig/transfer_a_rig figure.glb "$target.glb" "${target}_example.glb" | tee "$target.txt"
  grep -q '^matched [1-9]' "$target.txt" || { echo "the example does not print the levels"; exit 1; }
  prefix/bin/sinew transfer figure.glb "$target.glb" --clips -o "${target}_program.glb" --quiet
  cmp "${target}_example.glb" "${target}_program.glb" || { echo "the example does not do what the program does"; exit 1; }
done
# Frames played by the library are those that the program writes.
use deform_frames "$here/../../examples/deform_frames" "$flags"
prefix/bin/sinew make human -o small.glb --vertices 1200 --quiet
SINEW_CACHE=off deform_frames/deform_frames small.glb wave frames_library.pc2
SINEW_CACHE=off prefix/bin/sinew deform small.glb --clip builtin:wave --method pbd --sweeps 12 --fps 10 -o frames_program.pc2 --quiet
cmp frames_library.pc2 frames_program.pc2 || { echo "the library and the program play differently"; exit 1; }
use add_a_deformer "$here/../../examples/add_a_deformer" "$flags"
[[ $(add_a_deformer/add_a_deformer small.glb wave) == "lifted by 2.000 m" ]] || { echo "the added deformer does not play"; exit 1; }
