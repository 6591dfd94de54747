# SPDX-License-Identifier: MIT
#
# awk -v n=2000 [-v changed=7] -f graphs.awk - a file of n graphs. Every tenth is like nine others; graph number `changed` has
# another size. With -v folder=F, F/layer<i>.yaml has graph number i, and nothing is printed.
BEGIN {
    begin = "wrapgen: 1\nprefix: model_\ngraphs:"
    out = "/dev/stdout"
    if (folder == "") print begin >out
    for (i = 0; i < n; i++) {
        rows = int(i / 10) + 2
        if (folder != "") {
            close(out)
            out = folder "/layer" i ".yaml"
            print begin >out
        }
        printf "  - name: layer%d\n    mode: inference\n    compiled: layer%d_kernel\n    inputs:\n", i, i >out
        printf "      - {name: x, dtype: float32, size: [%d, 64], stride: [64, 1]}\n", (changed != "" && i == changed ? rows + 1000 : rows) >out
        print "      - {name: w, dtype: float32, size: [64, 64], stride: [64, 1]}" >out
        print "      - {name: mean, dtype: float32, size: [64], mutates_data: true}" >out
        print "    outputs:\n      - {name: y, type: non_alias}\n      - {name: z, type: alias_of_input, base: x}" >out
    }
}
