#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh [quick] - building many graphs past one machine: 2,000 graphs (quick: 200) in 64 parts (--split 64).
#
#   distcc   compiled by 1, 2 and 4 workers, each a distccd in a network namespace of its own; how long, and how many objects
#            are compiled after one graph has changed
#   Bazel    compiled with a remote cache (BuildGrid): by the first machine, by a second one that has nothing, and by both after
#            one graph has changed. A machine is an output folder of its own. Parts are genrules, so no rules are downloaded.
#
# Workers share this machine's processors: more workers than those say what the way there costs, not how fast it gets. All
# addresses are of this machine: 198.18.0.0/15, which is set aside for benchmarks, and localhost.
#
# It needs root for the namespaces, the packages distcc and bazel-bootstrap, and BuildGrid, which it puts into $BUILD from
# requirements.txt; what is missing is said and left out. Results: lines here, and in $BUILD/bench/distributed.txt.
. "$(dirname "$0")/../../lib.sh"
set -u
here=$root/tests/bench/distributed
out=$BUILD/bench/distributed
result=$BUILD/bench/distributed.txt
graphs=2000 parts=64 most=4
[ "${1-}" != quick ] || graphs=200
rm -rf "$out"
mkdir -p "$out"
: >"$result"

report() { # TEXT: a line of the result
    echo "$1" | tee -a "$result"
}

seconds() { # COMMAND...: how long it takes; its output goes to $out/log
    begun=$(date +%s.%N)
    "$@" >"$out/log" 2>&1 || { echo "failed: $*" >&2; tail -n 20 "$out/log" >&2; return 1; }
    date +%s.%N | awk -v begun="$begun" '{ printf "%.1f", $1 - begun }'
}

generate() { # FOLDER [CHANGED]
    awk -v n=$graphs -v changed="${2-}" -f "$here/graphs.awk" >"$out/model.yaml"
    "$WRAPGEN" "$out/model.yaml" --out "$1/w.c" --header "$1/w.h" --split $parts
}

rewritten() { # FOLDER SINCE: how many files have been written since that file was
    find "$1" -name 'w*' -newer "$2" -type f | wc -l
}

# ---- what one changed graph writes ----

measure_graphs() { # with a part for each graph
    mkdir -p "$out/graphs"
    awk -v n=$graphs -f "$here/graphs.awk" >"$out/model.yaml"
    time=$(seconds "$WRAPGEN" "$out/model.yaml" --out "$out/graphs/w.c" --header "$out/graphs/w.h" --split graphs) || return
    report "--split graphs: $(find "$out/graphs" -type f | wc -l) files, $time s"
    awk -v n=$graphs -v changed=7 -f "$here/graphs.awk" >"$out/model.yaml"
    sleep 1.1
    touch "$out/before"
    sleep 1.1
    time=$(seconds "$WRAPGEN" "$out/model.yaml" --out "$out/graphs/w.c" --header "$out/graphs/w.h" --split graphs) || return
    report "one graph changed: $(rewritten "$out/graphs" "$out/before") files written, $time s"
}

measure_files() { # a run over a YAML for each graph
    mkdir -p "$out/yaml" "$out/files"
    awk -v n=$graphs -v folder="$out/yaml" -f "$here/graphs.awk"
    time=$(seconds "$WRAPGEN" "$out"/yaml/*.yaml --out "$out/files/w.c" --header "$out/files/w.h" --split files) || return
    report "--split files, $graphs inputs: $(find "$out/files" -type f | wc -l) files, $time s"
    awk -v n=8 -v changed=7 -v folder="$out/yaml" -f "$here/graphs.awk"
    sleep 1.1
    touch "$out/before"
    sleep 1.1
    time=$(seconds "$WRAPGEN" "$out"/yaml/*.yaml --out "$out/files/w.c" --header "$out/files/w.h" --split files) || return
    report "one input changed: $(rewritten "$out/files" "$out/before") files written, $time s"
}

# ---- distcc ----

workers=''
end() {
    for worker in $workers; do
        kill -- "-$(cat "$out/$worker.pid")"
        ip netns del "$worker"
    done
    [ -z "${server-}" ] || kill "$server"
    if [ -d "$out/machine1" ]; then
        for machine in machine1 machine2; do
            (cd "$out/bazel" && bazel --output_user_root="$out/$machine" shutdown)
            chmod -R u+w "$out/$machine"
        done
    fi
} >/dev/null 2>&1
trap 'end; rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM

start_worker() { # NUMBER: distccd in a namespace that only this machine reaches
    worker=wg$$-$1
    ip netns add "$worker" 2>"$out/log" || return 1
    workers="$workers $worker"
    echo 0 >"$out/$worker.pid"
    ip link add "$worker" type veth peer name inside netns "$worker" &&
        ip addr add "198.18.$1.1/30" dev "$worker" && ip link set "$worker" up &&
        ip -n "$worker" addr add "198.18.$1.2/30" dev inside && ip -n "$worker" link set inside up &&
        ip -n "$worker" link set lo up || return 1
    setsid ip netns exec "$worker" distccd --no-detach --daemon --allow "198.18.$1.0/30" --listen "198.18.$1.2" --jobs 1 \
        --log-stderr --log-level info 2>"$out/$worker.log" &
    echo $! >"$out/$worker.pid"
}

compile() { # JOBS COMPILER...
    jobs=$1
    shift
    make -s -j"$jobs" -C "$out/tree" -f "$out/makefile" COMPILER="$*"
}

cat >"$out/makefile" <<'end'
objects := $(patsubst %.c,%.o,$(wildcard w.*.c))
all: $(objects)
$(objects): %.o: %.c
	$(COMPILER) -c -o $@ $<
w.%.o: w.%.h
end

measure_distcc() {
    hosts=''
    for number in $(seq $most); do
        start_worker "$number" || { report 'distcc: not run: no network namespace can be made here'; return; }
        hosts="$hosts 198.18.$number.2/1"
    done
    sleep 1
    mkdir -p "$out/tree" "$out/state" && generate "$out/tree" || return
    flags="-std=c11 -O1 -I$root/templates/core -I$root/templates/hosts/native"
    report "$graphs graphs in $parts parts, $(cat "$out"/tree/w.*.c | wc -c) bytes; $(nproc) processors here, load $(cut -d' ' -f1 /proc/loadavg)"
    report "this machine, 1 job: $(seconds compile 1 gcc "$flags") s"
    (cd "$out/tree" && cksum w.*.o) >"$out/local"
    DISTCC_DIR=$out/state DISTCC_FALLBACK=0
    export DISTCC_DIR DISTCC_FALLBACK DISTCC_HOSTS
    for number in 1 2 4; do
        # shellcheck disable=SC2086 # words
        DISTCC_HOSTS=$(echo $hosts | cut -d' ' -f"1-$number")
        rm -f "$out"/tree/*.o
        report "distcc, $number workers: $(seconds compile $number distcc gcc "$flags") s"
        (cd "$out/tree" && cksum w.*.o) >"$out/remote"
        cmp -s "$out/local" "$out/remote" || report 'distcc: the objects differ from those made here'
    done
    report "compiled by each of the workers: $(for worker in $workers; do grep -c COMPILE_OK "$out/$worker.log"; done | tr '\n' ' ')"
    sleep 1.1
    touch "$out/before"
    sleep 1.1
    generate "$out/tree" 7 || return
    report "one graph changed: $(rewritten "$out/tree" "$out/before") of $((2 * parts + 2)) files written"
    time=$(seconds compile $most distcc gcc "$flags")
    report "one graph changed, distcc: $(find "$out/tree" -name '*.o' -newer "$out/before" | wc -l) of $parts objects compiled, $time s"
}

# ---- Bazel with a remote cache ----

build() { # MACHINE
    (cd "$out/bazel" && bazel --output_user_root="$out/$1" build --remote_cache=grpc://localhost:50352 --color=no \
        --noshow_progress "//:all")
}

built() { # MACHINE NAME: the time, and what Bazel says that it did
    time=$(seconds build "$1") || return 1
    report "Bazel, $2: $time s, $(sed -nE 's/^INFO: ([0-9]+ process.*)\.$/\1/p' "$out/log" | tail -n 1)"
}

measure_bazel() {
    [ -x "$BUILD/buildgrid/bin/bgd" ] || {
        python3 -m venv "$BUILD/buildgrid" &&
            "$BUILD/buildgrid/bin/pip" install -q --no-deps --require-hashes -r "$here/requirements.txt" >"$out/log" 2>&1
    } || { report 'Bazel: not run: BuildGrid cannot be installed'; return; }
    "$BUILD/buildgrid/bin/bgd" server start "$here/buildgrid.yml" >"$out/server.log" 2>&1 &
    server=$!
    mkdir -p "$out/bazel" && generate "$out/bazel" && (cd "$out/bazel" && "$WRAPGEN" --print-templates parts) || return
    : >"$out/bazel/WORKSPACE"
    cat >"$out/bazel/BUILD" <<end
[genrule(
    name = "part%d" % n,
    srcs = ["w.%d.c" % n, "w.%d.h" % n] + glob(["parts/core/*.h", "parts/hosts/native/*.h"]),
    outs = ["w.%d.o" % n],
    cmd = "gcc -std=c11 -O1 -Iparts/core -Iparts/hosts/native -c -o \$@ \$(location w.%d.c)" % n,
) for n in range($parts)]
end
    sleep 5
    built machine1 'the first machine, nothing in the cache' || return
    built machine2 'a second machine' || return
    generate "$out/bazel" 7 || return
    built machine1 'one graph changed, the first machine' || return
    built machine2 'one graph changed, the second machine'
    report 'Bazel: remote execution is not measured: this BuildGrid has no worker'
}

measure_graphs
measure_files
if ! command -v distccd >/dev/null 2>&1; then
    report 'distcc: not run: it is not installed (apt-get install distcc)'
else
    measure_distcc
fi
if ! command -v bazel >/dev/null 2>&1; then
    report 'Bazel: not run: it is not installed (apt-get install bazel-bootstrap)'
else
    measure_bazel
fi
