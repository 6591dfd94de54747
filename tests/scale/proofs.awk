# SPDX-License-Identifier: MIT
#
# awk -v kind=KIND [-v n=VARIANTS] -f proofs.awk: one kernel whose proof has much to do.
#
#   hints    variants that differ in hints of 100 arguments
#   tensors  600 tensors, each with a size in each variant
#   same     60 tensors, some of them one object
#   lists    two integers, each in lists of 500 values
#   pairs    40 tensors, two of them with one size
#   shapes   three tensors of rank 4 whose sizes and strides are known, as in tests/bench/dispatch.sh
#   ranks    16 tensors of rank 5, likewise
#   triton   ten pointers that are aligned or not, every way
function comma(i) { return i ? ", " : "" }

function head(num_args, arg,    i) {
    print "wrapgen: 1\nsymbols: [{name: s}]\nkernels:\n  - name: " kind
    printf "    args: ["
    for (i = 0; i < num_args; i++) printf "%s{name: x%d, %s}", comma(i), i, arg
    print "]\n    variants:"
}

function shape(arg, a, b, c, d, e) {
    printf "%s{arg: x%d, dtype: float16, size: [%s%d, %d, %d, %d], stride: [%s%d, %d, %d, 1]}", comma(arg), arg, \
        (e ? e ", " : ""), a, b, c, d, (e ? a * b * c * d ", " : ""), b * c * d, c * d, d
}

function condition(i, j,    a, m, k) {
    a = 1 + i % 4; m = 16 * (1 + int(i / 4) % 16); k = 64 * (1 + int(i / 64) % 16)
    if (kind == "hints")
        printf "%s{arg: x%d, align: %d, dtype: float32|float16}", comma(j), j, ((i * 37 + j * j * 11) % 7 < 3 ? 16 : 8)
    else if (kind == "tensors")
        printf "%s{arg: x%d, size: [%d..]}", comma(j), j, ((i + j) % 5 ? 1 + (i * 7 + j) % 3 : 0)
    else if (kind == "same" && j > 0 && j % 7 == i % 7)
        printf "%s{arg: x%d, %s: x%d, dtype: float32, size: [any, %d..]}", comma(j > 7), j, \
            ((i + j) % 2 ? "same_as" : "not_same_as"), (i * 13 + j * 5) % j, 1 + (i + j) % 4
    else if (kind == "lists") {
        printf "%s{arg: x%d, value: ", comma(j), j
        for (m = 0; m < 500; m++) printf "%s%d", (m ? "|" : ""), 200 * m + (i * 31 + m * 17 + j) % 199
        printf "}"
    } else if (kind == "pairs" && j < 2)
        printf "%s{arg: x%d, size: [s]}", comma(j), (j ? (i % 40 + 1 + int(i / 40)) % 40 : i % 40)
    else if (kind == "shapes")
        shape(j, a, 8, (j == 1 ? k : m), (j == 0 ? k : 128))
    else if (kind == "ranks")
        shape(j, a, 8, m, k, j + 1)
    else if (kind == "triton" && int(i / 2 ^ j) % 2)
        printf "%s{arg: x%d, align: 16}", comma(i % 2 ^ j), j
}

BEGIN {
    split("hints 100 400 tensors 600 200 same 60 200 lists 2 64 pairs 40 200 shapes 3 1024 ranks 16 256 triton 10 1024", kinds)
    for (i = 1; kinds[i] != kind; i += 3) {}
    num_args = kinds[i + 1]
    if (!n) n = kinds[i + 2]
    head(num_args, kind == "lists" ? "kind: int" : kind == "shapes" || kind == "ranks" ? "kind: tensor" : \
        "kind: tensor, ndim: " (kind == "same" ? 2 : 1))
    for (i = n - 1; i >= 0; i--) {
        printf "      - {symbol: v%d, when: [", i
        for (j = 0; j < num_args; j++) condition(i, j)
        print "]}"
    }
    if (kind != "triton") print "      - {symbol: any_other}"
}
