#!/usr/bin/python3 -S
# SPDX-License-Identifier: GPL-2.0-only
"""bar.py FILE fill|sum|hold|scribble [FROM BYTES]: map a BAR through its file in sysfs, or a part
of /dev/mem. fill: write random bytes to it. sum: print a checksum of it. hold: keep it mapped, and
print a line when it is. scribble: the same, and count in the word in its middle until SIGTERM,
which brings it back."""

import itertools
import mmap
import os
import signal
import sys
import time
import zlib

name, what, *part = sys.argv[1:]
start, size = (int(word, 0) for word in part) if part else (0, os.stat(name).st_size)
memory = mmap.mmap(os.open(name, os.O_RDWR), size, offset=start)
if what == "fill":
    memory[:] = os.urandom(size)
elif what == "sum":
    print(zlib.crc32(memory[:]))
else:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    word = slice(size // 2, size // 2 + 4)
    was = memory[word]
    print("mapped", flush=True)
    try:
        for n in itertools.count(1) if what == "scribble" else ():
            memory[word] = n.to_bytes(4, "little")
        time.sleep(100000)
    finally:
        memory[word] = was
