"""Field reports on processor and memory of the built-in model: counted in a process of its own, with the real model."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

MEMORY = """
import json, random, sys
import psutil
from ddg_lsp.core import memory
from ddg_lsp.core.embedding.e5 import E5Embedder

memory.settle()
process = psutil.Process()
megabytes = lambda: process.memory_info().rss / 1e6
embedder = E5Embedder()
longest = "passage: " + "word other " * 400
embedder.embed([longest] * 2)
said = {"one": [], "batch_texts": embedder.info.batch_texts}
for _ in range(5):
    embedder.embed([longest] * 2)
    said["one"].append(megabytes())
embedder.embed([longest] * 10)
said["many"] = megabytes()
lengths = random.Random(7)
for _ in range(50):
    embedder.embed(["passage: " + "word " * lengths.randrange(1, 200)])
said["mixed"] = megabytes()
for _ in range(100):
    embedder.embed(["query: how does it work"])
said["short"] = megabytes()
with open("/proc/self/status") as status:
    said["peak"] = next(int(line.split()[1]) / 1e3 for line in status if line.startswith("VmHWM"))
print(json.dumps(said))
"""

THREADS = """
import json, os, threading, time
import psutil
from ddg_lsp.core.embedding.choose import choose
from ddg_lsp.core.settings import Settings

process, seen, started, done = psutil.Process(), [], [], threading.Event()
start = threading.Thread.start
threading.Thread.start = lambda thread: (started.append(thread.name), start(thread))[1]
def sample():
    while not done.is_set():
        seen.append(process.num_threads())
        time.sleep(0.001)
threading.Thread(target=sample, daemon=True).start()
said = {}
for threads in (None, 1, 5):
    settings = Settings(embedder="e5") if threads is None else Settings(embedder="e5", threads=threads)
    embedder = choose(settings).embedder
    embedder.embed(["query: x"])
    steady = 0
    while steady < 10:  # a thread that was joined may be on its way out still
        before = process.num_threads()
        time.sleep(0.05)
        steady = steady + 1 if process.num_threads() == before else 0
    seen.clear()
    started.clear()
    embedder.embed(["passage: " + "word " * 200] * 6)
    usual = sorted(seen)[len(seen) // 2]  # of a single moment nothing is to be believed
    said[str(threads)] = [len(started) + 1, usual - before + 1]
done.set()
print(json.dumps(said))
"""

linux = pytest.mark.skipif(sys.platform != "linux", reason="the peak is read from /proc")


def run(script: str) -> dict:
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@linux
def test_row_4_row_7_row_8_row_18_memory_stays_where_it_is_whatever_is_embedded():
    said = run(MEMORY)
    one = said["one"]
    assert one[-1] - one[1] < 15.0  # row 4: passages of the longest kind, one call after the other
    assert said["many"] - one[-1] < 15.0  # row 7: many of them in one call need no more than two
    assert said["peak"] < 500.0
    assert said["batch_texts"] <= 8
    assert said["mixed"] - said["many"] < 15.0  # row 8: texts of any length in any order
    assert said["short"] - said["mixed"] < 10.0  # row 18: a leak of 11 MB a call would be 1.1 GB


def test_row_1_row_17_the_model_computes_on_as_many_threads_as_it_was_told():
    for told, (taken, alive) in run(THREADS).items():
        expected = 2 if told == "None" else int(told)
        assert taken == expected
        assert alive <= expected  # and the runtime below adds none of its own


def test_row_1_linear_algebra_takes_two_threads_on_a_machine_of_any_size():
    script = """
import os, json
for name in ("OPENBLAS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
    os.environ.pop(name, None)
import ddg_lsp.core.search, numpy, psutil
square = numpy.ones((700, 700), numpy.float32)
square @ square
print(json.dumps([psutil.Process().num_threads(), os.environ["OPENBLAS_NUM_THREADS"]]))
"""
    threads, told = run(script)
    assert threads <= 2
    assert told == "2"


def test_row_1_what_the_user_says_of_linear_algebra_stands():
    script = "import os, json; os.environ['OPENBLAS_NUM_THREADS'] = '1'; import ddg_lsp.core.search, psutil; "
    script += "print(json.dumps([os.environ['OPENBLAS_NUM_THREADS']]))"
    assert run(script) == ["1"]
