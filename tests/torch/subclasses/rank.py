# SPDX-License-Identifier: MIT
"""One of two processes that run the programs below together, over gloo: each under torch.compile, with what was built of it in
this process, and in eager mode, which must agree as in ahead/.

  rank.py RANK FOLDER [NAME...]      writes FOLDER/result<RANK>.json: {name of the program: what is wrong, or ""}

A program that fails in one rank may leave the other in a collective, which ends after a time-out; both stop there.
"""

import datetime
import json
import sys
import traceback
import warnings
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[2] / "cmd"), str(HERE), str(HERE.parent / "ahead")]
warnings.filterwarnings("ignore")

import torch  # noqa: E402
import torch.distributed as dist  # noqa: E402
from torch.distributed.device_mesh import init_device_mesh  # noqa: E402

torch.set_num_threads(1)
torch._logging.set_logs(all=50)

PATIENCE = datetime.timedelta(seconds=60)


def main():
    rank, folder, words = int(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:]
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=2, timeout=PATIENCE)
    import programs_ranks  # makes the mesh of both ranks

    programs_ranks.MESH.append(init_device_mesh("cpu", (2,)))
    results = {}
    for name, program in programs_ranks.PROGRAMS.items():
        if words and name not in words:
            continue
        torch._dynamo.reset()
        try:
            program(folder)
            results[name] = ""
        except Exception:  # noqa: BLE001 - what went wrong is for the process that waits
            results[name] = traceback.format_exc()
        (folder / f"result{rank}.json").write_text(json.dumps(results))
        if results[name]:
            break
        dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
