# SPDX-License-Identifier: MIT
#
# program.py FOLDER - compiles two programs with AOTInductor into FOLDER (cell.so, quantised.so), and writes what eager PyTorch
# makes of the same inputs to FOLDER/case.h, for main.c to compare with. Python is not needed after that.
import os
import sys
import warnings

import torch

warnings.filterwarnings("ignore")
torch._dynamo.config.capture_scalar_outputs = True
folder = os.path.abspath(sys.argv[1])
torch.manual_seed(0)


class Cell(torch.nn.Module):
    """A recurrent cell: carries a state along in place, and returns a view of it and an input, too."""

    def __init__(self):
        super().__init__()
        self.mix = torch.nn.Linear(4, 4)

    def forward(self, x, state, w, level):
        torch._check(level.item() <= 9)  # a compiled program can fail: main.c makes it
        state.mul_(0.75).add_(x.mean(0) * w.sum())
        return torch.tanh(self.mix(x) + state), state[1:3], w


class Quantised(torch.nn.Module):
    """A linear layer over a quantised weight, of eight bits and a scale a row, which wears off; its result is quantised too.
    Plain tensors here: QuantisedTensor is taken apart and put together by the wrapper."""

    def forward(self, x, bits, scale):
        y = x @ (bits.float() * scale[:, None]).t()
        scale.mul_(0.5)
        steps = y.abs().amax(1).clamp_min(1e-6) / 127
        return y, (y / steps[:, None]).round().to(torch.int8), steps


def compile_to(path, module, arguments, dynamic_shapes=None):
    with torch.no_grad():
        exported = torch.export.export(module, arguments, dynamic_shapes=dynamic_shapes)
    torch._inductor.aot_compile(exported.module(), arguments, options={"aot_inductor.output_path": path})


def array(name, t):
    c_type = {torch.float32: "float", torch.int8: "int8_t"}[t.dtype]
    numbers = [float(v).hex() + "F" if t.dtype is torch.float32 else str(v) for v in t.flatten().tolist()]
    return "static const %s %s[] = {%s};\n" % (c_type, name, ", ".join(numbers))


def record_cell():
    cell, state, w = Cell(), torch.randn(4), torch.randn(2)
    text = array("cell_state", state) + array("cell_w", w)
    batch = torch.export.Dim("batch", min=2, max=64)
    examples = (torch.randn(3, 4), state.clone(), w.clone(), torch.tensor(1))
    compile_to(folder + "/cell.so", cell, examples, ({0: batch}, None, None, None))
    for call, rows in enumerate((3, 5)):  # the state goes on from call to call
        x = torch.randn(rows, 4)
        with torch.no_grad():
            y, tail, same = cell(x, state, w, torch.tensor(1))
        assert same is w and tail.data_ptr() == state.data_ptr() + 4
        text += array("cell_x_%d" % call, x) + array("cell_y_%d" % call, y) + array("cell_state_%d" % call, state)
        text += "enum { CELL_ROWS_%d = %d };\n" % (call, rows)
    return text + "enum { CELL_RAISES = %d };\n" % compiled_raises(cell, x, w)


def compiled_raises(cell, x, w):
    """By how much a call raises the state's version once it is compiled: eager PyTorch counts each operation in place,
    AOTAutograd's wrapper the call."""
    state = torch.zeros(4)
    with torch.no_grad():
        torch.compile(cell)(x, state, w, torch.tensor(1))
    return state._version


def record_quantised():
    module = Quantised()
    bits, scale, x = torch.randint(-127, 128, (6, 4), dtype=torch.int8), torch.rand(6) / 64, torch.randn(3, 4)
    compile_to(folder + "/quantised.so", module, (x, bits, scale.clone()))
    text = array("quantised_bits", bits) + array("quantised_scale", scale) + array("quantised_x", x)
    y, result, steps = module(x, bits, scale)
    text += array("quantised_y", y) + array("quantised_scale_after", scale)
    return text + array("quantised_result", result) + array("quantised_steps", steps)


if __name__ == "__main__":
    recorded = record_cell() + record_quantised()
    with open(folder + "/case.h", "w") as out:
        out.write("/* Recorded by program.py from eager PyTorch %s. */\n#include <stdint.h>\n\n" % torch.__version__)
        out.write(recorded)
