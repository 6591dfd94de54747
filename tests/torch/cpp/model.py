# SPDX-License-Identifier: MIT
#
# model.py FOLDER - compiles a function with AOTInductor: FOLDER/model.so; FOLDER/model.so.txt is a file that is not a model.
import os
import sys
import warnings

import torch

warnings.filterwarnings("ignore")
folder = os.path.abspath(sys.argv[1])


class Mix(torch.nn.Module):
    def forward(self, x, w):
        return x * w, x.sum()


with torch.no_grad():
    arguments = (torch.ones(2, 3), torch.ones(3))
    exported = torch.export.export(Mix(), arguments)
torch._inductor.aot_compile(exported.module(), arguments, options={"aot_inductor.output_path": folder + "/model.so"})
with open(folder + "/model.so.txt", "w") as file:
    file.write("no library\n")
