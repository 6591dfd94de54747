# SPDX-License-Identifier: MIT
# Mistakes on the command line: exit code 2, all of them explained, nothing written.
refuses "no input: 'wrapgen FILE --out FILE'" --out a.c
refuses 'no output: --out FILE is missing' --in graph.yaml
refuses 'no input'
refuses "unknown option '--ot'; did you mean '--out'?" --in graph.yaml --ot a.c
refuses "unknown option '--zzzzzz'; --help lists them" --in graph.yaml --out a.c --zzzzzz
refuses "unknown option '-out'; did you mean '--out'?" --in graph.yaml -out a.c
refuses "input 'graph.yaml' is given twice" graph.yaml --in graph.yaml --out a.c
refuses "'graph.yaml' cannot be used with '--print-schema'" graph.yaml --print-schema
refuses "'-' cannot be used with '--print-schema'" - --print-schema
refuses "'--out' needs its FILE" --in graph.yaml --out
refuses "'--out' needs its FILE" --in graph.yaml --out --header a.h
refuses "'-o' needs its FILE" --in graph.yaml -o
refuses "the FILE of '--out' is empty" --in graph.yaml --out ''
refuses "the FILE of '--out' is empty" --in graph.yaml --out=
refuses "'--out' is given twice" --in graph.yaml --out a.c -o b.c
refuses "input 'graph.yaml' is given twice" --in graph.yaml -i graph.yaml --out a.c
refuses "input '-' is given twice" --in - --in - --out a.c
refuses "'--check' takes no value" --in graph.yaml --out a.c --check=yes
refuses "'--check' and '--dump' exclude each other" --in graph.yaml --out a.c --check --dump plan
refuses "'--dump' takes plan|plan:LAYER|view, not 'plam'" --in graph.yaml --dump plam
refuses "'--dump' takes plan|plan:LAYER|view, not 'pla'" --in graph.yaml --dump pla
refuses "'--dump' takes plan|plan:LAYER|view, not 'plan:'" --in graph.yaml --dump plan:
refuses "'--dump' takes plan|plan:LAYER|view, not 'view:delivery'" --in graph.yaml --dump view:delivery
refuses "'--dump' has no layer 'subclass'; the layers are: arguments, dedup_wrapper," --in graph.yaml --dump plan:subclass
refuses "'--loop-from' takes a number of at most nine digits, not 'x'" --in graph.yaml --out a.c --loop-from x
refuses "'--loop-from' takes a number of at most nine digits, not '12abc'" --in graph.yaml --out a.c --loop-from 12abc
refuses "'--loop-from' takes a number of at most nine digits, not '1234567890'" --in graph.yaml --out a.c --loop-from 1234567890
refuses "'--color' takes auto|always|never, not 'red'" --in graph.yaml --out a.c --color red
refuses "'--diagnostics' takes text|json, not 'xml'" --in graph.yaml --out a.c --diagnostics xml
refuses "'--check' needs an output that is a file, not '-'" --in graph.yaml --out - --check
refuses "'--list-outputs' needs an output that is a file" --in graph.yaml --out - --list-outputs
refuses "'--header' needs a file name that an #include can hold, not '-'" --in graph.yaml --out a.c --header -
refuses "'--header' needs a file name that an #include can hold" --in graph.yaml --out a.c --header 'a"b.h'
refuses "'--header' needs a file name that an #include can hold" --in graph.yaml --out a.c --header 'folder/'
refuses "'--header' needs a file name that an #include can hold" --in graph.yaml --out a.c --header "a
b.h"
refuses "'--header' needs a file name that an #include can hold" --in graph.yaml --out a.c --header 'é.h'
refuses "'--emit-selftest' needs an --out that an #include can hold, not '-'" --in graph.yaml --out - --emit-selftest s.c
refuses "'--emit-selftest' needs an --out that an #include can hold" --in graph.yaml --out 'a"b.c' --emit-selftest s.c
refuses "'--emit-proof' needs an --out that an #include can hold, not '-'" --in graph.yaml --out - --emit-proof p.c
refuses "'--emit-proof' cannot be used with '--print-schema'" --print-schema --emit-proof p.c
refuses "'--emit-selftest' cannot be used with '--print-schema'" --print-schema --emit-selftest s.c
refuses "'--deptarget' requires '--depfile'" --in graph.yaml --out a.c --deptarget a.o
refuses "'--depfile' needs '--deptarget'" --in graph.yaml --out - --depfile a.d
refuses "'--out' cannot be used with '--print-schema'" --print-schema --out a.json
refuses "'--in' cannot be used with '--print-host'" --print-host native --in graph.yaml
refuses 'E_USAGE' --nothing

run --ot a.c --in --color red
exits 2 'several mistakes'
for mistake in "'--ot'" "'--in' needs" "not 'red'"; do
    says "$mistake"
done

# an output on an input, under whatever name, or twice the same output
ln -s graph.yaml link.yaml
refuses "output 'graph.yaml' would overwrite 'graph.yaml'" --in graph.yaml --out graph.yaml
refuses "output './link.yaml' would overwrite 'graph.yaml'" --in graph.yaml --out ./link.yaml
refuses "output 'graph.yaml' would overwrite" --in graph.yaml --out a.c --depfile graph.yaml
refuses 'a.c' --in graph.yaml --out a.c --header ./a.c
refuses 'a.c' --in graph.yaml --out a.c --emit-selftest ./a.c
