# SPDX-License-Identifier: MIT
# wrapgen init: a first project that builds, runs and is tested as it is written. (tests/install builds the one for CMake.)
mkdir empty && cd empty || exit 1
run init ../demo
exits 0 'init'
check "$case: says nothing else" test ! -s "$scratch/stderr"
prints 'make -C ../demo'
(cd ../demo && ls | LC_ALL=C sort) >../found
printf 'Makefile\ngraph.schema.json\ngraph.yaml\nkernel.c\nmain.c\n' >../expected
check "$case: five files" diff ../expected ../found
for file in graph.yaml kernel.c main.c Makefile; do
    check "$case: $file is that of templates/init" cmp "$root/templates/init/$file" "../demo/$file"
done
check "$case: the schema is that of the tool" cmp "$root/schema/graph.schema.json" ../demo/graph.schema.json

# By hand: rows 1 5 3 and 4 2 6 onto 10 20 30.
command=$(sed -n 's/^  make/make/p' "$scratch/stdout")
if sh -ec "$command" >../made 2>&1; then ok "$case: its command builds and runs it"; else not_ok "$case: its command builds and runs it" ../made; fi
holds ../made 'largest of each row: 5 6' 'the result'
holds ../made 'total: 15 27 39, written 1 time' 'what was written in place'
holds ../made "add_rows: 'total': size of dimension 0: expected 3, found 2 (tensor) [WG_E_SIZE]" 'what was refused'
check "$case: making it again compiles nothing" sh -c '! make -C ../demo WRAPGEN=false | grep -e "-o app"'
check "$case: make test" sh -c 'make -C ../demo test WRAPGEN="$1" CC="$2"' sh "$WRAPGEN" "$CC"
check "$case: no warning in the two C files" sh -ec 'cd ../demo && for file in main.c kernel.c; do
    $0 -std=c11 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -Iparts/core -Iparts/hosts/native -c -o file.o $file || exit 1; done && rm file.o' "$CC"
make -s -C ../demo clean
(cd ../demo && ls | LC_ALL=C sort) >../found
check "$case: make clean leaves those files" diff ../expected ../found

# A changed graph is generated anew: a wrapper of fewer rows refuses the call.
sed -i 's/max: 1024/max: 1/' ../demo/graph.yaml
sh -ec "$command" >../made 2>&1
holds ../made 'expected 1, found 2 (symbol rows: at least 1, at most 1) [WG_E_SYMBOL]' 'a changed graph'
run --show ../demo/graph.yaml
exits 0 'the graph is shown'

# Found by its name, the tool needs no place in the command.
mkdir path && ln -s "$WRAPGEN" path/wrapgen
(PATH=$PWD/path:$PATH && export PATH && wrapgen init ../named) >../named.txt 2>&1
check "$case: by its name" grep -qx '  make -C ../named' ../named.txt
rm -r path
run init "../it's here"
prints "make -C '../it'\\''s here'"
run init
exits 0 'in this folder'
prints 'make WRAPGEN='
check "$case: files in this folder" diff ../expected - <<LIST
$(LC_ALL=C ls)
LIST
run init
exits 0 'once more over the same'
check "$case: a depth of folders" "$WRAPGEN" init a/b/c
check "$case: ./init is a file" sh -c 'cp graph.yaml init && "$1" ./init --out init.c && "$1" --in init --out init.c' sh "$WRAPGEN"

# What exists stays, and then nothing is written.
mkdir ../mine && echo mine >../mine/main.c && echo mine >../mine/kernel.c
refuses '../mine/main.c: error: this file exists and differs; it is left as it is' init ../mine
says '../mine/kernel.c: error: this file exists and differs; it is left as it is'
check "$case: nothing else is written" test "$(ls ../mine | wc -l)" -eq 2
check "$case: both are as they were" sh -c 'grep -qx mine ../mine/main.c && grep -qx mine ../mine/kernel.c'
: >../file
run init ../file/below
exits 3 'below something that is not a folder'

run init --cmake ../cmake
exits 0 'init --cmake'
prints 'cmake -S ../cmake -B ../cmake/build'
check "$case: CMakeLists.txt is that of templates/init" cmp "$root/templates/init/CMakeLists.txt" ../cmake/CMakeLists.txt
check "$case: and no Makefile" test ! -e ../cmake/Makefile
run init --cmake
prints ' && ./build/app'
refuses "'--cmake' requires 'init'" ../graph.yaml --out a.c --cmake
refuses "'init' takes one folder, not also 'two'" init one two
refuses "'init' takes a folder, not '-'" init -
refuses "'--out' cannot be used with 'init'" init one --out a.c
refuses "'--show' cannot be used with 'init'" init one --show
refuses "'init' cannot read PyTorch; this can: 'wrapgen-torch init MODEL.py --out DIR'" init one --from model.py
refuses "'init' cannot read PyTorch; this can:" init --from=model.py
refuses "unknown option '--from'" --from model.py
refuses "unknown option '--cmak'; did you mean '--cmake'?" init one --cmak
check "$case: what is refused writes nothing" test ! -e one
cd .. || exit 1
