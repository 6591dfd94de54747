# SPDX-License-Identifier: MIT
#
# wrapgen_generate(name, yaml, host = "native", options = [])
#
# writes <name>.c and <name>.h, the wrappers of the graphs and kernels in the files `yaml`. It runs the tool when one of them, or
# the tool itself, has changed. It compiles nothing, and so loads no other rules: give the files to cc_library() or to a rule of
# your own, with @wrapgen//:core and @wrapgen//:<host>, which are the C files that they are compiled with.
#
#   host     a built-in host
#   options  more of `wrapgen --help`, such as -Werror

def _generate(ctx):
    source = ctx.actions.declare_file(ctx.label.name + ".c")
    header = ctx.actions.declare_file(ctx.label.name + ".h")
    arguments = ctx.actions.args()
    arguments.add_all(ctx.files.yaml)
    arguments.add("--out", source)
    arguments.add("--header", header)
    arguments.add("--host", ctx.attr.host)
    arguments.add_all(ctx.attr.options)
    ctx.actions.run(
        executable = ctx.executable._tool,
        arguments = [arguments],
        inputs = ctx.files.yaml,
        outputs = [source, header],
        mnemonic = "Wrapgen",
        progress_message = "wrapgen " + ctx.label.name,
    )
    files = depset([source, header])
    return [DefaultInfo(files = files, runfiles = ctx.runfiles(transitive_files = files))]

wrapgen_generate = rule(
    implementation = _generate,
    attrs = {
        "yaml": attr.label_list(allow_files = [".yaml", ".yml"], mandatory = True, allow_empty = False),
        "host": attr.string(default = "native"),
        "options": attr.string_list(),
        "_tool": attr.label(default = "@wrapgen//:tool", executable = True, cfg = "host", allow_single_file = True),
    },
)
